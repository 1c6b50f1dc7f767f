// `settle`: waits until the page is at rest (`rest.js`), and for what an action has evidently started: timers that it
// set, and signs of loading.

/** Milliseconds of an animation of the browser's that are waited for. */
const LONGEST_ANIMATION = 1500;
/** Milliseconds after the action within which a timer that it has set must be due. */
const TIMERS_WAIT = 400;
/** Milliseconds for which a sign of loading is waited for. */
const LOADING_WAIT = 1500;

/** Elements that were animated until the end of a wait, longer than any animation that is waited for: again and again. */
const alwaysAnimated = new WeakSet();

/** Action that is waited for: when it began, when the wait for it did, and the signs of loading from before. */
let awaited = { began: null, watchedSince: null, signs: new WeakSet() };

/** Notes the state of the page before an action. */
function beginWait() {
  awaited = { began: performance.now(), watchedSince: null, signs: loadingSigns() };
}

/** Resolves, once the page rests or the time is up, to {why, changes, ms}: the reason is that of `Rest`. */
async function settle({ quietMs = 100, maxMs = 2000 } = {}) {
  const began = performance.now();
  const watch = new ChangeWatch();
  awaited.watchedSince ??= began;
  let rest = new Rest({ quietMs, maxMs });
  while (rest.why === null) {
    await nextFrame();
    rest = rest.after(readFrame(watch, began));
  }
  watch.stop();
  if (rest.why === "animating" && maxMs >= LONGEST_ANIMATION) noteAlwaysAnimated();
  // A sign that stays is not waited for again.
  if (rest.why === "loading" || rest.why === "busy") awaited.signs = loadingSigns();
  // The next observation asks for its picture before it walks the page, so it must know what changed in between.
  watchForChanges();
  return { why: rest.why, changes: watch.changes, ms: Math.round(performance.now() - began) };
}

/** Reads what `Rest` goes by in this frame. */
function readFrame(watch, began) {
  watch.read();
  const now = performance.now();
  let coming;
  return {
    spent: now - began,
    sinceChange: now - watch.lastChange,
    changes: watch.changes,
    noise: watch.noise,
    moves: isMoving(),
    pending: () => (coming === undefined ? (coming = stillToCome(now)) : coming),
  };
}

/** Returns what is still to come of the action: "timer", "loading", "stuck" if it loads for too long, or null. */
function stillToCome(now) {
  // An action that began during this wait.
  awaited.watchedSince ??= now;
  const spent = now - awaited.watchedSince;
  if (awaited.began !== null && spent < TIMERS_WAIT + TWO_FRAMES && hasTimer(awaited.began, awaited.watchedSince + TIMERS_WAIT)) return "timer";
  if (loadingSign(awaited.signs) === null) return null;
  return spent < LOADING_WAIT ? "loading" : "stuck";
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

function noteAlwaysAnimated() {
  for (const animation of runningAnimations()) if (willEnd(animation)) alwaysAnimated.add(animation.effect.target);
}

/** Yields the animations of documents and of shadow roots, whose own a document does not list. */
function* runningAnimations() {
  for (const root of allRoots()) yield* root.getAnimations();
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
