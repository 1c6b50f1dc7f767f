// `ready`: brings an element to where a person could act on it, and returns the point to act on or the reason why
// not.

/** Milliseconds, more than two animation frames, after which an element at the same position counts as still. */
const LEAST_STAND = 40;
/** Last position of an element, with the time since which it has been found there. */
const lastPositions = new WeakMap();

function remember(el, rect) {
  const last = lastPositions.get(el);
  if (last === undefined || !sameBox(last.rect, rect)) lastPositions.set(el, { rect, at: performance.now() });
}

/**
 * Returns the element's box, and the point to act on if the element has not moved since it was last measured and can
 * be hit. Then no animation frame needs to be awaited. For an element that is revealed by hovering another, returns that
 * other element's box. With `press`, the press that comes next is checked (`press_guard.js`).
 */
async function aim(eid, { press = false } = {}) {
  const el = await findNode(eid);
  if (el === null) return deadEid(eid);
  const host = isShown(el) ? null : hoverHostOf(el);
  if (host !== null && shownBox(el) === null) return { box: boxOfHost(host), point: null };
  const point = actionProblem(el) === null ? pointOfStanding(el) : null;
  if (press && point !== null) expectPress(el);
  return { box: boxInMain(el), point };
}

/** Returns the box of what shows an element while the pointer is over it: the pointer goes to its middle, and shows it. */
function boxOfHost(host) {
  const part = partInView(host, boxOf(host));
  if (part === null || !wellInside(boxOf(host), part)) toMiddle(host);
  return boxInMain(host);
}

function pointOfStanding(el) {
  const stood = lastPositions.get(el);
  const shown = shownBox(el);
  if (!stood || shown === null || performance.now() - stood.at < LEAST_STAND) return null;
  if (!sameBox(stood.rect, shown.rect) || isMoving()) return null;
  const part = partInView(shown.node, shown.rect);
  if (part === null || !wellInside(shown.rect, part)) return null;
  return hit(el, shown.node, shown.rect, part).point ?? null;
}

/**
 * Returns the data for outlining an element in a picture: its box, the part in view, and whether it holds a secret.
 * With `mayScroll` the element is scrolled into view, even if it cannot be acted on.
 */
function pictured(eid, mayScroll) {
  const el = nodeOf(eid);
  if (el === null) return deadEid(eid);
  const node = shownBox(el)?.node ?? el;
  const inView = (rect) => (rect.width < 1 || rect.height < 1 ? null : partInView(node, rect));
  let rect = boxOf(node);
  const part = inView(rect);
  if (mayScroll && isShown(node) && (part === null || !wellInside(rect, part))) {
    toMiddle(node);
    rect = boxOf(node);
  }
  const seen = shownBox(el) === null ? null : inView(rect);
  return { box: boxInMain(node, rect), part: seen && boxInMain(node, boxAs(seen)), secret: isSecret(el) };
}

const boxAs = ({ left, top, right, bottom }) => ({ left, top, right, bottom, width: right - left, height: bottom - top });

const LONGEST_WAIT = 2000;
/** Limit for problems that rarely pass by waiting, such as a dialog in the way or a disabled control. */
const SHORT_WAIT = 350;

async function ready(eid, { scroll: mayScroll = true, maxMs = LONGEST_WAIT, part, press = false } = {}) {
  if (part) shownPart = part;
  const began = performance.now();
  let problem = null;
  let before = null;
  let centred = false;
  const useHandle = consumeFailedDrag(eid);
  for (;;) {
    const named = await findNode(eid);
    if (named === null) return deadEid(eid);
    const el = (useHandle ? handleOf(named) : null) ?? named;
    const found = attempt(el, mayScroll, before);
    if (found.point) {
      forgetOwnScrolling();
      if (press) expectPress(el);
      return found.point;
    }
    problem = found.problem ?? problem;
    before = found.rect;
    if (mayScroll && !centred && problem?.error.code === "covered") {
      // A fixed bar may cover the element; the middle of the window is free of those.
      centred = true;
      toMiddle(el);
      before = null;
    }
    const spent = performance.now() - began;
    if (spent > (problem?.error.final ? Math.min(SHORT_WAIT, maxMs) : maxMs)) break;
    await nextFrame();
  }
  return problem === null
    ? failed("moving", "the element does not stop moving; wait and look again")
    : failed(problem.error.code, problem.error.message);
}

/**
 * Tries once per frame: {point} if the element can be hit and has not moved since the last frame, otherwise {rect,
 * problem}.
 */
function attempt(el, mayScroll, before) {
  const why = actionProblem(el);
  if (why !== null) return { problem: why, rect: null };
  const shown = shownBox(el);
  if (shown === null) return { problem: notDrawn(el), rect: null };
  const { node } = shown;
  let part = partInView(node, shown.rect);
  if (mayScroll && (part === null || !wellInside(shown.rect, part))) {
    if (before === null || part === null) toMiddle(node);
    const rect = boxOf(node);
    part = partInView(node, rect);
    if (part === null) return { problem: failed("hidden", "the element cannot be scrolled into view: what holds it cuts it off; scroll that, or open it first"), rect };
    if (before === null || !sameBox(before, rect)) return { rect, problem: null };
    return hit(el, node, rect, part);
  }
  if (part === null) return { problem: failed("hidden", "the element is outside of what can be seen; scroll to it"), rect: shown.rect };
  if (before === null || !sameBox(before, shown.rect)) return { rect: shown.rect, problem: null };
  return hit(el, node, shown.rect, part);
}

function hit(el, node, rect, part) {
  let point = hitPoint(node, part, MOST_POINTS);
  if (!point.ok && !(point.met !== null && reaches(point.met, el)) && node === el) point = pointOnLabel(el) ?? stretchedPoint(el, (box) => partInView(el, box), MOST_POINTS) ?? point;
  if (point.ok || (point.met !== null && reaches(point.met, el))) {
    remember(el, rect);
    pointedAt = new WeakRef(el);
    notePress(el);
    return { point: { x: Math.round(point.x * 10) / 10, y: Math.round(point.y * 10) / 10, box: boxInMain(node, rect) } };
  }
  return { rect, problem: coveredBy(point.met) };
}

const MOST_LABELS_TRIED = 5;

/** Returns a point on a label of a control that itself lies under something else, as clipped ones do, or lets presses through; null if there is none. */
function pointOnLabel(el) {
  const isChoice = localName(el) === "input" && /^(?:checkbox|radio|file)$/.test(inputType(el));
  if (!isChoice && !(LABELABLE.has(localName(el)) && styleOf(el).pointerEvents === "none" && styleOf(el).opacity === "0")) return null;
  for (const label of labelElementsOf(el).slice(0, MOST_LABELS_TRIED)) {
    const rect = boxOf(label);
    const part = isShown(label) && rect.width > 1 && rect.height > 1 ? partInView(label, rect) : null;
    const point = part === null ? null : hitPoint(label, part, MOST_POINTS);
    if (point?.ok) return point;
  }
  return null;
}

/** Returns why the element cannot be acted on regardless of its position, or null. */
function actionProblem(el) {
  if (originOf(el).turned) return finalError("hidden", TURNED);
  if (isDisabled(el)) return finalError("disabled", `the element is disabled; do first what enables it${emptyFields(el)}`);
  if (isInert(el)) return finalError("inert", inertBecause(el));
  return null;
}

const finalError = (code, message) => ({ error: { code, message, final: true } });

const notDrawn = (el) => (isShown(el)
  ? failed("zero_size", "the element has no size: nothing of it can be hit; act on what is around it, or look again")
  : failed("hidden", whyHidden(el)));

/** Names the invalid fields of the form, the most frequent reason for a disabled button. */
function emptyFields(el) {
  const names = invalidFieldNames(el).join(", ");
  return names && ` (not filled in correctly: ${names})`;
}

function invalidFieldNames(el) {
  const form = el.form;
  if (!form || nodeType(form) !== 1 || !isSubmitter(el)) return [];
  const fields = Array.from(queryAll(form, ":invalid:not(fieldset)")).slice(0, 5);
  return fields.map((field) => nameOf(field, roleOf(field))).filter(Boolean);
}

/** Returns the node to click: the element, or the label of a hidden checkbox, radio button or file field. */
function shownBox(el) {
  const rect = boxOf(el);
  if (localName(el) === "area") return rect.width > 1 && rect.height > 1 ? { node: el, rect } : null;
  if (isShown(el) || styleOf(el).display === "contents" || isOverlay(el, rect)) {
    const isAway = isBeyondReach(el, rect) || isClippedAway(el, rect);
    const isLost = isAway && (labelElementsOf(el).length > 0 || (knobOf(el) !== null && isClippedAway(el, rect)));
    if (rect.width > 1 && rect.height > 1 && !isLost) return { node: el, rect };
  }
  const knob = knobOf(el);
  if (knob !== null) return { node: knob, rect: boxOf(knob) };
  for (const label of labelElementsOf(el).slice(0, MOST_LABELS_TRIED)) {
    const around = boxOf(label);
    if (isShown(label) && around.width > 1 && around.height > 1) return { node: label, rect: around };
  }
  return isShown(el) && (rect.width === 0 || rect.height === 0) ? null : rect.width > 0 && isShown(el) ? { node: el, rect } : null;
}

const LEAST_SEEN = 3;

/** Reports whether something small around a choice or slider cuts it off, where authors hide the native control of a drawn one. */
function isClippedAway(el, rect) {
  if (localName(el) !== "input" || !/^(?:checkbox|radio|file|range)$/.test(inputType(el))) return false;
  let holder = drawnParent(el);
  while (holder !== null && localName(holder) === "slot") holder = drawnParent(holder);
  const around = rectOf(holder ?? el);
  return around.width < LEAST_SEEN && around.height < LEAST_SEEN && rect.width >= LEAST_SEEN;
}

/** Reports whether a box lies where its page cannot be scrolled to: authors move the native control of a drawn one there. */
function isBeyondReach(el, rect) {
  const view = viewOf(ownerDocument(el));
  return rect.right <= Math.min(0, -view.scrollX) || rect.bottom <= -view.scrollY;
}

/** Reports whether a control is transparent, over a drawing that stands for it. */
const isOverlay = (el, rect) => rect.width > 1 && (isUnseenWire(el) || (matches(el, TRANSPARENT) && rawVisible.call(el, { visibilityProperty: true })));

/** Returns the part of a box that lies within its frame's viewport and all clipping ancestors. */
function partInView(target, rect) {
  const el = elementWithBox(target);
  let clip = { ...seenOfFrame(ownerDocument(el)), outer: null };
  for (let node = drawnParent(el), steps = 0; node !== null && steps < 1000; node = drawnParent(node), steps++) {
    const doc = ownerDocument(node);
    if (doc !== ownerDocument(el)) break;
    if (node === rootElementOf(doc) || node === bodyOf(doc)) continue;
    const style = styleOf(node);
    if (style.overflowY === "visible" || style.display.startsWith("inline")) continue;
    const { left, top, right, bottom, width, height } = rectOf(node);
    if (width === 0 && height === 0) continue;
    if (escapes(el, node)) continue;
    clip = { left, top, right, bottom, outer: clip };
  }
  return seenPart(rect, clip);
}

/**
 * Reports whether an element escapes a clipping ancestor: fixed and absolute elements are only clipped by their
 * containing block.
 */
function escapes(el, clipper) {
  for (let node = el, steps = 0; node !== null && node !== clipper && steps < 1000; node = drawnParent(node), steps++) {
    const position = styleOf(node).position;
    if (position === "fixed") return true;
    if (position === "absolute" && node.offsetParent && !drawnInside(node.offsetParent, clipper)) return true;
  }
  return false;
}

const wellInside = (rect, part) => {
  const height = Math.min(rect.bottom - rect.top, 40);
  const width = Math.min(rect.right - rect.left, 40);
  return part.bottom - part.top >= height - 1 && part.right - part.left >= width - 1;
};

const sameBox = (a, b) => Math.abs(a.left - b.left) < 0.6 && Math.abs(a.top - b.top) < 0.6 && Math.abs(a.width - b.width) < 0.6 && Math.abs(a.height - b.height) < 0.6;

/** Resolves at the next animation frame, or after 100 ms if there are none (a page in the background). */
function nextFrame() {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, 100);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
