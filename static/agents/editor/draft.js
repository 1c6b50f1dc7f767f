// Work that is not saved: what is kept of it in the browser, and what becomes of it
// when the agent is opened again.
//
//   base: the version of the file (its ETag) that the work began with; null: there was none

const VERSION = 1;

export function toDraft({ base, doc }, at) {
  return JSON.stringify({ version: VERSION, base, doc, at });
}

/** A draft as it was kept, or null: what cannot be read is as good as none. */
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
 * What to show of a draft and a file:
 *   none      there is no draft
 *   restored  the file is the one that the draft began with
 *   changed   the file was saved by someone else since
 *   gone      the file was deleted since
 *   fresh     there is no file yet and never was
 */
export function meeting(draft, etag) {
  if (!draft) return 'none';
  if (etag === null) return draft.base === null ? 'fresh' : 'gone';
  return draft.base === etag ? 'restored' : 'changed';
}
