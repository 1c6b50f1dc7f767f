// Transcript: folds facts into entries.
//
// Entry: { key, kind, runId, seq, at, … } with kind one of
//   user, thoughts, action, observation, message, question, policy, plan, task,
//   lease, compacted, budget, child, childended, error, ended, writing (see drafts.js)
// Entries are immutable: a changed one is a new object, so that views find changes by identity.

import { question } from '../question/questions.js';
import { isActive } from '../shared/run_status.js';
import { splitCodeError, endOf } from './run_end.js';
import { isBlank, isBroken, hasNavigationError } from '../live/page_state.js';
import { wordsOf } from '../plan/plan.js';
import { noTasks, reduceTasks } from '../background_tasks/tasks.js';
import { addSentRequest } from './sent_requests.js';
import { reduceBesideDraft } from './drafts.js';

export function reduceTranscript(entries, fact) {
  const step = fact.type === 'event' ? EVENTS[fact.event] : TYPES[fact.type];
  return reduceBesideDraft(entries, fact, (rest) => (step ? step(rest, fact, fact.data ?? {}) : rest));
}

const TYPES = {
  run_started(entries, fact) {
    if (fact.parent_run_id) return isBeside(entries, fact.run_id) ? entries : add(entries, fact, 'child', { agent: fact.agent });
    const text = fact.input?.text;
    return text ? addUser(entries, fact, text, true) : entries;
  },
  agent_message: (entries, fact) =>
    add(entries, fact, 'message', { text: fact.text ?? '', html: fact.html ?? null, final: fact.final === true }),
  agent_question(entries, fact) {
    if (entries.some((e) => e.kind === 'question' && e.reference === fact.reference)) return entries;
    return addThought(entries, fact, 'question', { ...question(fact), questionKind: fact.kind, state: 'open' });
  },
  question_resolved: (entries, fact) =>
    replaceLast(entries, (e) => e.kind === 'question' && e.reference === fact.reference, (e) => ({
      ...e, state: 'resolved', by: fact.by, client: fact.client ?? null, answer: typeof fact.answer === 'boolean' ? { confirmed: fact.answer } : fact.answer ?? null,
    })),
  run_ended(entries, fact) {
    if (fact.root_run_id && fact.root_run_id !== fact.run_id) return childEnded(entries, fact);
    const isShown = entries.some((e) => e.kind === 'message' && e.final && e.runId === fact.run_id && e.seq > lastEnd(entries));
    const settled = splitCodeError(entries, fact).map((e) => settle(e, fact));
    return add(settled, fact, 'ended', { outcome: fact.outcome, ...endOf(entries, fact.outcome), response: isShown ? null : fact.final_response ?? null });
  },
  // A pause may interrupt a step, which then is no longer running.
  status: (entries, fact) => (fact.status === 'paused' ? entries.map((e) => (isRunning(e, fact) ? { ...e, state: 'stopped' } : e)) : entries),
  error: (entries, fact) => add(entries, fact, 'error', { code: fact.code, message: fact.message ?? '' }),
};

const EVENTS = {
  user_message: (entries, fact, data) => (isOpening(entries, fact) ? entries : addUser(entries, fact, data.text ?? '')),
  observation(entries, fact, data) {
    if (isBlank(data.url)) return entries; // a new browser shows nothing
    if (isBroken(data.url)) return hasNavigationError(entries, fact.run_id) ? entries : add(entries, fact, 'observation', { url: '', title: data.title ?? '', broken: true });
    const last = entries.findLast((e) => e.kind === 'observation' && e.runId === fact.run_id);
    if (last && last.url === data.url && last.title === data.title) return entries;
    return add(entries, fact, 'observation', { url: data.url ?? '', title: data.title ?? '' });
  },
  thought(entries, fact, data) {
    const item = { type: data.type ?? 'OBSERVATION', content: data.content ?? '', step: data.step_ref ?? null, expects: data.expected_outcome ?? null, confidence: data.confidence ?? null };
    const last = entries.at(-1);
    if (last?.kind !== 'thoughts' || last.runId !== fact.run_id) {
      return add(entries, fact, 'thoughts', { items: [item] });
    }
    return [...entries.slice(0, -1), { ...last, items: [...last.items, item] }];
  },
  action_started: (entries, fact, data) =>
    addThought(entries, fact, 'action', {
      actionId: data.action_id, action: data.action, params: data.params ?? {}, target: data.target ?? null, state: 'running',
    }),
  action_finished(entries, fact, data) {
    const end = {
      state: data.ok ? 'ok' : 'failed',
      result: data.result ?? null,
      error: data.error ?? null,
      summaryTexts: data.summary_texts ?? null,
      tookMs: data.took_ms ?? null,
      dropped: data.dropped?.length ?? 0,
      files: data.files ?? [],
    };
    const refused = (e) => e.kind === 'policy' && e.runId === fact.run_id && e.actionId === data.action_id;
    if (data.error?.code === 'denied' && entries.some(refused)) {
      // The refusal of the rule is shown; the failed action needs no line of its own.
      return replaceLast(entries, refused, (e) => ({ ...e, reason: e.reason ?? data.error.message }));
    }
    // A background task reports its end itself.
    if (entries.some((e) => e.kind === 'task' && e.runId === fact.run_id && isActive(e.task.status) && isCall(e.task, data.action_id, data.action))) return entries;
    const running = (e) => isRunning(e, fact) && e.actionId === data.action_id;
    const place = entries.findLastIndex(running);
    if (place >= 0) return entries.with(place, { ...entries[place], ...end });
    const bare = { actionId: data.action_id, action: data.action, params: data.params ?? {}, target: data.target ?? null };
    return addThought(entries, fact, 'action', { ...bare, ...end });
  },
  effect: addSentRequest,
  policy(entries, fact, data) {
    // Allowed and questioned actions have entries of their own.
    if (data.decision !== 'deny') return entries;
    return add(entries, fact, 'policy', { actionId: data.action_id, decision: data.decision, rule: data.rule, risk: data.risk, effect: data.effect, reason: data.reason ?? null });
  },
  // The panel above the composer shows the plan; the entry only reports that it changed.
  plan(entries, fact, data) {
    const items = data.items ?? [];
    const texts = wordsOf(items);
    const last = entries.findLast((e) => e.kind === 'plan' && e.runId === fact.run_id);
    if (last ? last.texts === texts : items.length === 0) return entries;
    return add(entries, fact, 'plan', { texts, n: items.length, again: last !== undefined && last.n > 0 });
  },
  // The panel shows progress; the entry has title and result.
  task(entries, fact, data) {
    const key = `task:${data.task_id}`;
    const old = entries.find((e) => e.key === key);
    const task = reduceTasks(old ? { [data.task_id]: old.task } : noTasks, fact)[data.task_id];
    if (old?.task.status === task.status) return entries;
    const begun = old ? null : entries.findLast((e) => isRunning(e, fact) && isCall(task, e.actionId, e.action));
    const fields = { task, rootId: fact.root_run_id ?? fact.run_id, thoughts: (old ?? begun)?.thoughts ?? [] };
    return upsert(entries.filter((e) => e !== begun), fact, 'task', key, fields);
  },
  compacted: (entries, fact, data) => add(entries, fact, 'compacted', { n: data.entries ?? 0, summary: data.summary ?? '' }),
  budget: (entries, fact, data) => add(entries, fact, 'budget', { limit: data.limit ?? 'tokens', used: data.used ?? 0, most: data.most ?? 0, below: !!fact.root_run_id && fact.root_run_id !== fact.run_id }),
};

/** Adds an entry about the holder of the page; a later fact may change the last entry. */
export function addLeaseEntry(entries, fact, before, after) {
  if (after === before) return entries;
  if (after.holder !== (before?.holder ?? null)) {
    return after.ending === 'ended' ? entries : add(entries, fact, 'lease', { holder: after.holder, ending: after.ending });
  }
  const ending = after.ending === 'over' && fact.event === 'lease' && before?.ending === 'free' ? 'lost' : after.ending;
  return ending === 'back' || ending === 'lost' ? replaceLast(entries, (e) => e.kind === 'lease', (e) => ({ ...e, ending })) : entries;
}

/** Shows the person's message at once; its fact replaces it on arrival. */
export function addLocal(entries, { id, text, at, runId }) {
  return [...entries, { key: `local:${id}`, kind: 'user', runId, seq: 0, at, text, local: true }];
}

// Ends the entry of a child run, with the reason of a failure unless it was shown.
function childEnded(entries, fact) {
  const { agent } = entries.findLast((e) => e.kind === 'child' && e.runId === fact.run_id) ?? {};
  const isShown = entries.some((e) => e.kind === 'message' && e.final && e.runId === fact.run_id);
  const settled = splitCodeError(entries, fact).map((e) => settle(e, fact));
  return isBeside(entries, fact.run_id) ? settled : add(settled, fact, 'childended', { agent: agent ?? '', outcome: fact.outcome, response: isShown ? null : fact.final_response ?? null });
}

// The first message arrives twice: as the run's input, and right after that as a message.
const isOpening = (entries, fact) => entries.some((e) => e.opening && e.runId === fact.run_id && e.seq === fact.seq - 1 && e.text === fact.data?.text);

function addUser(entries, fact, text, opening = false) {
  const local = entries.findIndex((e) => e.local && isSame(e.text.trim(), text.trim()));
  const rest = local < 0 ? entries : entries.toSpliced(local, 1);
  return add(rest, fact, 'user', { text, ...(opening ? { opening } : {}) });
}

const MASK = '••••';

/** Reports whether a written text and its stored form are equal, apart from masked secrets. */
function isSame(written, stored) {
  if (!stored.includes(MASK)) return written === stored;
  let at = 0;
  const parts = stored.split(MASK);
  return written.startsWith(parts[0]) && written.endsWith(parts.at(-1)) && parts.every((part) => {
    const found = written.indexOf(part, at);
    at = found + part.length;
    return found >= 0;
  });
}

function add(entries, fact, kind, fields) {
  const key = `${kind}:${fact.seq ?? `x${entries.length}`}`;
  return [...entries, { ...fields, key, kind, runId: fact.run_id, seq: fact.seq ?? 0, at: fact.at }];
}

// Joins the preceding thought with its step into one entry.
function addThought(entries, fact, kind, fields) {
  const last = entries.at(-1);
  const own = last?.kind === 'thoughts' && last.runId === fact.run_id;
  return add(own ? entries.slice(0, -1) : entries, fact, kind, { ...fields, thoughts: own ? last.items : [] });
}

// Reports whether a task belongs to this call of an agent.
const isCall = (task, actionId, action) => task.actionId === actionId && task.agent === action;
const isBeside = (entries, runId) => entries.some((e) => e.kind === 'task' && e.task.childRunId === runId);

const isRunning = (entry, fact) => entry.kind === 'action' && entry.state === 'running' && entry.runId === fact.run_id;

function upsert(entries, fact, kind, key, fields) {
  const place = entries.findIndex((e) => e.key === key);
  const entry = { ...fields, key, kind, runId: fact.run_id, seq: fact.seq, at: fact.at };
  return place < 0 ? [...entries, entry] : entries.with(place, entry);
}

function replaceLast(entries, matches, change) {
  const place = entries.findLastIndex(matches);
  return place < 0 ? entries : entries.with(place, change(entries[place]));
}

const lastEnd = (entries) => entries.findLast((e) => e.kind === 'ended')?.seq ?? 0;

// Marks open entries of an ended run as stopped.
function settle(entry, fact) {
  if (entry.runId !== fact.run_id) return entry;
  if (isRunning(entry, fact)) return { ...entry, state: 'stopped' };
  if (entry.kind === 'task' && isActive(entry.task.status)) return { ...entry, task: { ...entry.task, status: 'cancelled' } };
  if (entry.kind === 'question' && entry.state === 'open') return { ...entry, state: 'resolved', by: 'stopped', answer: null };
  return entry;
}
