// Transforms from frames to the documents around them. A frame may be moved, scaled and zoomed; for one that is
// rotated, skewed or mirrored, only its bounding box is known.

const AS_IT_IS = { x: 0, y: 0, sx: 1, sy: 1, turned: false };
/** Smaller differences come from rounding. */
const ROUNDED = 0.001;

/** Returns the origin of a frame's viewport in the viewport of the surrounding document, and the scale. */
function frameOrigin(el) {
  const rect = rectOf(el);
  const style = styleOf(el);
  const edge = (side) => (parseFloat(style[`border${side}Width`]) || 0) + (parseFloat(style[`padding${side}`]) || 0);
  const [left, top] = [edge("Left"), edge("Top")];
  const sx = scaleOf(rect.width, style, style.width, left + edge("Right"), el.offsetWidth);
  const sy = scaleOf(rect.height, style, style.height, top + edge("Bottom"), el.offsetHeight);
  return { x: rect.left + left * sx, y: rect.top + top * sy, sx, sy, turned: isTurned(el) };
}

/** Returns the scale at which a length is drawn: the computed style does not include transforms and zoom. */
function scaleOf(drawn, style, length, edges, rounded) {
  const own = parseFloat(length);
  const whole = !Number.isFinite(own) ? rounded : style.boxSizing === "border-box" ? own : own + edges;
  const scale = whole > 0 && drawn > 0 ? drawn / whole : 1;
  return Math.abs(scale - 1) < ROUNDED ? 1 : scale;
}

/** Result of `isTurned` per frame, with its time: an observation needs it for every element. */
const turnedAt = new WeakMap();
const TURNED_FOR_MS = 10;

/** Reports whether a frame or an ancestor has a transform other than moving and scaling. */
function isTurned(el) {
  const known = turnedAt.get(el);
  const now = performance.now();
  if (known !== undefined && now - known.at < TURNED_FOR_MS) return known.turned;
  const turned = hasTurnedAncestor(el);
  turnedAt.set(el, { turned, at: now });
  return turned;
}

function hasTurnedAncestor(el) {
  const doc = ownerDocument(el);
  for (let node = el, steps = 0; node !== null && ownerDocument(node) === doc && steps < 1000; node = drawnParent(node), steps++) {
    const style = styleOf(node);
    if (style.transform !== "none" && !isUpright(style.transform)) return true;
    if ((style.rotate || "none") !== "none" || (style.offsetPath || "none") !== "none" || (style.scale || "").includes("-")) return true;
  }
  return false;
}

/** Indexes of a 4×4 matrix that must be 0. */
const TURNING = [1, 2, 3, 4, 6, 7, 8, 9, 11];

function isUpright(transform) {
  const numbers = transform.slice(transform.indexOf("(") + 1).split(",").map(parseFloat);
  const [across, down] = numbers.length === 6 ? [numbers[0], numbers[3]] : [numbers[0], numbers[5]];
  const turning = numbers.length === 6 ? [numbers[1], numbers[2]] : TURNING.map((at) => numbers[at]);
  return across > 0 && down > 0 && turning.every((number) => Math.abs(number) < 1e-4);
}

/** Composes the transforms of a frame and of a frame within it. */
const within = (outer, inner) => ({
  x: outer.x + outer.sx * inner.x, y: outer.y + outer.sy * inner.y,
  sx: outer.sx * inner.sx, sy: outer.sy * inner.sy, turned: outer.turned || inner.turned,
});

const outOf = (at, box) => ({
  left: at.x + at.sx * box.left, top: at.y + at.sy * box.top, right: at.x + at.sx * box.right, bottom: at.y + at.sy * box.bottom,
});

const into = (at, box) => ({
  left: (box.left - at.x) / at.sx, top: (box.top - at.y) / at.sy, right: (box.right - at.x) / at.sx, bottom: (box.bottom - at.y) / at.sy,
});

/** Converts a box of a frame's viewport to the document around the frame. */
function boxAround(frame, box) {
  const at = frameOrigin(frame);
  return at.turned ? rectOf(frame) : outOf(at, box);
}

/** Converts a box around a frame to the part of the frame's viewport within it; empty for null. */
function partWithin(frame, box) {
  if (box === null) return { left: 0, top: 0, right: 0, bottom: 0 };
  const at = frameOrigin(frame);
  return at.turned ? { left: 0, top: 0, right: frame.clientWidth, bottom: frame.clientHeight } : into(at, box);
}

/** Returns the transform from an element's own viewport to the main viewport. */
function originOf(el) {
  let whole = AS_IT_IS;
  for (let frame = frameElementOf(ownerDocument(el)), guard = 0; frame !== null && guard < 50; guard++) {
    whole = within(frameOrigin(frame), whole);
    frame = frameElementOf(ownerDocument(frame));
  }
  return whole;
}

/** Returns the box of an element as [x, y, width, height] in the main viewport, rounded. */
function boxInMain(el, box = boxOf(el)) {
  for (let frame = frameElementOf(ownerDocument(el)), guard = 0; frame !== null && guard < 50; guard++) {
    box = boxAround(frame, box);
    frame = frameElementOf(ownerDocument(frame));
  }
  return [Math.round(box.left), Math.round(box.top), Math.round(box.right - box.left), Math.round(box.bottom - box.top)];
}

/** Returns the part of a frame's viewport that is visible through all its ancestors, in its own coordinates. */
function seenOfFrame(doc) {
  const view = viewOf(doc);
  const frame = frameElementOf(doc);
  if (frame === null) return ownSeen();
  const seen = { left: 0, top: 0, right: view.innerWidth, bottom: view.innerHeight };
  return overlap(seen, partWithin(frame, partInView(frame, rectOf(frame))));
}

const TURNED = "the element cannot be pointed at: its frame is drawn turned, skewed or mirrored; use keys, or open the frame's address by itself";
