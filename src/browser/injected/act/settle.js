// `quiet`: waits until the page is still. A still page needs two animation frames without a change; a page that
// changed must be unchanged for `quietMs`; the wait ends after `maxMs` in any case.

/** Number of attribute changes after which an element counts as animated. */
const RESTLESS = 8;
const LONGEST_ANIMATION = 1500;

/**
 * Number of animation frames without a change that must have been drawn: a machine too busy to draw shows no change
 * either.
 */
const CALM_FRAMES = 3;

/** Milliseconds that two animation frames stand for at least; they can follow each other at once. */
const TWO_FRAMES = 16;

function quiet({ quietMs = 100, maxMs = 2000 } = {}) {
  const began = performance.now();
  const watch = new Watch();
  return new Promise((resolve) => {
    let frames = 0;
    let calm = 0;
    let known = 0;
    const finish = (why) => {
      watch.stop();
      resolve({ why, changes: watch.changes, ms: Math.round(performance.now() - began) });
    };
    const frame = () => {
      frames++;
      watch.read();
      calm = watch.changes === known ? calm + 1 : 0;
      known = watch.changes;
      const now = performance.now();
      const moving = isMoving();
      if (now - began >= maxMs) finish(moving ? "animating" : "busy");
      else if (moving) nextFrame().then(frame);
      else if (watch.changes === 0 && frames >= 2 && now - began >= Math.min(TWO_FRAMES, maxMs)) finish("still");
      else if (watch.changes > 0 && calm >= CALM_FRAMES && now - watch.lastChange >= quietMs) finish("quiet");
      else nextFrame().then(frame);
    };
    nextFrame().then(frame);
  });
}

class Watch {
  constructor() {
    this.changes = 0;
    this.lastChange = performance.now();
    this.restless = new Map();
    this.observer = new MutationObserver((records) => this.hear(records));
    this.watched = new Set();
    for (const root of allRoots()) this.add(root);
  }

  add(root) {
    if (this.watched.has(root)) return;
    this.watched.add(root);
    this.observer.observe(root, { childList: true, characterData: true, attributes: true, subtree: true });
  }

  read() {
    this.hear(this.observer.takeRecords());
  }

  hear(records) {
    for (const record of records) {
      if (record.type === "childList") this.addInner(record.addedNodes);
      if (record.type !== "childList" && this.isRestless(record.target)) continue;
      this.changes++;
      this.lastChange = performance.now();
    }
  }

  isRestless(node) {
    const count = (this.restless.get(node) ?? 0) + 1;
    this.restless.set(node, count);
    return count > RESTLESS;
  }

  addInner(nodes) {
    for (let i = 0; i < nodes.length && i < 200; i++) {
      if (nodeType(nodes[i]) !== 1) continue;
      const inner = shadowRootOf(nodes[i]) ?? innerDocument(nodes[i]);
      if (inner !== null) this.add(inner);
    }
  }

  stop() {
    this.observer.disconnect();
  }
}

/** Reports whether a finite transition or animation is running, such as a dialog that fades in. */
function isMoving() {
  try {
    for (const root of allRoots()) {
      if (nodeType(root) !== 9) continue;
      for (const animation of root.getAnimations()) if (willEnd(animation)) return true;
    }
  } catch {
    // Animations cannot be read: there is nothing to wait for.
  }
  return false;
}

function willEnd(animation) {
  if (animation.playState !== "running" || animation.effect === null) return false;
  const end = animation.effect.getComputedTiming().endTime;
  const now = animation.currentTime;
  return typeof end === "number" && end < 1e7 && typeof now === "number" && end - now < LONGEST_ANIMATION && end - now > 0;
}
