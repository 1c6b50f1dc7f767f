// Frames that this script cannot read: each has a walker of its own, and Rust brings together what they see. What they
// must know of each other passes through here, in the coordinates of the frame's own viewport.

/**
 * In such a frame: what of its viewport can be seen through all that is around it, as Rust told last:
 * {left, top, right, bottom, off, behind, covers}. In the page itself: null.
 */
let shownPart = null;

/** The part of this document's own viewport that can be seen. */
function ownSeen() {
  const seen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  return shownPart === null ? seen : overlap(seen, shownPart);
}

const overlap = (a, b) => ({
  left: Math.max(a.left, b.left), top: Math.max(a.top, b.top), right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom),
});

/** Does something of the page around lie over this point of this document's viewport? */
function isOverlaid(x, y) {
  if (shownPart === null || !shownPart.covers) return false;
  return shownPart.covers.some(([left, top, right, bottom]) => x >= left && x < right && y >= top && y < bottom);
}

/** What of a frame can be seen, in its own coordinates. */
function partOf(el, rect, clip) {
  return partWithin(el, seenPart(rect, clip));
}

/** A line of the look whose frame has a walker of its own: what that walker must be told. */
function frameFacts(line) {
  const { el, part, off, behind } = line;
  const covers = line.place === IN_VIEW ? coversOf(el, part) : [];
  return { line: line.at, eid: eidOf(el), ...placeIn(el), part: { ...part, off, behind, covers }, room: line.room ?? LEAST_ROOM };
}

const CELLS_A_SIDE = 6;

/** Boxes of what lies over a frame, found by hit tests over the part that can be seen. */
function coversOf(el, part) {
  const at = placeIn(el);
  if (at.turned) return [];
  const found = new Map();
  const wide = (part.right - part.left) / CELLS_A_SIDE;
  const high = (part.bottom - part.top) / CELLS_A_SIDE;
  for (let column = 0; column < CELLS_A_SIDE; column++) {
    for (let row = 0; row < CELLS_A_SIDE; row++) {
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

/** The place of a frame's own viewport in this walker's own, and the box that it lies in. */
const placeIn = (el) => ({ ...within(originOf(el), frameOrigin(el)), whole: boxInMain(el, rectOf(el)) });

const pointedIn = (el) => {
  const place = placeIn(el);
  return place.turned ? failed("hidden", TURNED) : place;
};

function placeOfFrame(eid) {
  const el = nodeOf(eid);
  return el === null ? deadEid(eid) : placeIn(el);
}

/** In the first it is laid out, in the second that is handed on, at the third it is on the screen. */
const FRAMES_UNTIL_DRAWN = 3;

/** The same after a box of the frame has been scrolled to; `centre`: to the middle, also if it is in view already. */
async function revealInFrame(eid, [x, y, width, height], centre) {
  const el = nodeOf(eid);
  if (el === null) return deadEid(eid);
  const stood = rectOf(el);
  scrollAround(el, () => boxAround(el, { left: x, top: y, right: x + width, bottom: y + height }), centre);
  // The browser sends a click to a frame of another process by where the frame was when it was last drawn.
  if (!sameBox(stood, rectOf(el))) for (let frames = 0; frames < FRAMES_UNTIL_DRAWN; frames++) await nextFrame();
  return pointedIn(el);
}

/** Where a frame is, and what of it can be seen. `part` says what of this document can be, if it is in a frame itself. */
function partOfFrame(eid, part) {
  const el = nodeOf(eid);
  if (el === null) return deadEid(eid);
  if (part !== null) shownPart = part;
  return { ...pointedIn(el), part: partWithin(el, partInView(el, rectOf(el))) };
}

/** Where the frame is, if a pointer at this point of it would meet it; else what lies over it. */
function meetsFrame(eid, x, y) {
  const el = nodeOf(eid);
  if (el === null) return deadEid(eid);
  if (isInert(el)) return failed("inert", "the element is inert: a dialog is open or this part of the page is switched off");
  const at = pointedIn(el);
  if (at.error) return at;
  const met = hitIn(document, at.x + at.sx * x, at.y + at.sy * y);
  return met === el ? at : coveredBy(met);
}

/** Brings an element into this document's own viewport and says where it stands there. */
function bringIn(eid) {
  const el = nodeOf(eid);
  if (el === null) return deadEid(eid);
  const shown = shownBox(el);
  if (shown === null) return failed("zero_size", "the element has no size; look again");
  scrollAround(standsOn(shown.node), () => boxOf(shown.node), false);
  return boxInMain(shown.node);
}

/** Scrolls all that scrolls around an element, from the inside out, until a box can be seen. */
function scrollAround(el, box, centre) {
  const doc = ownerDocument(el);
  const root = scrollingElementOf(doc) ?? rootElementOf(doc);
  const view = viewOf(doc);
  for (let node = drawnParent(el), steps = 0; node !== null && ownerDocument(node) === doc && steps < 1000; node = drawnParent(node), steps++) {
    if (node !== rootElementOf(doc) && node !== bodyOf(doc) && canScroll(node)) bring(node, rectOf(node), box(), centre);
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

/** The frames in sight that this script cannot read. */
function framesHere(all = allRoots()) {
  const found = [];
  for (const root of all) {
    for (const el of queryAll(root, "iframe,frame")) {
      if (innerDocument(el) === null && isShown(el) && rectOf(el).width >= 3) found.push(keyOf(el));
    }
  }
  return found;
}

/** Name of a frame as an approval says it, with those of the frames around it that this script can read. */
function frameChain(eid) {
  const el = nodeOf(eid);
  if (el === null) return deadEid(eid);
  const own = nameOf(el, "iframe") || fileName(attr(el, "src") ?? "") || "frame";
  return [frameName(el), own].filter((name) => name !== "").join(" / ");
}
