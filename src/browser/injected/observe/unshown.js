// Unshown lines: they stand on the page as before, and an observation leaves them out for lack of budget, below the fold of
// a long list, or behind a dialog. The comparison with an earlier observation must not call them gone.

const MOST_UNSHOWN = 2000;

/** Number of the observation that met an element below the viewport and had no room for it. */
const droppedAt = new WeakMap();
/** Lines without an element id that earlier observations have shown and the last one did not: {ref, key, look}. */
let unnumberedLines = [];

/** Returns {eids, lines} of what was shown before, is still there, and is left out now; `lines` are hashes of lines without ids. */
function unshownOf(page, folds) {
  const shown = new Set();
  const namesByElement = new Map();
  for (const line of page.lines) {
    if (line.shown) shown.add(line.el);
    else if (namesByElement.has(line.el)) namesByElement.get(line.el).add(line.name ?? null);
    else namesByElement.set(line.el, new Set([line.name ?? null]));
  }
  const isLeftOutNow = (el) => namesByElement.has(el) || droppedAt.get(el) === observationCount || isSkippedNow(el);
  const eids = [];
  for (const [eid, { ref }] of things) {
    const el = ref.deref();
    if (eids.length < MOST_UNSHOWN && isLive(el) && !shown.has(el) && eidByNode.get(el) === eid && isLeftOutNow(el)) eids.push(eid);
  }
  return { eids, lines: unshownLines(page, folds, namesByElement, isLeftOutNow) };
}

/** Returns the hashes of left out lines without an element id, and remembers those that are shown. */
function unshownLines(page, folds, namesByElement, isLeftOutNow) {
  const now = page.lines.filter((line) => line.shown && !hasNumber(line, folds) && line.name);
  const keys = new Map();
  for (const { el, role, name } of now) {
    if (!keys.has(el)) keys.set(el, new Set());
    keys.get(el).add(`${role} ${name}`);
  }
  const isStillText = (el, name) => !namesByElement.has(el) || [null, name].some((known) => namesByElement.get(el).has(known));
  const kept = unnumberedLines.filter(({ ref, key, name, look }) => {
    const el = ref.deref();
    return isLive(el) && look > observationCount - REMEMBERED_LOOKS && keys.get(el)?.has(key) !== true && isLeftOutNow(el) && isStillText(el, name);
  });
  const added = now.map(({ el, role, name }) => ({ ref: new WeakRef(el), key: `${role} ${name}`, name, look: observationCount }));
  unnumberedLines = [...kept, ...added].slice(-MOST_UNSHOWN);
  return kept.map(({ key }) => hashOfLine(key));
}

/** Reports whether this observation skipped the block of an element, or left it out behind a dialog. */
function isSkippedNow(el) {
  for (let node = el, steps = 0; node !== null && steps < 1000; node = drawnParent(node), steps++) {
    if (skippedAt.get(node) === observationCount) return true;
  }
  return false;
}

/** Hashes role and name of a line (FNV-1a over UTF-16); Rust does the same (`Line::unnumbered_hash`). */
function hashOfLine(key) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
