// Visibility and place of elements: in the viewport, above it, below it, or nowhere.

const IN_VIEW = 0;
const BELOW = 1;
const ABOVE = -1;
const NOWHERE = 9;
const SEEN = { opacityProperty: true, visibilityProperty: true };

/** Reports whether an element has a box and is neither transparent nor `visibility: hidden`. */
const isShown = (el) => rawVisible.call(el, SEEN);

/** Returns the box of an element; if it has none (display: contents, only floats), that of its content. */
function boxOf(el) {
  const rect = rectOf(el);
  if (rect.width > 0 && rect.height > 0) return rect;
  const tag = localName(el);
  if (tag === "area") return areaBox(el);
  if (tag === "path" || tag === "line" || tag === "polyline") return strokeBox(el, rect);
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
 * Returns the place of a box within its clips. A clip is {left, top, right, bottom, scrolls, outer, frame, box, el}
 * in the coordinates of its frame; a clip that does not scroll hides everything outside it permanently.
 */
function placeOf(rect, clip) {
  if (rect.width <= 1 || rect.height <= 1) {
    if (rect.width <= 0 || rect.height <= 0 || (rect.width <= 1 && rect.height <= 1)) return NOWHERE;
  }
  let place = IN_VIEW;
  for (let c = clip; c !== null; c = c.outer) {
    if (rect.bottom > c.top + 1 && rect.top < c.bottom - 1 && rect.right > c.left + 1 && rect.left < c.right - 1) continue;
    if (!c.scrolls) return NOWHERE;
    if (c.frame !== null && (rect.right <= -c.frame.scrollX || rect.bottom <= -c.frame.scrollY || rect.left >= c.frame.lastX)) return NOWHERE;
    place = rect.bottom <= c.top + 1 || rect.right <= c.left + 1 ? ABOVE : BELOW;
    // The box is scrolled out; the scrollable's own place among the outer clips decides the rest.
    rect = c.box;
  }
  return place;
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
  const frame = {
    scrollX: view.scrollX, scrollY: view.scrollY,
    lastX: cutsX ? view.innerWidth : Math.max(scrollWidthOf(root) - view.scrollX, view.innerWidth),
  };
  return { ...seen, scrolls: true, outer: null, frame, box: seen, el: null };
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

/** Returns the modal dialog that makes the rest of its document inert, or null. */
function topModal(doc) {
  const open = queryAll(doc, "dialog:modal");
  return open.length === 0 ? null : open[open.length - 1];
}
