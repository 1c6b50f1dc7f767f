// Visibility and place of elements: in the viewport, beyond one of its edges, or nowhere.

const IN_VIEW = 0;
const BELOW = 1;
const ABOVE = -1;
const RIGHT = 2;
const LEFT = -2;
/** Places that the budget treats as below and above the viewport. */
const isAfter = (place) => place === BELOW || place === RIGHT;
const isBefore = (place) => place === ABOVE || place === LEFT;
const NOWHERE = 9;
const SEEN = { opacityProperty: true, visibilityProperty: true };

/** Reports whether an element has a box and is neither transparent nor `visibility: hidden`. */
const isShown = (el) => rawVisible.call(el, SEEN);

const HIGHEST_LINE = 60;
const MOST_AROUND_PICTURE = 3;
const LINE_PICTURES = words("img svg video canvas");

/**
 * Joins the box of an element in a line of text with that of the picture in it: the picture stands on the line, and the
 * element's own box is no higher than the text.
 */
function withPicture(el, rect) {
  let inner = firstElementChild(el);
  for (let steps = 1; steps < MOST_AROUND_PICTURE && inner !== null && !LINE_PICTURES.has(localName(inner)); steps++) inner = firstElementChild(inner);
  if (inner === null || !LINE_PICTURES.has(localName(inner))) return rect;
  const picture = rectOf(inner);
  return picture.height > rect.height && styleOf(el).display === "inline" && isShown(inner) ? joinBoxes(rect, picture) : rect;
}

/** Returns the part of the box of a group that the clip of its one picture leaves: one of several icons in a file. */
function withinClip(group, rect) {
  const pictures = queryAll(group, "image");
  const [, id] = pictures.length === 1 ? /^url\(["']?#([^"')]+)["']?\)$/.exec(styleOf(pictures[0]).clipPath) ?? [] : [];
  const clip = id === undefined ? null : queryAll(getRootNode(group), `#${CSS.escape(id)} > rect`)[0];
  const matrix = clip ? pictures[0].getScreenCTM() : null;
  if (matrix === null) return rect;
  const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => Number(attr(clip, name)) || 0);
  const [from, to] = [new DOMPoint(x, y), new DOMPoint(x + width, y + height)].map((point) => point.matrixTransform(matrix));
  const part = overlap(rect, { left: from.x, top: from.y, right: to.x, bottom: to.y });
  return part.right > part.left && part.bottom > part.top ? { ...part, width: part.right - part.left, height: part.bottom - part.top } : rect;
}

/** Returns the box of an element; if it has none (display: contents, only floats), that of its content. */
function boxOf(el) {
  let rect = rectOf(el);
  const tag = localName(el);
  if (tag === "g" && rect.width > 1) rect = withinClip(el, rect);
  if (rect.width > 1 && rect.height > 1) return rect.height > HIGHEST_LINE || firstElementChild(el) === null ? rect : withPicture(el, rect);
  const stretched = stretchedBox(el, tag);
  if (stretched !== null) return stretched;
  if (tag === "area") return areaBox(el);
  const line = LINES.has(tag) || tag === "g" ? wireOf(el, tag) : null;
  if (line !== null || LINES.has(tag)) return strokeBox(line ?? el, rect);
  if (rect.width > 0 && rect.height > 0) return rect;
  let box = null;
  let left = 12;
  const visit = (node) => {
    if (left-- <= 0) return;
    if (nodeType(node) === 3) {
      if (textData(node).trim() !== "") box = joinBoxes(box, rangeBox(node));
      return;
    }
    if (nodeType(node) !== 1) return;
    const inner = rectOf(node);
    if (inner.width > 0 && inner.height > 0) {
      if (isShown(node)) box = joinBoxes(box, inner);
    } else drawnChildren(node, localName(node), visit);
  };
  drawnChildren(el, localName(el), visit);
  return box ?? rect;
}

const LEAST_STRETCHED = 10;

/** Returns the box that a link or button without one of its own draws over the card around it (`::after`), or null. */
function stretchedBox(el, tag) {
  if (tag !== "a" && tag !== "button" && !hasAttr(el, "role")) return null;
  for (const place of ["::after", "::before"]) {
    const style = getComputedStyle(el, place);
    if (style.content === "none" || style.content === "normal" || style.position !== "absolute" || style.pointerEvents === "none") continue;
    const [width, height] = [Number.parseFloat(style.width), Number.parseFloat(style.height)];
    if (!(width >= LEAST_STRETCHED && height >= LEAST_STRETCHED)) continue;
    const block = styleOf(el).position === "static" ? offsetParentOf(el) : el;
    if (block === null) continue;
    const whole = rectOf(block);
    const left = whole.left + block.clientLeft + (Number.parseFloat(style.left) || 0);
    const top = whole.top + block.clientTop + (Number.parseFloat(style.top) || 0);
    return { left, top, right: left + width, bottom: top + height, width, height };
  }
  return null;
}

/** Returns [eid, left, top, width, height] of the elements that have a box. */
const boxesOf = (eids) => eids.flatMap((eid) => {
  const el = nodeOf(eid);
  const box = el === null || nodeType(el) !== 1 ? null : boxOf(el);
  return box === null || !(box.width > 0 && box.height > 0) ? [] : [[eid, box.left, box.top, box.width, box.height]];
});

function rangeBox(node) {
  const range = ownerDocument(node).createRange();
  range.selectNodeContents(node);
  return range.getBoundingClientRect();
}

function joinBoxes(a, b) {
  if (b.width === 0 && b.height === 0) return a;
  if (a === null) return b;
  const left = Math.min(a.left, b.left);
  const top = Math.min(a.top, b.top);
  const right = Math.max(a.right, b.right);
  const bottom = Math.max(a.bottom, b.bottom);
  return { left, top, right, bottom, width: right - left, height: bottom - top };
}

/**
 * Returns the place of a box within its clips. A clip is {left, top, right, bottom, reach, outer, box, el} in the
 * coordinates of its frame. `reach` is the box of everything that it can scroll to, at the present scroll position;
 * what lies outside of it is hidden permanently.
 */
function placeOf(rect, clip) {
  if (rect.width <= 1 || rect.height <= 1) {
    if (rect.width <= 0 || rect.height <= 0 || (rect.width <= 1 && rect.height <= 1)) return NOWHERE;
  }
  let place = IN_VIEW;
  let cut = null;
  for (let c = clip; c !== null; c = c.outer) {
    if (meetsClip(rect, c)) {
      if (cut === null && place === IN_VIEW && sideBeyond(rect, c) !== NOWHERE) cut = c;
      continue;
    }
    const { reach } = c;
    if (reach === null || rect.right <= reach.left || rect.bottom <= reach.top || rect.left >= reach.right || rect.top >= reach.bottom) {
      // A sliver at the edge of a scrollable that something around cuts off: scrolling brings it in.
      if (cut === null || !meetsClip(cut.box, c)) return NOWHERE;
      place = sideBeyond(rect, cut);
      rect = cut.box;
      cut = null;
      continue;
    }
    if (rect.bottom <= c.top + 1) place = ABOVE;
    else if (rect.top >= c.bottom - 1) place = BELOW;
    else place = rect.right <= c.left + 1 ? LEFT : RIGHT;
    // The box is scrolled out; the scrollable's own place among the outer clips decides the rest.
    rect = c.box;
    cut = null;
  }
  return place;
}

const meetsClip = (rect, c) => rect.bottom > c.top + 1 && rect.top < c.bottom - 1 && rect.right > c.left + 1 && rect.left < c.right - 1;

/** Returns the side on which a box goes beyond the edge of what can be scrolled there; NOWHERE if on none. */
function sideBeyond(rect, { top, bottom, left, right, reach }) {
  if (reach === null) return NOWHERE;
  if (rect.bottom > bottom + 1 && reach.bottom > bottom + 1) return BELOW;
  if (rect.top < top - 1 && reach.top < top - 1) return ABOVE;
  if (rect.right > right + 1 && reach.right > right + 1) return RIGHT;
  return rect.left < left - 1 && reach.left < left - 1 ? LEFT : NOWHERE;
}

/** Returns the part of a box that lies within another. */
const overlap = (a, b) => ({
  left: Math.max(a.left, b.left), top: Math.max(a.top, b.top), right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom),
});

/** Returns the part of a box within all its clips, for hit tests; null if there is none. */
function seenPart(rect, clip) {
  let part = rect;
  for (let c = clip; c !== null; c = c.outer) part = overlap(part, c);
  return part.right - part.left < 1 || part.bottom - part.top < 1 ? null : part;
}

/** Returns the outermost clip of a frame: the visible part of its viewport, in its own coordinates. */
function frameClip(doc, seen) {
  const view = viewOf(doc);
  const root = rootElementOf(doc);
  const body = bodyOf(doc);
  const cutsX = /hidden|clip/.test(styleOf(root).overflowX) || (body !== null && /hidden|clip/.test(styleOf(body).overflowX));
  const { scrollX, scrollY, innerWidth: width } = view;
  const far = Math.max(scrollWidthOf(root) - clientWidthOf(root), 0);
  const ahead = isRightToLeft(body ?? root) ? -scrollX : far - scrollX;
  const reach = { left: -(far - ahead), top: -scrollY, right: cutsX ? width : width + ahead, bottom: Infinity };
  return { ...seen, reach, outer: null, box: seen, el: null };
}

const isRightToLeft = (el) => runsLeft(styleOf(el));

/** Reports whether content goes on to the left: by its script, or by upright lines that stand one left of the other. */
const runsLeft = ({ direction, writingMode }) => (writingMode === "horizontal-tb" ? direction === "rtl" : writingMode.endsWith("-rl"));

/**
 * Returns how far an element can be scrolled in each direction: {above, below, left, right}, all 0 where its style
 * does not let it scroll.
 */
function scrollRoom(el, style) {
  const room = { above: 0, below: 0, left: 0, right: 0 };
  if (SCROLLS.test(style.overflowY)) {
    const far = scrollHeightOf(el) - clientHeightOf(el);
    if (far > 1) Object.assign(room, { above: scrollTopOf(el), below: Math.max(0, far - scrollTopOf(el)) });
  }
  if (SCROLLS.test(style.overflowX)) {
    const far = scrollWidthOf(el) - clientWidthOf(el);
    if (far > 1) {
      const right = runsLeft(style) ? -scrollLeftOf(el) : far - scrollLeftOf(el);
      Object.assign(room, { left: Math.max(0, far - right), right: Math.max(0, right) });
    }
  }
  return room;
}

const SCROLLS = /auto|scroll/;

/** Writes the room of an element as its attribute: `above/below`, and `left/right` if it scrolls sideways. */
function scrollWords({ above, below, left, right }) {
  const upright = `${Math.round(above)}/${Math.round(below)}`;
  return left + right > 1 ? `${upright} ${Math.round(left)}/${Math.round(right)}` : upright;
}

/**
 * Reports whether an element is inert: by an `inert` attribute on it or an ancestor, or by a modal dialog elsewhere.
 */
function isInert(el) {
  for (let node = el, guard = 0; node !== null && guard < 3000; node = drawnParent(node), guard++) {
    if (hasAttr(node, "inert")) return true;
  }
  const modal = topModal(ownerDocument(el));
  return modal !== null && !drawnInside(el, modal);
}

/**
 * Returns the topmost modal dialog, which makes the rest of its document inert, or null. Only what is not inert can be
 * hit, so a hit in the middle or a corner finds it, also within shadow roots; its backdrop counts as the dialog.
 */
function topModal(doc) {
  const view = viewOf(doc);
  if (view === null) return null;
  for (const [x, y] of [[view.innerWidth / 2, view.innerHeight / 2], [2, 2]]) {
    const modal = modalAround(hitWithin(doc, x, y), doc);
    if (modal !== null) return modal;
  }
  const open = Array.from(queryAll(doc, "dialog:modal"));
  const isHit = (modal) => {
    const { left, top, width, height } = rectOf(modal);
    return modalAround(hitWithin(doc, left + width / 2, top + height / 2), doc) === modal;
  };
  return open.findLast(isHit) ?? open[open.length - 1] ?? null;
}

/** Returns the element at a point of a document's viewport, through shadow roots but not into frames. */
function hitWithin(doc, x, y) {
  let hit = documentHit.call(doc, x, y);
  for (let guard = 0; hit !== null && guard < 50; guard++) {
    const shadow = shadowRootOf(hit);
    const inner = shadow === null ? null : shadowHit.call(shadow, x, y);
    if (inner === null || inner === hit || !contains(shadow, inner)) break;
    hit = inner;
  }
  return hit;
}

function modalAround(hit, doc) {
  for (let node = hit, guard = 0; node !== null && ownerDocument(node) === doc && guard < 3000; node = drawnParent(node), guard++) {
    if (localName(node) === "dialog" && matches(node, ":modal")) return node;
  }
  return null;
}

/** Reports whether nothing of an element has a size: it is scaled to nothing until something shows it. */
function isShrunk(el) {
  const { width, height } = boxOf(el);
  return width === 0 && height === 0;
}

/** Reports whether an element says that what it controls is open, while that is not drawn: some pages never change what it says. */
function isFolded(el, tag) {
  const id = tag === "summary" || attr(el, "role") === "combobox" || localName(el) === "input" ? null : attr(el, "aria-controls");
  const folded = id ? queryAll(getRootNode(el), "#" + CSS.escape(id))[0] : undefined;
  return folded !== undefined && styleOf(folded).display === "none";
}
