// Hit testing: the element that a pointer meets at a point, through shadow roots and frames of the same origin.

const documentHit = Document.prototype.elementFromPoint;
const shadowHit = ShadowRoot.prototype.elementFromPoint;

/** Returns the innermost element at a point of a document's viewport. */
function hitIn(doc, x, y) {
  let el = documentHit.call(doc, x, y);
  for (let guard = 0; el !== null && guard < 50; guard++) {
    const shadow = shadowRootOf(el);
    if (shadow !== null) {
      const inner = shadowHit.call(shadow, x, y);
      if (inner === null || inner === el || !contains(shadow, inner)) return slotAt(el, x, y) ?? el;
      el = inner;
      continue;
    }
    const doc2 = innerDocument(el);
    if (doc2 === null) return el;
    const at = frameOrigin(el);
    if (at.turned) return el;
    x = (x - at.x) / at.sx;
    y = (y - at.y) / at.sy;
    const inner = documentHit.call(doc2, x, y);
    if (inner === null) return el;
    el = inner;
  }
  return el;
}

const slotOfText = getter(Text.prototype, "assignedSlot");
const MOST_SLOTTED = 20;

/** Returns the slot that shows a host's own text at a point: a press there goes through the slot, but is told as at the host. */
function slotAt(host, x, y) {
  let left = MOST_SLOTTED;
  for (let node = firstChild(host); node !== null && left-- > 0; node = nextSibling(node)) {
    const slot = nodeType(node) === 3 && textData(node).trim() !== "" ? slotOfText(node) : null;
    if (slot === null) continue;
    const box = rangeBox(node);
    if (x >= box.left && x <= box.right && y >= box.top && y <= box.bottom) return slot;
  }
  return null;
}

/** Reports whether a click that lands on `hit` reaches `el`. */
function reaches(hit, el) {
  if (hit === null) return false;
  if (drawnInside(hit, el)) return editorAt(el) !== null || !actsItself(hit, el);
  // The native slider of a drawn one lies clipped within the knob.
  if (localName(el) === "input" && inputType(el) === "range" && contains(hit, el)) return true;
  const label = labelAround(hit);
  return label !== null && labelControl(label) === el || DRAWN_OVER.has(localName(el)) && fieldDrawnBy(hit) === el;
}

const DRAWN_OVER = words("input select textarea");
const FIELD = "input:not([type=hidden]),select,textarea";
const FIELD_OR_CONTROL = `${FIELD},button,a[href],[role=button],[role=link]`;

/** Maximum number of children of a box that holds a field and what is drawn over it. */
const MOST_IN_BOX = 30;

/** Returns the field over which an element is drawn in a box of their own, or null. */
function fieldDrawnBy(hit) {
  for (let box = drawnParent(hit), steps = 0; box !== null && steps < 2; box = drawnParent(box), steps++) {
    if (childrenOf(box)[MOST_IN_BOX] !== undefined) return null;
    const field = query(box, FIELD);
    if (field === null) continue;
    if (contains(hit, field) || queryAll(box, FIELD_OR_CONTROL).length !== 1) return null;
    const [over, under] = [rectOf(hit), rectOf(field)];
    const part = overlap(over, under);
    const covered = (part.right - part.left) * (part.bottom - part.top);
    return part.right > part.left && part.bottom > part.top && covered >= under.width * under.height * MOST_OF_IT ? field : null;
  }
  return null;
}

/** Reports whether a control or frame within the element would take the click for itself. */
function actsItself(hit, el) {
  for (let node = hit, guard = 0; node !== null && node !== el && guard < 3000; node = drawnParent(node), guard++) {
    const tag = localName(node);
    if (mayBeDrawing(node) && isPartOfItem(node)) continue;
    if (/^(iframe|frame|object|embed|button|select|textarea)$/.test(tag) || tag === "summary" && opensDetails(node)) return true;
    if (tag === "a" && hrefOf(node) !== null || tag === "input" && localName(el) !== "label") return true;
    const role = hasAttr(node, "role") ? explicitRole(node) : "";
    // A declared text box that takes no text (the shown choice of Select2) leaves the click to what is around it.
    if (ACTED_ON.has(role) && (role !== "textbox" || isEditable(node))) return true;
    if (reactsApart(node, el)) return true;
  }
  return false;
}

/**
 * Reports whether an element listens for presses by itself within another and is only a part of it: a star in a row, not
 * a wrapper around the whole content.
 */
function reactsApart(node, el) {
  if (!listening.has(node) && !isHinted(node) && !isItem(node)) return false;
  if (namespaceOf(node) === SVG && localName(node) !== "svg" && !(namespaceOf(el) === SVG && localName(el) === "g" && listening.has(node))) return false;
  const [inner, outer] = [rectOf(node), boxOf(el)];
  if (inner.width * inner.height > outer.width * outer.height * MOST_OF_IT) return false;
  const words = contentName(el);
  return words === "" ? !isOnlyPart(node, el) : contentName(node) !== words;
}

/** Reports whether an element is all that another one draws: the icon of a button is no thing of its own. */
function isOnlyPart(node, el) {
  for (let at = node; at !== null && at !== el; at = parentNode(at)) if (nextElement(at) !== null || previousElement(at) !== null) return false;
  return true;
}

function labelAround(el) {
  for (let node = el, guard = 0; node !== null && guard < 30; node = drawnParent(node), guard++) {
    const tag = localName(node);
    if (tag === "label") return node;
    if (tag === "button" || tag === "a" || tag === "body") return null;
  }
  return null;
}

const BRANCHES = "ul,ol,[role=group]";
const MOST_BEFORE_WORDS = 20;

/** Yields the middle of the first words of an item, which stand after its arrow, box and icon. */
function* firstWordsPoint(el) {
  const texts = ownerDocument(el).createTreeWalker(el, NodeFilter.SHOW_TEXT);
  for (let left = MOST_BEFORE_WORDS; left > 0 && texts.nextNode(); left--) {
    if (textData(texts.currentNode).trim() === "") continue;
    const { left: from, right, top, bottom, width } = rangeBox(texts.currentNode);
    if (width > 0) yield [(from + right) / 2, (top + bottom) / 2];
    return;
  }
}

/**
 * Yields points to try, best first: the middle, the first line of wrapped text, then a grid over the visible part. Those
 * of a shape of a drawing have a third part, which is true.
 */
function* points(el, part) {
  const { left, top, right, bottom } = part;
  const tag = localName(el);
  if (DRAWN_SHAPES.has(tag) || tag === "area") for (const [x, y] of shapePoints(el, part)) yield [x, y, true];
  yield [(left + right) / 2, (top + bottom) / 2];
  // A label may consist of a link, beside which only a drawn box or a few letters belong to its control.
  if (tag === "label" && query(el, "a[href],button") !== null) yield* [[left + 8, (top + bottom) / 2], [right - 4, (top + bottom) / 2], [left + 4, top + 4]];
  // An item with further items below its own line (a branch of a tree) is hit at that line: its words, or its beginning.
  if (bottom - top > 30 && childElementCount(el) > 1 && query(el, BRANCHES) !== null) yield* firstWordsPoint(el);
  if (bottom - top > 30 && childElementCount(el) > 1) yield [left + Math.min(30, (right - left) / 2), top + 12];
  const lines = el.getClientRects();
  if (lines.length > 1) {
    const line = lines[0];
    yield [(line.left + line.right) / 2, (line.top + line.bottom) / 2];
  }
  for (const [fx, fy] of [[0.2, 0.5], [0.8, 0.5], [0.5, 0.2], [0.5, 0.8], [0.1, 0.1], [0.9, 0.9], [0.02, 0.5], [0.98, 0.5], [0.5, 0.05], [0.5, 0.95]]) {
    yield [left + (right - left) * fx, top + (bottom - top) * fy];
  }
}

/**
 * Finds a point (of the frame's own viewport) where the element can be hit; otherwise returns the element met
 * instead.
 */
function hitPoint(el, part, tries) {
  const doc = ownerDocument(el);
  const top = topDocument();
  const at = doc === top ? AS_IT_IS : originOf(el);
  // In a rotated frame covering cannot be tested; an attempt to point there gets its own error.
  if (at.turned) return { ok: true, x: at.x, y: at.y, met: null };
  const crowd = doc === top && DRAWN_SHAPES.has(localName(el)) ? crowdOf(el) : null;
  let met = null;
  for (const [across, down, onShape] of points(el, part)) {
    if (tries-- <= 0) break;
    const [x, y] = [at.x + at.sx * across, at.y + at.sy * down];
    if (isOverlaid(x, y)) continue;
    if (crowd !== null && onShape && crowd.shows(el, x, y)) return { ok: true, x, y, met: null };
    const hit = hitIn(top, x, y);
    crowd?.note(hit, x, y);
    if (reaches(hit, el)) return { ok: true, x, y, met: null };
    met ??= hit;
  }
  return { ok: false, x: 0, y: 0, met };
}

/**
 * Milliseconds of hit tests in one walk, after which elements count as met: in a long paragraph of which each word can
 * be pressed, or a drawing of many parts, one test takes milliseconds.
 */
const MOST_HIT_TIME = 1000;
const hitTime = { walk: 0, spent: 0 };

/** Does the same during a walk, as long as there is time for it. */
function hitPointInTime(el, part, tries) {
  if (hitTime.walk !== walkCount) Object.assign(hitTime, { walk: walkCount, spent: 0 });
  if (hitTime.spent > MOST_HIT_TIME) return { ok: true, x: 0, y: 0, met: null };
  const began = performance.now();
  const point = hitPoint(el, part, tries);
  hitTime.spent += performance.now() - began;
  return point;
}

/** Finds a point of what a link or button draws over the card around it, if its own box lies below something else. */
function stretchedPoint(el, partOf, tries) {
  const box = stretchedBox(el, localName(el));
  const part = box === null ? null : partOf(box);
  const point = part === null ? null : hitPoint(el, part, tries);
  return point?.ok ? point : null;
}

const topDocument = () => document;

/** Panes and positioned boxes by whether something else lies over all of them, with the walk that tested it. */
const overlaidPanels = new WeakMap();
const PANEL_PROBES = [[0.5, 0.5], [0.1, 0.1], [0.9, 0.1], [0.1, 0.9], [0.9, 0.9]];
const LEAST_PANEL = 60;

/** Reports whether an element out of view belongs to a pane, or a positioned box, beneath another one: a folded panel of a stack. */
function isUnderPanel(el, clip) {
  const panels = [clip?.el, offsetParentOf(el)].filter((one) => one && nodeType(one) === 1 && localName(one) !== "body" && localName(one) !== "html");
  return panels.some((panel) => {
    let known = overlaidPanels.get(panel);
    if (known?.walk !== walkCount) overlaidPanels.set(panel, (known = { walk: walkCount, under: isOverlaidWhole(panel, clip) }));
    return known.under;
  });
}

/** Reports whether nothing of a box in the window can be met, but one thing beside it in its place. */
function isOverlaidWhole(panel, clip) {
  const part = seenPart(rectOf(panel), clip?.el === panel ? clip.outer : clip);
  if (part === null || part.right - part.left < LEAST_PANEL || part.bottom - part.top < LEAST_PANEL || ownerDocument(panel) !== topDocument()) return false;
  return PANEL_PROBES.every(([fx, fy]) => {
    const hit = hitWithin(topDocument(), part.left + (part.right - part.left) * fx, part.top + (part.bottom - part.top) * fy);
    return hit !== null && !drawnInside(hit, panel) && !drawnInside(panel, hit);
  });
}
