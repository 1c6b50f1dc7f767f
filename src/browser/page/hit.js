// Which element a pointer would meet at a point, through open shadow roots and same-origin frames.

const documentHit = Document.prototype.elementFromPoint;
const shadowHit = ShadowRoot.prototype.elementFromPoint;

/** The innermost element at a point of a document's own viewport. */
function hitIn(doc, x, y) {
  let el = documentHit.call(doc, x, y);
  for (let guard = 0; el !== null && guard < 50; guard++) {
    const shadow = shadowRootOf(el);
    if (shadow !== null) {
      const inner = shadowHit.call(shadow, x, y);
      if (inner === null || inner === el || !contains(shadow, inner)) return el;
      el = inner;
      continue;
    }
    const doc2 = innerDocument(el);
    if (doc2 === null) return el;
    const at = frameOrigin(el);
    x -= at.x;
    y -= at.y;
    const inner = documentHit.call(doc2, x, y);
    if (inner === null) return el;
    el = inner;
  }
  return el;
}

/** Where a frame's own viewport begins, in the viewport of the document that holds it. */
function frameOrigin(el) {
  const rect = rectOf(el);
  const style = styleOf(el);
  return {
    x: rect.left + el.clientLeft + (parseFloat(style.paddingLeft) || 0),
    y: rect.top + el.clientTop + (parseFloat(style.paddingTop) || 0),
  };
}

/** Sum of the origins of all frames around a node. */
function originOf(el) {
  let x = 0;
  let y = 0;
  for (let frame = frameElementOf(ownerDocument(el)), guard = 0; frame !== null && guard < 50; guard++) {
    const at = frameOrigin(frame);
    x += at.x;
    y += at.y;
    frame = frameElementOf(ownerDocument(frame));
  }
  return { x, y };
}

/** [x, y, width, height] in the main viewport, rounded. */
function boxInMain(el, rect = boxOf(el)) {
  const at = originOf(el);
  return [Math.round(rect.left + at.x), Math.round(rect.top + at.y), Math.round(rect.width), Math.round(rect.height)];
}

/** Does a click that lands on `hit` reach `el`? */
function reaches(hit, el) {
  if (hit === null) return false;
  if (drawnInside(hit, el)) return !actsItself(hit, el);
  const label = labelAround(hit);
  return label !== null && labelControl(label) === el;
}

/** Whether something within the element would take the click for itself: a control or a frame. */
function actsItself(hit, el) {
  for (let node = hit, guard = 0; node !== null && node !== el && guard < 3000; node = drawnParent(node), guard++) {
    const tag = localName(node);
    if (/^(iframe|frame|object|embed|button|select|textarea|summary)$/.test(tag)) return true;
    if (tag === "a" && hrefOf(node) !== null || tag === "input" && localName(el) !== "label") return true;
    if (hasAttr(node, "role") && ACTED_ON.has(explicitRole(node))) return true;
  }
  return false;
}

function labelAround(el) {
  for (let node = el, guard = 0; node !== null && guard < 30; node = drawnParent(node), guard++) {
    const tag = localName(node);
    if (tag === "label") return node;
    if (tag === "button" || tag === "a" || tag === "body") return null;
  }
  return null;
}

/** Points to try, best first: the middle, the first line of a text that wraps, then a grid over what is seen. */
function* points(el, part) {
  const { left, top, right, bottom } = part;
  const tag = localName(el);
  if (DRAWN_SHAPES.has(tag) || tag === "area") yield* shapePoints(el, part);
  yield [(left + right) / 2, (top + bottom) / 2];
  // What holds further items below its own line (a branch of a tree) is hit at that line.
  if (bottom - top > 30 && childElementCount(el) > 1) yield [left + Math.min(30, (right - left) / 2), top + 12];
  const lines = el.getClientRects();
  if (lines.length > 1) {
    const line = lines[0];
    yield [(line.left + line.right) / 2, (line.top + line.bottom) / 2];
  }
  for (const [fx, fy] of [[0.2, 0.5], [0.8, 0.5], [0.5, 0.2], [0.5, 0.8], [0.1, 0.1], [0.9, 0.9]]) {
    yield [left + (right - left) * fx, top + (bottom - top) * fy];
  }
}

/** A point (of the frame's own viewport) where the element can be hit, or what is met instead. */
function hitPoint(el, part, tries) {
  const doc = ownerDocument(el);
  const top = topDocument();
  const at = doc === top ? { x: 0, y: 0 } : originOf(el);
  let met = null;
  for (const [x, y] of points(el, part)) {
    if (tries-- <= 0) break;
    if (isOverlaid(x + at.x, y + at.y)) continue;
    const hit = hitIn(top, x + at.x, y + at.y);
    if (reaches(hit, el)) return { ok: true, x: x + at.x, y: y + at.y, met: null };
    met ??= hit;
  }
  return { ok: false, x: 0, y: 0, met };
}

const topDocument = () => document;
