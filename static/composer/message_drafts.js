// Drafts of messages by task. The key is the root id of the task, or `new-1`, `new-2`, … until it has started.
//
//   draft: { key, words, sent, files: [{ key, file, id, state, error, ordered }], model, state }
//   state: writing ──> sending ──> starting     `sending`: uploads files; `starting`: new tasks only
//
// `sent` is the text under way; text written meanwhile is in `words`, for the same task.

const NO_FILES = Object.freeze([]);

export const noDrafts = Object.freeze({ count: 1, fresh: Object.freeze(['new-1']), begun: Object.freeze({}), byKey: Object.freeze({}) });

const blank = (key) => ({ key, words: '', sent: '', files: NO_FILES, model: null, state: 'writing' });

/** Returns the key of the new task being written. */
export const freshKey = ({ fresh }) => fresh.at(-1);

export const isNew = (drafts, key) => drafts.fresh.includes(key);

/** Returns the draft of a task, also by the key from before its start. */
export function draftOf(drafts, key) {
  const own = drafts.begun[key] ?? key;
  return drafts.byKey[own] ?? blank(own);
}

function put(drafts, key, fields) {
  const draft = draftOf(drafts, key);
  return { ...drafts, byKey: { ...drafts.byKey, [draft.key]: { ...draft, ...fields } } };
}

const joined = (...texts) => texts.filter((text) => text.trim()).join('\n');

const isBlank = ({ words, files, state }) => !words.trim() && files.length === 0 && state === 'writing';

export const withWords = (drafts, key, words) => put(drafts, key, { words });

export const withModel = (drafts, key, model) => put(drafts, key, { model });

/** Removes the model of every draft. */
export const withoutModels = (drafts) => ({ ...drafts, byKey: Object.fromEntries(Object.entries(drafts.byKey).map(([key, draft]) => [key, { ...draft, model: null }])) });

// ------------------------------------------------------------------ files

export const withFiles = (drafts, key, entries) => put(drafts, key, { files: [...draftOf(drafts, key).files, ...entries] });

/** Returns the entry of a file, whichever draft it is in now. */
export const fileOf = (drafts, file) => Object.values(drafts.byKey).flatMap(({ files }) => files).find(({ key }) => key === file) ?? null;

const filesOf = (drafts, file, change) => {
  const draft = Object.values(drafts.byKey).find(({ files }) => files.some(({ key }) => key === file));
  return draft ? put(drafts, draft.key, { files: change(draft.files) }) : drafts;
};

export const withFile = (drafts, file, fields) => filesOf(drafts, file, (files) => files.map((entry) => (entry.key === file ? { ...entry, ...fields } : entry)));

export const withoutFile = (drafts, file) => filesOf(drafts, file, (files) => files.filter(({ key }) => key !== file));

// ------------------------------------------------------------ sending

/** Moves the text to `sent`; returns the same drafts without text, or while another one is under way. */
export function markSending(drafts, key) {
  const { words, state } = draftOf(drafts, key);
  return state === 'writing' && words.trim() ? put(drafts, key, { words: '', sent: words.trim(), state: 'sending' }) : drafts;
}

/** Marks the new task as starting, with the files that it has now. */
export const markStarting = (drafts, key) => put(drafts, key, { state: 'starting', files: draftOf(drafts, key).files.map((entry) => ({ ...entry, ordered: Boolean(entry.id) })) });

/** Marks the message as received by the task. */
export const markReceived = (drafts, key) => put(drafts, key, { sent: '', state: 'writing' });

/** Moves the draft of a started task to `rootId`, with all that was added meanwhile. */
export function moveToTask(drafts, key, rootId) {
  const { words, files } = draftOf(drafts, key);
  const { [key]: _, ...byKey } = drafts.byKey;
  const rest = drafts.fresh.filter((one) => one !== key);
  const count = rest.length ? drafts.count : drafts.count + 1;
  const next = { count, fresh: rest.length ? rest : [`new-${count}`], begun: { ...drafts.begun, [key]: rootId }, byKey };
  const own = draftOf(next, rootId);
  const late = files.filter((entry) => !entry.ordered);
  return put(next, rootId, { words: joined(own.words, words), files: late.length ? [...own.files, ...late] : own.files });
}

/** Puts an unsent text back, before the text written meanwhile. */
export function returnText(drafts, key) {
  const { words, sent, files } = draftOf(drafts, key);
  const back = put(drafts, key, { words: joined(sent, words), sent: '', state: 'writing', files: files.map((entry) => ({ ...entry, ordered: false })) });
  return dropBlankDrafts(back);
}

/** Adds another new task with this text, besides one being written. */
export function addNewDraft(drafts, words) {
  const top = freshKey(drafts);
  if (isBlank(draftOf(drafts, top))) return withWords(drafts, top, words);
  const count = drafts.count + 1;
  return withWords({ ...drafts, count, fresh: [...drafts.fresh, `new-${count}`] }, `new-${count}`, words);
}

/** Drops an empty new task if another one is not empty. */
export function dropBlankDrafts(drafts) {
  let { fresh } = drafts;
  while (fresh.length > 1 && isBlank(draftOf(drafts, fresh.at(-1)))) fresh = fresh.slice(0, -1);
  return fresh === drafts.fresh ? drafts : { ...drafts, fresh };
}

/** Returns all unsent texts, for storage while the page is left: [[root id or null, text]]. */
export function unsentTexts(drafts) {
  const all = Object.values(drafts.byKey).map(({ key, sent, words }) => [isNew(drafts, key) ? null : key, joined(sent, words)]);
  return all.filter(([, words]) => words);
}

/** Restores the texts that `unsentTexts` returned. */
export function restoreTexts(drafts, all) {
  return all.reduce((so, [key, words]) => (key === null ? addNewDraft(so, words) : withWords(so, key, joined(draftOf(so, key).words, words))), drafts);
}
