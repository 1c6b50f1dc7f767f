// The frames of the WebSocket, protocol version 1. Written by a test from the types in src/protocol; do not edit.

/**
 * Identifier of a run, one execution of an agent.
 */
export type RunId = string;

/**
 * Identifier of a session, one socket of a viewer.
 */
export type SessionId = string;

/**
 * Identifier of a question to a person. The wire calls it `reference`.
 */
export type QuestionId = string;

export type JsonValue = number | string | boolean | Array<JsonValue> | { [key in string]: JsonValue } | null;

/**
 * Status of a run. The last eight are outcomes: the run has ended.
 */
export type Status = "queued" | "running" | "waiting" | "paused" | "succeeded" | "partial" | "failed" | "skipped" | "cancelled" | "denied" | "blocked" | "exhausted";

/**
 * Kind of a question that waits for a person (C20).
 */
export type QuestionKind = "confirm" | "manual" | "question" | "approve_plan" | "budget";

/**
 * Scope of an approval. `Action` is offered from the second question about one action on: it covers whatever else that
 * action stores at the same site.
 */
export type Remember = "once" | "action" | "run" | "site";

/**
 * Language of texts for people.
 */
export type Locale = "uk" | "en";

/**
 * A message of the person: starts a run, or continues an existing one.
 */
export type UserMessage = { text: string, agent?: string | null, run_id?: RunId | null, 
/**
 * For a new run: ids of files uploaded before (`POST /api/files/{file}`).
 */
files?: Array<string>, 
/**
 * For a new run: a model of the connected endpoint, instead of the default.
 */
model?: string, };

/**
 * A text frame from a client.
 */
export type ClientFrame = { "type": "hello", protocol: number, run_id?: RunId | null, after_seq?: number | null, locale?: string | null, client?: Caller | null, waiting?: boolean | null, writing?: boolean | null, } | { "type": "user_message" } & UserMessage | { "type": "answer", reference: QuestionId, confirmed?: boolean, remember?: Remember, comment?: string, text?: string, done?: boolean, message?: string, } | { "type": "control", run_id: RunId, command: Command, } | { "type": "view", run_id: RunId, on: boolean, max_width?: number | null, max_fps?: number | null, quality?: number | null, tag?: number | null, } | { "type": "frame_ack", frame: number, } | { "type": "input", run_id: RunId, } & ({ "kind": "mouse", event: MouseEvent, x: number, y: number, button: Held, count?: number | null, modifiers: number, } | { "kind": "wheel", x: number, y: number, dx: number, dy: number, } | { "kind": "key", event: KeyEvent, key: string, code: string, modifiers: number, } | { "kind": "text", text: string, } | { "kind": "dialog", accept: boolean, text?: string | null, number?: number | null, } | { "kind": "navigate", url: string, } | { "kind": "back" } | { "kind": "files", number: number, names: Array<string>, }) | { "type": "ping" };

/**
 * The answer to a question: one of `confirmed`, `text`, `done`.
 */
export type Answer = { confirmed?: boolean, remember?: Remember, comment?: string, text?: string, done?: boolean, message?: string, };

/**
 * Command of a person to a run.
 */
export type Command = "stop" | "pause" | "resume" | "take_over" | "hand_back";

/**
 * An input event of the person on the live view. Never stored, never sent to another client.
 */
export type PersonInput = { "kind": "mouse", event: MouseEvent, x: number, y: number, button: Held, count?: number | null, modifiers: number, } | { "kind": "wheel", x: number, y: number, dx: number, dy: number, } | { "kind": "key", event: KeyEvent, key: string, code: string, modifiers: number, } | { "kind": "text", text: string, } | { "kind": "dialog", accept: boolean, text?: string | null, number?: number | null, } | { "kind": "navigate", url: string, } | { "kind": "back" } | { "kind": "files", number: number, names: Array<string>, };

/**
 * Mouse button of an event; `none` for a move without a button.
 */
export type Held = "left" | "right" | "middle" | "none";

/**
 * Kind of a mouse event.
 */
export type MouseEvent = "move" | "down" | "up";

/**
 * Kind of a key event.
 */
export type KeyEvent = "down" | "up";

/**
 * An event of a run: stored, numbered, and sent to every viewer.
 */
export type Fact = { "type": "run_started", agent: string, parent_run_id?: RunId, input: { [key in string]: JsonValue }, 
/**
 * The program that started the run; absent if a person or another run did.
 */
client?: Caller, } | { "type": "status", status: Status, node?: string, } | { "type": "agent_message", text: string, html: string, final: boolean, } | { "type": "agent_question" } & Question | { "type": "question_resolved", reference: QuestionId, by: ResolvedBy, answer: JsonValue, 
/**
 * The client through which a person answered.
 */
client: Caller | null, } | { "type": "event" } & Event | { "type": "run_ended", outcome: Status, final_response: string | null, vars: { [key in string]: JsonValue }, 
/**
 * The plan at the end of the run, as a Markdown checklist (S2.17).
 */
plan?: string, };

/**
 * A question that interrupts a run (C20).
 */
export type Question = { reference: QuestionId, kind: QuestionKind, reason: string, text: string, payload: JsonValue, 
/**
 * Scopes that the person may choose for an approval.
 */
remember: Array<Remember>, expires_at?: string, 
/**
 * Status of the run if the question expires.
 */
on_expire: Status, };

/**
 * Cause of a question's end: a person, its expiry, a rule, the end of the run, or a program.
 */
export type ResolvedBy = "user" | "expired" | "policy" | "stopped" | AnsweringProgram;

/**
 * A program that answered a question: `client:<name>`.
 */
export type AnsweringProgram = `client:${string}`;

/**
 * A client: id, kind and optional display name.
 */
export type Caller = { id: string, kind: CallerKind, name: string | null, 
/**
 * True if this client is the receiver's own; never stored.
 */
you?: boolean, };

/**
 * Interface that a client uses.
 */
export type CallerKind = "page" | "api" | "mcp" | "openai" | "cli";

/**
 * Payload of an `event` frame: its name in `event`, its fields in `data`.
 */
export type Event = { "event": "observation", "data": { look: number, url: string, title: string, tab: string, chars: number, picture: string | null, } } | { "event": "thought", "data": { type: string, content: string, action_id: string | null, 
/**
 * Position of the plan item that the thought concerns.
 */
step_ref?: number, expected_outcome?: string, 
/**
 * 0 to 1.
 */
confidence?: number, } } | { "event": "action_started", "data": { action_id: string, action: string, params: { [key in string]: JsonValue }, target: JsonValue | null, } } | { "event": "action_finished", "data": { action_id: string, action: string, ok: boolean, result?: JsonValue, error?: Failure, 
/**
 * Effect of the action on the page, in words.
 */
summary?: string, 
/**
 * Effect of the action and what is to be known about its result, for people.
 */
summary_texts?: TextInLanguages, took_ms: number, 
/**
 * Why the wait for the page ended: still, quiet, busy, loaded, dialog.
 */
settled?: string, 
/**
 * Files that the action downloaded into the run's files.
 */
files?: Array<FileFact>, dropped: Array<string>, } } | { "event": "effect", "data": { 
/**
 * Action that caused it; empty if the page sends it before any.
 */
action_id: string, method: string, url: string, origin: string, 
/**
 * Reason why it was not held: the reference of a question, the id of a permission, or `rule:<id>`.
 */
covered_by: string, } } | { "event": "policy", "data": { decision: string, rule: string, risk: string, effect: string, action_id: string, 
/**
 * The rule's reason in both languages; only for a denied action.
 */
reason?: PolicyReason, } } | { "event": "state_updated", "data": { steps: number, max_steps: number, invalid_actions: number, visits: number, url: string | null, 
/**
 * Key under which the person's answer was stored.
 */
answer_received?: string, 
/**
 * True if the plan has changed.
 */
plan_updated?: boolean, } } | { "event": "plan", "data": { items: Array<Item>, } } | { "event": "task", "data": { task_id: string, action_id: string, status: Status, 
/**
 * 0 to 1.
 */
progress?: number, display?: Display, result?: JsonValue, agent: string, 
/**
 * The child run that does the work.
 */
child_run_id?: RunId, 
/**
 * Time at which the work began, RFC 3339.
 */
started_at?: string, } } | { "event": "compacted", "data": { entries: number, summary: string, } } | { "event": "budget", "data": { 
/**
 * `tokens`, `money` or `wall_s`.
 */
limit: string, used: number, most: number, } } | { "event": "usage", "data": { role: string, model: string, input_tokens: number, cached_tokens: number, output_tokens: number, 
/**
 * Null if the price of the model is unknown.
 */
cost: number | null, 
/**
 * Currency of `cost`, if there is a cost.
 */
currency: string | null, 
/**
 * True if the endpoint reports no token counts and these are estimates.
 */
estimated?: boolean, } } | { "event": "lease", "data": { holder: SessionId | null, } } | { "event": "item", "data": { item_id: string, agent: string, lane: number, status: string, run_id?: RunId, 
/**
 * Counts from 1; 0 if the item was never started.
 */
attempt: number, error?: string, } } | { "event": "node", "data": { node: string, } } | { "event": "user_message", "data": { text: string, } };

/**
 * Error of an action: a code for programs, a message for the planner and the person.
 */
export type Failure = { code: string, message: string, };

/**
 * The reason of a rule that denies an action, in both languages.
 */
export type PolicyReason = { uk: string, en: string, };

/**
 * A text in both languages, for a reader who can switch between them.
 */
export type TextInLanguages = { uk: string, en: string, };

/**
 * A goal of a plan (S2.1).
 */
export type Item = { 
/**
 * Position from 1, in the order in which items are worked on.
 */
position: number, 
/**
 * The goal to achieve.
 */
description: string, 
/**
 * The observation that shows that the goal is reached.
 */
acceptance_criteria: string, 
/**
 * Conditions that a machine can check. All of them must hold.
 */
predicates?: Array<Predicate>, 
/**
 * Positions of the items that must have succeeded before this one starts.
 */
dependencies: Array<number>, status: ItemStatus, 
/**
 * The last action for this item, its input and its result.
 */
chosen_tool: string | null, tool_input: JsonValue | null, execution_result: JsonValue | null, 
/**
 * The number of attempts: rejected claims that the item is done, failed agent calls, and the acceptance.
 */
attempts: number, max_attempts: number, 
/**
 * The reason why it was accepted or rejected.
 */
evidence: Evidence | null, };

/**
 * The status of an item. Other names are accepted as aliases (C8).
 */
export type ItemStatus = "queued" | "running" | "succeeded" | "failed" | "skipped";

/**
 * A condition that is checked without a judge (C12).
 */
export type Predicate = { "check": "url", value: string, } | { "check": "text", value: string, } | { "check": "file", value: string, } | { "check": "variable", name: string, value: string, };

/**
 * The result of judging an item.
 */
export type Evidence = { accepted: boolean, 
/**
 * `predicates`, `judge` or `person`.
 */
by: string, 
/**
 * The reason, in one sentence.
 */
why: string, 
/**
 * The page at that time: its address and the path of its picture.
 */
url: string | null, picture: string | null, 
/**
 * The text that was seen or returned, shortened.
 */
text: string | null, };

/**
 * Display hint of an ASYNC action (S4.12).
 */
export type Display = { 
/**
 * `progress_bar` or `status_message`; any other value is shown as a status message.
 */
type: string, label: string, estimated_duration_seconds: number | null, };

/**
 * An open dialog of a page: `confirm`, `prompt`, `beforeunload`, or `alert`, which does not block the page.
 */
export type Dialog = { kind: string, message: string, 
/**
 * Default text of a prompt.
 */
default_text: string, };

/**
 * Frames that are not events: sent to one socket only.
 */
export type Reply = { "type": "welcome", session_id: SessionId, protocol: number, run: JsonValue, seq: number, } | { "type": "accepted", run_id: RunId, } | { "type": "waiting", total: number, } | { "type": "pong" } | { "type": "writing", run_id: RunId, root_run_id: RunId, text: string, html: string, } | { "type": "page_dialog", run_id: RunId, number: number, dialog: Dialog | null, } | { "type": "page_address", run_id: RunId, url: string, } | { "type": "file_chooser", run_id: RunId, number: number, multiple: boolean, open: boolean, } | { "type": "error", code: string, message: string, reference?: QuestionId, 
/**
 * With `unknown_run`: the followed run that was deleted.
 */
run_id?: RunId, };

export type Envelope = { run_id: RunId, root_run_id: RunId, seq: number, at: string };
export type ServerFrame = (Fact & Envelope) | Reply;
