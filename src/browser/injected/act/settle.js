// `quiet`: waits until the page is still. A still page needs two animation frames without a change; a page that
// changed must be unchanged for `quietMs`; the wait ends after `maxMs` in any case. What an action has evidently
// started is waited for too: timers that it set, and signs of loading.

/** Number of attribute changes after which an element counts as animated. */
const RESTLESS = 8;
const LONGEST_ANIMATION = 1500;
/** Milliseconds for which an animation that a script drives is waited for. */
const SCRIPTED_ANIMATION = 1000;
/** Milliseconds for which a page is watched that is known never to rest. */
const RESTLESS_WAIT = 300;
/** Milliseconds after the action within which a timer that it has set must be due. */
const TIMERS_WAIT = 400;
/** Milliseconds for which a sign of loading is waited for. */
const LOADING_WAIT = 1500;

/**
 * Number of animation frames without a change that must have been drawn: a machine too busy to draw shows no change
 * either.
 */
const CALM_FRAMES = 3;

/** Milliseconds that two animation frames stand for at least; they can follow each other at once. */
const TWO_FRAMES = 16;

/** Elements that went on changing until the end of a wait. */
const neverResting = new WeakSet();
/** Elements that were animated until the end of a wait, longer than any animation that is waited for: again and again. */
const alwaysAnimated = new WeakSet();

/** The action waited for: when it began, when the wait for it did, and the signs of loading from before. */
let awaited = { began: null, watchedSince: null, signs: new WeakSet() };

/** Notes the state of the page before an action. */
function beginWait() {
  awaited = { began: performance.now(), watchedSince: null, signs: loadingSigns() };
}

/** Returns why more is to come of the action: "timer", "loading", or null. */
function stillToCome(now) {
  awaited.watchedSince ??= now;
  const spent = now - awaited.watchedSince;
  if (awaited.began !== null && spent < TIMERS_WAIT + TWO_FRAMES && hasTimer(awaited.began, awaited.watchedSince + TIMERS_WAIT)) return "timer";
  return loadingSign(awaited.signs) === null ? null : "loading";
}

/** Reports whether a timer that was set after `began` is due by `due`; the wrapper in the page's own world knows. */
function hasTimer(began, due) {
  for (const root of allRoots()) {
    if (nodeType(root) !== 9) continue;
    const question = new WheelEvent(TIMERS, { deltaX: performance.timeOrigin + began, deltaY: performance.timeOrigin + due, cancelable: true });
    if (!root.dispatchEvent(question)) return true;
  }
  return false;
}

function quiet({ quietMs = 100, maxMs = 2000 } = {}) {
  const began = performance.now();
  const watch = new Watch();
  awaited.watchedSince ??= began;
  return new Promise((resolve) => {
    let frames = 0;
    let calm = 0;
    let known = 0;
    /** True while a timer or a sign of loading is waited for. */
    let expects = false;
    /** True once what was waited for has changed the page. */
    let arrived = false;
    const finish = (why) => {
      watch.stop();
      // A sign that stays is not waited for again.
      if (why === "loading" || why === "busy") awaited.signs = loadingSigns();
      // The next observation asks for its picture before it walks the page, so it must know what changed in between.
      watchForChanges();
      resolve({ why, changes: watch.changes, ms: Math.round(performance.now() - began) });
    };
    const frame = () => {
      frames++;
      watch.read();
      calm = watch.changes === known ? calm + 1 : 0;
      known = watch.changes;
      const now = performance.now();
      noteArrival(now);
      const moving = isMoving();
      if (now - began >= maxMs) {
        if (moving && maxMs >= LONGEST_ANIMATION) noteAlwaysAnimated();
        finish(moving ? "animating" : loadingSign(awaited.signs) === null ? "busy" : "loading");
      }
      else if (moving || !hasRested(now)) nextFrame().then(frame);
      else finishUnless(stillToCome(now), now);
    };
    // Notes that what was waited for has come: two frames without a further change show that it is all.
    const noteArrival = (now) => {
      if (!expects || watch.changes === 0 || stillToCome(now) !== null) return;
      expects = false;
      arrived = true;
      watch.changes = known = 0;
      frames = 1;
    };
    const hasRested = (now) => {
      if (watch.noise > 0 && now - began < Math.min(RESTLESS_WAIT, maxMs)) return false;
      if (watch.changes === 0) return frames >= 2 && now - began >= Math.min(TWO_FRAMES, maxMs);
      return calm >= CALM_FRAMES && now - watch.lastChange >= quietMs;
    };
    const finishUnless = (coming, now) => {
      if (coming === "loading" && now - awaited.watchedSince >= LOADING_WAIT) finish("loading");
      else if (coming === null) finish(watch.noise > 0 ? "busy" : watch.changes === 0 && !arrived ? "still" : "quiet");
      else {
        expects = true;
        frames = 0;
        nextFrame().then(frame);
      }
    };
    nextFrame().then(frame);
  });
}

class Watch {
  constructor() {
    this.began = performance.now();
    this.changes = 0;
    this.lastChange = this.began;
    /** Number of changes of what never rests. */
    this.noise = 0;
    this.restless = new Map();
    this.observer = new MutationObserver((records) => this.hear(records));
    this.watched = new Set();
    for (const root of allRoots()) this.add(root);
  }

  add(root) {
    if (this.watched.has(root)) return;
    this.watched.add(root);
    this.observer.observe(root, EVERY_CHANGE);
  }

  read() {
    this.hear(this.observer.takeRecords());
  }

  hear(records) {
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
    const known = this.restless.get(target) ?? { count: 0, last: 0 };
    known.count++;
    known.last = now;
    this.restless.set(target, known);
    return type !== "childList" && known.count > RESTLESS && now - this.began >= SCRIPTED_ANIMATION;
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
    const now = performance.now();
    if (now - this.began < SCRIPTED_ANIMATION) return;
    for (const [target, { count, last }] of this.restless) if (count > RESTLESS && now - last < RESTLESS_WAIT) neverResting.add(target);
  }
}

/** Reports whether an element is a short-lived part of one that never rests: snow, sparks, lines of a log. */
function isDrawnByRestless(target) {
  const parent = parentNode(target);
  return parent !== null && neverResting.has(parent) && parent !== bodyOf(ownerDocument(target));
}

function noteAlwaysAnimated() {
  for (const animation of runningAnimations()) if (willEnd(animation)) alwaysAnimated.add(animation.effect.target);
}

function* runningAnimations() {
  for (const root of allRoots()) if (nodeType(root) === 9) yield* root.getAnimations();
}

/** Reports whether a finite transition or animation is running, such as a dialog that fades in. */
function isMoving() {
  try {
    for (const animation of runningAnimations()) if (willEnd(animation)) return true;
  } catch {
    // Animations cannot be read: there is nothing to wait for.
  }
  return false;
}

function willEnd(animation) {
  if (animation.playState !== "running" || animation.effect === null || alwaysAnimated.has(animation.effect.target)) return false;
  const end = animation.effect.getComputedTiming().endTime;
  const now = animation.currentTime;
  return typeof end === "number" && end < 1e7 && typeof now === "number" && end - now < LONGEST_ANIMATION && end - now > 0;
}
