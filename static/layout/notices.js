// What is said at the top of the page: faults, which stay until they are put away,
// and hints.

const MOST = 3;

/** How long a hint stays; the one about a second press of Escape says that within this time it is meant. */
export const HINT_MS = 3000;

/** The list with one more; what is said already is said anew, not twice. */
export function noticed(notices, notice, id = performance.now()) {
  const others = notices.filter((one) => one.title !== notice.title || one.advice !== notice.advice);
  return [...others, { ...notice, id }].slice(-MOST);
}

/** What was hinted at has been done. */
export const hushed = (notices) => notices.filter(({ kind }) => kind !== 'hint');
