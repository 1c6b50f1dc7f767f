// `scroll`: scrolls the page or one scrollable element, by pages.

function scroll(eid, direction, pages = 1) {
  const named = eid ? nodeOf(eid) : null;
  if (eid && named === null) return deadEid(eid);
  const sideways = direction === "left" || direction === "right";
  beforeWheel = null;
  const wheelBox = named === null ? null : wheelBoxAround(named, sideways);
  if (wheelBox !== null) {
    toView(wheelBox);
    rememberWheelBox(wheelBox);
    return { moved: false, pane: [Math.min(rectOf(wheelBox).width, innerWidth), Math.min(rectOf(wheelBox).height, innerHeight)] };
  }
  const el = named === null ? mainScroller(direction) : scrollerAround(named, sideways);
  if (el === null) return { moved: false, above: 0, below: 0 };
  const amount = Number.isFinite(pages) && pages > 0 ? Math.min(pages, 1000) : 1;
  const before = [scrollLeftOf(el), scrollTopOf(el)];
  el.scrollTo({ ...goal(el, direction, amount), behavior: "instant" });
  const top = Math.round(scrollTopOf(el));
  const below = Math.max(0, Math.round(scrollHeightOf(el) - clientHeightOf(el) - scrollTopOf(el)));
  const moved = before[0] !== scrollLeftOf(el) || before[1] !== scrollTopOf(el);
  return moved ? { moved, above: top, below } : { moved, above: top, below, pane: wheelPane(named) };
}

/** Returns width and height of what a turn of the wheel over an element should move by, or null for the window. */
function wheelPane(named) {
  if (named === null) return null;
  for (let node = named, steps = 0; node !== null && steps < 30; node = drawnParent(node), steps++) {
    if (/hidden|clip|auto|scroll/.test(styleOf(node).overflowY) && clientHeightOf(node) > 40) return [Math.min(clientWidthOf(node), innerWidth), Math.min(clientHeightOf(node), innerHeight)];
  }
  return null;
}

function goal(el, direction, pages) {
  const isRoot = el === scrollRoot();
  const height = (isRoot ? innerHeight : clientHeightOf(el)) * pages * 0.9;
  const width = (isRoot ? innerWidth : clientWidthOf(el)) * pages * 0.9;
  const left = scrollLeftOf(el);
  const top = scrollTopOf(el);
  switch (direction) {
    case "up": return { left, top: top - height };
    case "left": return { left: left - width, top };
    case "right": return { left: left + width, top };
    case "top": return { left, top: 0 };
    case "bottom": return { left, top: scrollHeightOf(el) };
    default: return { left, top: top + height };
  }
}

/** Reports whether an element can be scrolled: up or down, or sideways. */
function canScroll(el, sideways) {
  if (sideways ? scrollWidthOf(el) - clientWidthOf(el) <= 1 : scrollHeightOf(el) - clientHeightOf(el) <= 1) return false;
  const style = styleOf(el);
  return SCROLLS.test(sideways ? style.overflowX : style.overflowY) || (sideways && roomBeside(el, rectOf(el), style) !== null);
}

const rootCanScroll = (root, sideways) => (sideways ? scrollWidthOf(root) - clientWidthOf(root) : scrollHeightOf(root) - clientHeightOf(root)) > 1;

/**
 * Returns the element that scrolls in a direction for an element: itself, the pane within it that is the only one or
 * the largest, or the nearest around it.
 */
function scrollerAround(el, sideways) {
  const inner = canScroll(el, sideways) ? el : largestScroller(el, (pane) => canScroll(pane, sideways));
  if (inner !== null) return inner;
  for (let node = el, steps = 0; node !== null && steps < 1000; node = drawnParent(node), steps++) {
    const doc = ownerDocument(node);
    if (node === rootElementOf(doc) || node === bodyOf(doc)) {
      const root = scrollingElementOf(doc) ?? rootElementOf(doc);
      if (rootCanScroll(root, sideways) || doc === document) return root;
    } else if (canScroll(node, sideways)) return node;
  }
  return scrollRoot();
}

const MOST_PANES = 3000;

/** Returns the pane within an element that shows most, among those that can scroll; null if there is none. */
function largestScroller(el, can) {
  let largest = null;
  let area = 0;
  const inner = queryAll(el, "*");
  for (let i = 0; i < inner.length && i < MOST_PANES; i++) {
    const pane = inner[i];
    if (!can(pane) || !isShown(pane)) continue;
    const part = seenPart(rectOf(pane), { ...seenOfFrame(ownerDocument(pane)), outer: null });
    const size = part === null ? 0 : (part.right - part.left) * (part.bottom - part.top);
    if (size > area) [largest, area] = [pane, size];
  }
  return largest;
}

/**
 * Returns what scrolls without being named: the page; else the pane in the middle of the window that can move in the
 * direction; else the largest such pane in view.
 */
function mainScroller(direction) {
  const root = scrollRoot();
  if (root === null || (direction === "left" || direction === "right" ? scrollAcross(root)[1] > 0 : rootCanScroll(root, false))) return root;
  const canMove = (pane) => roomTowards(pane, direction) > 1;
  const middle = hitIn(document, innerWidth / 2, innerHeight / 2);
  for (let node = middle, steps = 0; node !== null && steps < 1000; node = drawnParent(node), steps++) if (canMove(node)) return node;
  return largestScroller(root, canMove) ?? root;
}

const ROOM_SIDES = { up: "above", top: "above", left: "left", right: "right" };

/** Returns how far a pane can still be scrolled in a direction. */
function roomTowards(el, direction) {
  if (scrollHeightOf(el) - clientHeightOf(el) <= 1 && scrollWidthOf(el) - clientWidthOf(el) <= 1) return 0;
  const style = styleOf(el);
  return { ...scrollRoom(el, style), ...roomBeside(el, rectOf(el), style) }[ROOM_SIDES[direction] ?? "below"];
}

/** Scrolls an element into view unless it is there. */
function toView(el) {
  const { top, bottom } = rectOf(el);
  if (top < 0 || bottom > innerHeight) toMiddle(el);
}

function toMiddle(el) {
  const on = elementWithBox(el);
  if (on !== el) scrollAround(on, () => boxOf(el), true);
  else el.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
}
