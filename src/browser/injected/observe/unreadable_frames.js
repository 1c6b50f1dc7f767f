// Frames that this script cannot read. Each has its own walker, and Rust merges the results. Data that walkers need
// about each other passes through here, in the coordinates of the frame's own viewport.

/**
 * Within such a frame: the part of its viewport that is visible through its ancestors, as last sent by Rust: {left,
 * top, right, bottom, off, behind, covers}. In the page itself: null.
 */
let shownPart = null;

/** Returns the visible part of this document's viewport. */
function ownSeen() {
  const seen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  return shownPart === null ? seen : overlap(seen, shownPart);
}

/** Reports whether an element of the surrounding page lies over this point of the document's viewport. */
function isOverlaid(x, y) {
  if (shownPart === null || !shownPart.covers) return false;
  return shownPart.covers.some(([left, top, right, bottom]) => x >= left && x < right && y >= top && y < bottom);
}

/** Returns the visible part of a frame in its own coordinates. */
function partOf(el, rect, clip) {
  return partWithin(el, seenPart(rect, clip));
}

/** Most hit tests for all frames of an observation: while they run, the page cannot draw the frame for the screenshot. */
const MOST_HIT_TESTS = 100;
const [FEWEST_TESTS_A_SIDE, MOST_TESTS_A_SIDE] = [3, 6];

/** Returns the data for the walkers of the frames at these lines. */
function frameFacts(lines) {
  const inView = lines.filter((line) => line.place === IN_VIEW).length;
  const cells = Math.min(MOST_TESTS_A_SIDE, Math.max(FEWEST_TESTS_A_SIDE, Math.floor(Math.sqrt(MOST_HIT_TESTS / inView))));
  return lines.map((line) => {
    const { el, part, off, behind } = line;
    const covers = line.place === IN_VIEW ? coversOf(el, part, cells) : [];
    return { line: line.at, eid: eidOf(el), ...placeIn(el), part: { ...part, off, behind, covers }, room: line.room ?? LEAST_ROOM };
  });
}

/** Finds the boxes of elements over a frame by hit tests in this number of rows and columns across the visible part. */
function coversOf(el, part, cells) {
  const at = placeIn(el);
  if (at.turned) return [];
  const found = new Map();
  const wide = (part.right - part.left) / cells;
  const high = (part.bottom - part.top) / cells;
  for (let column = 0; column < cells; column++) {
    for (let row = 0; row < cells; row++) {
      const left = part.left + column * wide;
      const top = part.top + row * high;
      const x = at.x + (left + wide / 2) * at.sx;
      const y = at.y + (top + high / 2) * at.sy;
      const hit = hitIn(document, x, y);
      if (hit === el && !isOverlaid(x, y)) continue;
      const cell = [left, top, left + wide, top + high];
      if (hit === null || hit === el || drawnInside(el, hit)) found.set(cell, cell);
      else if (!found.has(hit)) found.set(hit, coverBox(hit, at));
    }
  }
  return [...found.values()];
}

function coverBox(hit, at) {
  const [left, top, width, height] = boxInMain(hit, rectOf(hit));
  const box = into(at, { left, top, right: left + width, bottom: top + height });
  return [box.left, box.top, box.right, box.bottom];
}

/** Returns the transform from a frame's viewport to this document's, and the frame's bounding box. */
const placeIn = (el) => ({ ...within(originOf(el), frameOrigin(el)), whole: boxInMain(el, rectOf(el)) });

const pointedIn = (el) => {
  const place = placeIn(el);
  return place.turned ? failed("hidden", TURNED) : place;
};

function placeOfFrame(eid) {
  const el = nodeOf(eid);
  return el === null ? deadEid(eid) : placeIn(el);
}

/** Number of animation frames until clicks are routed by a new position: layout, commit, display. */
const FRAMES_UNTIL_ROUTED = 3;

/**
 * Scrolls a box of the frame into view and returns the frame's transform. `centre` scrolls to the middle even if the
 * box is in view.
 */
async function revealInFrame(eid, [x, y, width, height], centre) {
  const el = nodeOf(eid);
  if (el === null) return deadEid(eid);
  const stood = rectOf(el);
  scrollAround(el, () => boxAround(el, { left: x, top: y, right: x + width, bottom: y + height }), centre);
  // The browser routes a click to a frame in another process by the frame's last drawn position.
  if (!sameBox(stood, rectOf(el))) for (let frames = 0; frames < FRAMES_UNTIL_ROUTED; frames++) await nextFrame();
  return pointedIn(el);
}

/**
 * Returns the transform and visible part of a frame. `part` is the visible part of this document, if it is in a
 * frame.
 */
function partOfFrame(eid, part) {
  const el = nodeOf(eid);
  if (el === null) return deadEid(eid);
  if (part !== null) shownPart = part;
  return { ...pointedIn(el), part: partWithin(el, partInView(el, rectOf(el))) };
}

/**
 * Returns the frame's transform if a pointer at this point meets the frame; otherwise an error that names what covers
 * it.
 */
function meetsFrame(eid, x, y) {
  const el = nodeOf(eid);
  if (el === null) return deadEid(eid);
  if (isInert(el)) return failed("inert", "the element is inert: a dialog is open or this part of the page is switched off");
  const at = pointedIn(el);
  if (at.error) return at;
  const met = hitIn(document, at.x + at.sx * x, at.y + at.sy * y);
  return met === el ? at : coveredBy(met);
}

/** Scrolls an element into this document's viewport and returns its box. */
function bringIn(eid) {
  const el = nodeOf(eid);
  if (el === null) return deadEid(eid);
  const shown = shownBox(el);
  if (shown === null) return failed("zero_size", "the element has no size; look again");
  scrollAround(elementWithBox(shown.node), () => boxOf(shown.node), false);
  return boxInMain(shown.node);
}

/** Scrolls all scrollable ancestors of an element, from the innermost outwards, until a box is visible. */
function scrollAround(el, box, centre) {
  const doc = ownerDocument(el);
  const root = scrollingElementOf(doc) ?? rootElementOf(doc);
  const view = viewOf(doc);
  for (let node = drawnParent(el), steps = 0; node !== null && ownerDocument(node) === doc && steps < 1000; node = drawnParent(node), steps++) {
    if (node !== rootElementOf(doc) && node !== bodyOf(doc) && (canScroll(node, false) || canScroll(node, true))) bring(node, rectOf(node), box(), centre);
  }
  bring(root, { left: 0, top: 0, right: view.innerWidth, bottom: view.innerHeight }, box(), centre);
  const frame = frameElementOf(doc);
  if (frame === null) return;
  scrollAround(frame, () => boxAround(frame, box()), centre);
}

function bring(scroller, clip, box, centre) {
  const by = (start, end, from, to) => (!centre && start >= from && end <= to ? 0 : (start + end) / 2 - (from + to) / 2);
  const left = by(box.left, box.right, clip.left, clip.right);
  const top = by(box.top, box.bottom, clip.top, clip.bottom);
  if (left !== 0 || top !== 0) scroller.scrollBy({ left, top, behavior: "instant" });
}

/** Returns the visible frames that this script cannot read. */
function framesHere(all = allRoots()) {
  const found = [];
  for (const root of all) {
    for (const el of queryAll(root, "iframe,frame")) {
      if (innerDocument(el) === null && isShown(el) && rectOf(el).width >= 3) found.push(keyOf(el));
    }
  }
  return found;
}

/** Returns the name of a frame as used in approvals, preceded by those of its ancestors that this script can read. */
function frameChain(eid) {
  const el = nodeOf(eid);
  if (el === null) return deadEid(eid);
  const own = nameOf(el, "iframe") || fileName(attr(el, "src") ?? "") || "frame";
  return [frameName(el), own].filter((name) => name !== "").join(" / ");
}
