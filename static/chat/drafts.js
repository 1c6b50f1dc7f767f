// Drafts: messages while the model writes them. A draft stays where it is until the message takes its place, so that
// nobody who reads it is interrupted.
//
// Draft: entry of kind 'message' with `draft`: 'writing', 'paused' or 'stopped'. The entry 'writing' before it tells
// which; thoughts of the same turn take the place of that entry.

// Facts after which the model writes no message, or another one.
const ENDS = new Set(['agent_question', 'agent_message', 'error', 'action_started', 'user_message', 'run_ended']);

const isOpen = (entry, runId) => (entry.draft === 'writing' || entry.draft === 'paused') && entry.runId === runId;
const isHead = (entry, draft) => entry.kind === 'writing' && entry.of === draft.key;

/** Reports whether one of the entries is being written now. */
export const isWriting = (entries) => entries.some(({ draft }) => draft === 'writing');

/** Shows a message as far as the model has written it. */
export function addDraft(entries, { run_id: runId, text, html }) {
  const place = entries.findIndex((entry) => isOpen(entry, runId));
  const drafts = entries.filter(({ key }) => key.startsWith('draft:')).length;
  const before = entries[place] ?? { key: `draft:${runId}:${drafts}`, kind: 'message', runId, seq: 0, at: entries.at(-1)?.at ?? null, final: false };
  const draft = { ...before, draft: 'writing', text, html: html ?? null };
  const [rest, at] = place < 0 ? [entries, entries.length] : without(entries, before);
  return insert(rest, at, draft);
}

/** Applies a fact by `step` to the entries beside an open draft of its run, and says what becomes of the draft. */
export function reduceBesideDraft(entries, fact, step) {
  const draft = entries.find((entry) => isOpen(entry, fact.run_id));
  if (!draft) return step(entries);
  const [rest, place] = without(entries, draft);
  const next = step(rest);
  const name = fact.event ?? fact.type;
  // The message keeps the key of its draft, and with it the node that shows it.
  if (name === 'agent_message' && continues(draft, fact)) return [...next.slice(0, -1), { ...next.at(-1), key: draft.key }];
  // The last word is another one: the person stopped it, or the model cannot be reached.
  if ((name === 'agent_message' && fact.final) || (name === 'run_ended' && fact.outcome === 'cancelled')) return insert(next, place, { ...draft, draft: 'stopped' });
  if (ENDS.has(name)) return next;
  const isPause = name === 'status' && fact.status === 'paused';
  if (next === rest && !isPause) return entries;
  return insert(next, place === rest.length ? next.length : place, isPause ? { ...draft, draft: 'paused' } : draft);
}

// Messages of the service about the model, such as that it is asked again, are not what was being written.
const continues = ({ text }, fact) => (fact.text ?? '').trimStart().startsWith(text.trimStart().slice(0, 20));

/** Returns the entries without the draft and its head, and the place where they stood. */
function without(entries, draft) {
  const rest = entries.filter((entry) => entry !== draft && !isHead(entry, draft));
  const first = entries.findIndex((entry) => entry === draft || isHead(entry, draft));
  return [rest, first];
}

function insert(entries, place, draft) {
  const before = entries[place - 1];
  const isTold = draft.draft === 'writing' && before?.kind === 'thoughts' && before.runId === draft.runId;
  const head = { key: `writing:${draft.key}`, kind: 'writing', of: draft.key, runId: draft.runId, seq: 0, at: null, state: draft.draft };
  return entries.toSpliced(place, 0, ...(isTold ? [draft] : [head, draft]));
}

// Elements that a text ends within.
const BLOCKS = new Set(['UL', 'OL', 'LI', 'P', 'BLOCKQUOTE', 'TABLE', 'THEAD', 'TBODY', 'TR', 'TD', 'TH', 'PRE', 'CODE', 'DIV', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6']);

/** Puts a mark where the text of this node ends. */
export function markEnd(node, mark) {
  let last = node;
  for (let inner = last.lastElementChild; inner && BLOCKS.has(inner.nodeName) && inner === lastPart(last); inner = last.lastElementChild) last = inner;
  last.append(mark);
}

/** Returns the last node that shows something: line breaks follow the blocks of a text. */
function lastPart({ childNodes }) {
  return [...childNodes].findLast((node) => node.nodeType !== 3 || node.data.trim() !== '');
}
