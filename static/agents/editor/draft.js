// Drafts of agents in the browser's storage: their format, and the choice between draft and file on opening.
//
//   base: version of the file (its ETag) that the draft was started from; null: no file

const VERSION = 1;

export function toDraft({ base, doc }, at) {
  return JSON.stringify({ version: VERSION, base, doc, at });
}

/** Parses a stored draft; null if it cannot be read. */
export function fromDraft(text) {
  try {
    const draft = JSON.parse(text);
    const fits = draft?.version === VERSION && (draft.doc?.spec || typeof draft.doc?.yaml === 'string');
    return fits ? draft : null;
  } catch {
    return null;
  }
}

/**
 * Compares a draft with the version of the file:
 *   none      no draft
 *   restored  the file is unchanged
 *   changed   the file was saved by somebody else since
 *   gone      the file was deleted since
 *   fresh     the agent has never been saved
 */
export function compareDraft(draft, etag) {
  if (!draft) return 'none';
  if (etag === null) return draft.base === null ? 'fresh' : 'gone';
  return draft.base === etag ? 'restored' : 'changed';
}
