// Where secret fields were lately. A page may put them elsewhere with each frame, and a picture is of some frame between
// two questions: so for a while after a question they are looked for in each frame.

const FOLLOWED_FOR_MS = 1000;
const LATELY_MS = 600;
/** What is not there any more may be in a picture that was taken just before. */
const GONE_MS = 150;
/** What goes further from one frame to the next may be anywhere. */
const LEAP = 200;
const EVERYWHERE = [-1e6, -1e6, 2e6, 2e6];
/** A page in which it takes longer, having so many fields, is not followed. */
const LONGEST_SEARCH = 5;

/** Boxes by the time; as many as before are the same ones. */
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

  /** Each box with all that it went through, and at the end what is gone since. */
  lately() {
    const { at: now, boxes } = this.samples[this.samples.length - 1];
    const whole = [...boxes];
    const gone = [];
    const byCount = new Map();
    for (const sample of this.samples) {
      const count = sample.boxes.length;
      if (leaps(byCount.get(count), sample.boxes)) return boxes.length === 0 ? [EVERYWHERE] : boxes.map(() => EVERYWHERE);
      byCount.set(count, sample.boxes);
      if (count === boxes.length) sample.boxes.forEach((box, i) => (whole[i] = boxOfBoth(whole[i], box)));
      else if (now - sample.at < GONE_MS) gone.push(...sample.boxes);
    }
    return [...whole, ...gone.slice(0, MOST_BOXES)];
  }
}

function leaps(before, boxes) {
  const far = (a, b) => Math.abs(a[0] - b[0]) > LEAP || Math.abs(a[1] - b[1]) > LEAP;
  return before !== undefined && boxes.some((box, i) => far(before[i], box));
}

const fieldTrail = new Trail();
/** frame → its trail */
const frameTrails = new WeakMap();
let followUntil = 0;
let isFollowing = false;

/** Notes where all are, in this frame. */
function noteSecrets(roots) {
  const boxes = secretBoxes(roots);
  const frames = unreadFrames(roots);
  fieldTrail.note(boxes);
  for (const frame of frames) {
    if (!frameTrails.has(frame)) frameTrails.set(frame, new Trail());
    frameTrails.get(frame).note([boxInMain(frame, rectOf(frame))]);
  }
  return { frames, some: boxes.length > 0 || frames.length > 0 };
}

/** The place of a frame; of one that moved lately all that it lay in. */
function placeLately(frame) {
  const place = placeIn(frame);
  const [whole] = frameTrails.get(frame).lately();
  return String(whole) === String(place.whole) ? place : { ...place, turned: true, whole };
}

function follow() {
  followUntil = performance.now() + FOLLOWED_FOR_MS;
  if (isFollowing) return;
  isFollowing = true;
  requestAnimationFrame(followed);
}

function followed() {
  const began = performance.now();
  isFollowing = began < followUntil && lastSearch !== null;
  if (!isFollowing) return;
  try {
    noteSecrets(lastSearch.all);
  } catch {
    // the next question finds what there is
  }
  isFollowing = performance.now() - began < LONGEST_SEARCH;
  if (isFollowing) requestAnimationFrame(followed);
}
