// List of notices: errors, which stay until they are dismissed, and hints.

const MOST = 3;

/** Milliseconds for which a hint is shown; a second press of Escape stops the run within this time. */
export const HINT_MS = 3000;

/** Adds a notice; an equal one is replaced instead of repeated. */
export function addNotice(notices, notice, id = performance.now()) {
  const others = notices.filter((one) => one.title !== notice.title || one.advice !== notice.advice);
  return [...others, { ...notice, id }].slice(-MOST);
}

/** Removes all hints. */
export const withoutHints = (notices) => notices.filter(({ kind }) => kind !== 'hint');
