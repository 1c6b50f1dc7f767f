// Recent positions of secret fields. A page may move them with every animation frame, and a picture shows some frame
// between two queries; so for a while after a query they are tracked in every frame.

const FOLLOWED_FOR_MS = 1000;
const LATELY_MS = 600;
/** Milliseconds for which a removed field may still appear in a picture. */
const GONE_MS = 150;
/** Distance in CSS pixels; a field that moves further between two animation frames may be anywhere. */
const LEAP = 200;
const EVERYWHERE = [-1e6, -1e6, 2e6, 2e6];
/** Milliseconds; a page whose search takes longer several times in a row, having many fields, is not tracked. */
const LONGEST_SEARCH = 5;
const MOST_SLOW_SEARCHES = 3;
/**
 * Number of animation frames after which a picture shows nothing older than the first of them: the compositor is at most
 * this far behind, one frame further than in `FRAMES_UNTIL_ROUTED`, which is the usual. Without animation frames, the
 * milliseconds after which that is assumed.
 */
const FRAMES_UNTIL_PICTURED = 4;
const UNTIL_PICTURED_MS = 1000;

/** Samples of boxes over time. Samples of equal length are taken for the same fields. */
class Trail {
  constructor() {
    this.samples = [];
  }

  note(boxes) {
    const now = performance.now();
    this.samples = this.samples.filter((sample) => now - sample.at < LATELY_MS);
    const last = this.samples[this.samples.length - 1];
    if (last !== undefined && String(last.boxes) === String(boxes)) last.at = now;
    else this.samples.push({ at: now, boxes });
  }

  /** Returns each box extended by all its recent positions, followed by the boxes that have disappeared since. */
  lately() {
    const { at: now, boxes } = this.samples[this.samples.length - 1];
    const whole = [...boxes];
    const gone = [];
    const byCount = new Map();
    for (const sample of this.samples) {
      const count = sample.boxes.length;
      if (hasLeapt(byCount.get(count), sample.boxes)) return boxes.length === 0 ? [EVERYWHERE] : boxes.map(() => EVERYWHERE);
      byCount.set(count, sample.boxes);
      if (count === boxes.length) sample.boxes.forEach((box, i) => (whole[i] = boxOfBoth(whole[i], box)));
      else if (now - sample.at < GONE_MS) gone.push(...sample.boxes);
    }
    return [...whole, ...gone.slice(0, MOST_BOXES)];
  }
}

function hasLeapt(before, boxes) {
  const far = (a, b) => Math.abs(a[0] - b[0]) > LEAP || Math.abs(a[1] - b[1]) > LEAP;
  return before !== undefined && boxes.some((box, i) => far(before[i], box));
}

const fieldTrail = new Trail();
/** Trails of frames. */
const frameTrails = new WeakMap();
let followUntil = 0;
let isFollowing = false;
let followedSince = 0;
let framesFollowed = 0;
let slowSearches = 0;

/**
 * True once a frame that the script cannot read is known to hold secret fields. Frames without any are not tracked: a
 * pending animation frame delays Chromium's screenshots by a frame.
 */
let framesHoldSecrets = false;

/** Records the positions of all fields and frames in this animation frame. */
function noteSecrets(roots) {
  const boxes = secretBoxes(roots);
  const frames = unreadFrames(roots);
  fieldTrail.note(boxes);
  for (const frame of frames) {
    if (!frameTrails.has(frame)) frameTrails.set(frame, new Trail());
    frameTrails.get(frame).note([boxInMain(frame, rectOf(frame))]);
  }
  return { frames, some: boxes.length > 0 || (framesHoldSecrets && frames.length > 0) };
}

/** Returns the transform of a frame; for one that moved recently, a box that covers all its positions. */
function placeLately(frame) {
  const place = placeIn(frame);
  const [whole] = frameTrails.get(frame).lately();
  return String(whole) === String(place.whole) ? place : { ...place, turned: true, whole };
}

function follow() {
  followUntil = performance.now() + FOLLOWED_FOR_MS;
  if (isFollowing) return;
  isFollowing = true;
  followedSince = performance.now();
  [framesFollowed, slowSearches] = [0, 0];
  requestAnimationFrame(followed);
}

function followed() {
  const began = performance.now();
  isFollowing = began < followUntil;
  if (!isFollowing) return;
  framesFollowed++;
  requestAnimationFrame(followed);
  if (lastSearch === null || slowSearches >= MOST_SLOW_SEARCHES) return;
  try {
    noteSecrets(lastSearch.all);
  } catch {
    // The next query reports the current state.
  }
  slowSearches = performance.now() - began < LONGEST_SEARCH ? 0 : slowSearches + 1;
}

/** Reports whether the display shows nothing older than the beginning of the tracking. */
const isDisplayed = () => isFollowing && (framesFollowed >= FRAMES_UNTIL_PICTURED || performance.now() - followedSince > UNTIL_PICTURED_MS);
