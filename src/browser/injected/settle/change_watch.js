// Changes of the page during a wait. What goes on changing without end (a clock, a ticker, an animation that a script
// drives) is told apart as noise.

/** Number of attribute changes after which an element counts as animated. */
const RESTLESS_CHANGES = 8;
/** Milliseconds for which an animation that a script drives is waited for. */
const SCRIPTED_ANIMATION = 1000;
const MOST_ADDED_ROOTS = 200;

/** Elements that went on changing until the end of a wait. */
const neverResting = new WeakSet();

class ChangeWatch {
  constructor() {
    this.began = performance.now();
    this.changes = 0;
    this.lastChange = this.began;
    /** Number of changes of elements that change without end. */
    this.noise = 0;
    /** Counts of changes by element: {count, last}. */
    this.counts = new Map();
    this.observer = new MutationObserver((records) => this.note(records));
    this.watched = new Set();
    for (const root of allRoots()) this.add(root);
  }

  add(root) {
    if (this.watched.has(root)) return;
    this.watched.add(root);
    this.observer.observe(root, EVERY_CHANGE);
  }

  /** Notes the changes that have not been delivered yet. */
  read() {
    this.note(this.observer.takeRecords());
  }

  note(records) {
    const now = performance.now();
    for (const record of records) {
      if (record.type === "childList") this.addInner(record.addedNodes);
      if (this.isRestless(record, now)) continue;
      this.changes++;
      this.lastChange = now;
    }
  }

  isRestless({ target, type }, now) {
    // An element that has gone since its change shows nothing of it.
    if (type !== "childList" && !isConnected(target)) return true;
    if (neverResting.has(target) || (type !== "childList" && isDrawnByRestless(target))) {
      this.noise++;
      return true;
    }
    const known = this.counts.get(target) ?? { count: 0, last: 0 };
    known.count++;
    known.last = now;
    this.counts.set(target, known);
    return type !== "childList" && known.count > RESTLESS_CHANGES && now - this.began >= SCRIPTED_ANIMATION;
  }

  addInner(nodes) {
    for (let i = 0; i < nodes.length && i < MOST_ADDED_ROOTS; i++) {
      if (nodeType(nodes[i]) !== 1) continue;
      const inner = shadowRootOf(nodes[i]) ?? innerDocument(nodes[i]);
      if (inner !== null) this.add(inner);
    }
  }

  /** Ends the watch, and remembers what did not rest. */
  stop() {
    this.observer.disconnect();
    const now = performance.now();
    if (now - this.began < SCRIPTED_ANIMATION) return;
    for (const [target, { count, last }] of this.counts) if (count > RESTLESS_CHANGES && now - last < RESTLESS_WAIT) neverResting.add(target);
  }
}

/** Reports whether an element is a short-lived part of one that never rests: snow, sparks, lines of a log. */
function isDrawnByRestless(target) {
  const parent = parentNode(target);
  return parent !== null && neverResting.has(parent) && parent !== bodyOf(ownerDocument(target));
}
