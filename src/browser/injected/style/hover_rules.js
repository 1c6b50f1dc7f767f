// Elements that show more, or another cursor, under the pointer by a rule with `:hover`: rows with actions, cards with
// buttons, items of menus, handles.

/** Elements under which a rule shows something to act on, with the observation that found it. */
const revealing = new WeakMap();
let someRevealing = false;
/** Boxes and radios that are transparent until the pointer is over their row, with the observation that found them. */
const shownOnHover = new WeakMap();
/** Elements that the pointer must be over, by the hidden content that a rule shows then. */
const hoverHosts = new WeakMap();
/** Elements that the pointer was over, by what was listed first meanwhile: a script may show it. */
const listedUnder = new WeakMap();
/** Element that the pointer was last brought to. */
let pointedAt = null;
const MOST_REVEALED = 300;
const USEFUL = "a[href],button,input,select,textarea,summary,[role],[onclick],[tabindex]";
/** Parts of a page that are too large to be what the pointer is moved over. */
const NEVER_REVEALING = words("html body main");

/** Records the elements whose hidden content shows under the pointer. */
function noteHovers(root, hovers) {
  let left = MOST_REVEALED;
  for (const { target, host } of hovers.slice(0, MOST_SELECTORS)) {
    for (const el of queryAll(root, target)) {
      if (left-- <= 0) return;
      if ((isShown(el) && !isShrunk(el) && !isNarrowed(el) && !isOutOfSight(el)) || !isUseful(el)) continue;
      if (isTransparentChoice(el)) {
        shownOnHover.set(el, observationCount);
        continue;
      }
      const holder = hostOfRevealed(el, host);
      if (holder === null || NEVER_REVEALING.has(localName(holder)) || !isShown(holder)) continue;
      hoverHosts.set(el, new WeakRef(holder));
      revealing.set(holder, observationCount);
      someRevealing = true;
    }
  }
}

/** Reports whether an element is a box without width or height that cuts off all that it holds. */
function isNarrowed(el) {
  const { width, height } = rectOf(el);
  return (width === 0 || height === 0) && firstChild(el) !== null && styleOf(el).overflowX !== "visible";
}

/** Reports whether an element stands where nobody sees it: beyond the beginning of the page, or of what cuts it off. */
function isOutOfSight(el) {
  const box = rectOf(el);
  if (box.width === 0 || (styleOf(el).position === "static" && styleOf(el).transform === "none")) return false;
  if (box.right + scrollX <= 0 || box.bottom + scrollY <= 0) return true;
  const around = offsetParentOf(el);
  if (around === null || !CLIPPED.test(styleOf(around).overflowX)) return false;
  const outer = rectOf(around);
  return box.left >= outer.right - 1 || box.right <= outer.left + 1 || box.top >= outer.bottom - 1 || box.bottom <= outer.top + 1;
}

/** Reports whether hidden content is something to act on. */
const isUseful = (el) => matches(el, USEFUL) || query(el, USEFUL) !== null || listening.has(el) || styleOf(el).cursor === "pointer";

/** Reports whether an element is a box or radio that works although it is transparent. */
const isTransparentChoice = (el) =>
  localName(el) === "input" && /^(?:checkbox|radio)$/.test(inputType(el)) && rawVisible.call(el, { visibilityProperty: true }) && styleOf(el).pointerEvents !== "none";

/** Returns the element that the pointer must be over: one around the content, or one before it. */
function hostOfRevealed(el, host) {
  const around = closest(el, host);
  if (around !== null && around !== el) return around;
  for (let node = el, steps = 0; node !== null && steps < 4; node = drawnParent(node), steps++) {
    for (let before = previousElement(node), left = 6; before !== null && left > 0; before = previousElement(before), left--) {
      if (matches(before, host)) return before;
    }
  }
  return null;
}

const MOST_HOSTED_LEVELS = 12;

/** Notes what the pointer is over while an element is listed for the first time. */
function noteListedUnder(el) {
  const under = pointedAt?.deref();
  if (under !== undefined && under !== el && isConnected(under)) listedUnder.set(el, pointedAt);
}

/** Returns the element over which the pointer must be for a hidden one to show, as it was before; null if none is known. */
function hoverHostOf(el) {
  for (let node = el, steps = 0; node !== null && steps < MOST_HOSTED_LEVELS; node = drawnParent(node), steps++) {
    const host = (hoverHosts.get(node) ?? listedUnder.get(node))?.deref();
    if (host !== undefined && host !== el && isConnected(host) && isShown(host)) return host;
  }
  return null;
}

const revealsMore = (el) => revealing.get(el) === observationCount;

/** Elements whose cursor tells only under the pointer that they react, with the observation that found them. */
const lastPointed = new WeakMap();
let somePointed = false;
const MOST_POINTED = 1000;

/** Records the elements that have a cursor of POINTERS by a rule with `:hover`. */
function notePointed(root, selectors) {
  if (selectors.length === 0) return;
  const found = queryAll(root, [...new Set(selectors)].slice(0, MOST_SELECTORS).join());
  for (let i = 0; i < found.length && i < MOST_POINTED; i++) lastPointed.set(found[i], observationCount);
  somePointed ||= found.length > 0;
}

const isPointed = (el) => somePointed && lastPointed.get(el) === observationCount;

/** Reports whether an element has the cursor of something that reacts, or will have it under the pointer. */
const hasPointer = (el) => isPointed(el) || POINTERS.has(styleOf(el).cursor);

/** Reports whether an element will have such a cursor under the pointer, by a rule for it or for one around it. */
function isPointedWithin(el, style, ctx) {
  if (!somePointed) return false;
  if (isPointed(el)) {
    ctx.pointed = style.cursor;
    return true;
  }
  return ctx.pointed !== undefined && style.cursor === ctx.pointed;
}

function startRevealing(page) {
  page.flush();
  return page.lines.length;
}

/**
 * Marks what to hover for an element that shows more under the pointer: the first thing to act on within it, else the
 * element, which is listed anew.
 */
function endRevealing(el, tag, role, page, ctx, at) {
  page.flush();
  const acted = page.lines.find((line, i) => i >= at && line.kind === ACTOR);
  if (acted !== undefined) acted.hover = true;
  else if (page.lines.length > at && page.hovers < MOST_HOVERED) {
    page.lines.length = at;
    const inner = new Context(ctx);
    inner.ownClip = ctx.ownClip;
    hoverable(el, tag, role, page, inner);
  }
}

/** Returns the visible text of an element without what has no size until the pointer is over it. */
function textWithoutShrunk(el) {
  const out = { text: "", most: LONGEST_WORK, nodes: MOST_REVEALED, typed: false, skips: (node) => node !== el && (isShrunk(node) || isNarrowed(node) || isOutOfSight(node)) };
  readPlain(el, out, 0);
  return out.text;
}
