// `scroll`: scrolls the page or one scrollable element, by pages.

function scroll(eid, direction, pages = 1) {
  const named = eid ? nodeOf(eid) : null;
  if (eid && named === null) return deadEid(eid);
  const el = named === null ? mainScroller() : scrollerAround(named);
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

const canScroll = (el) =>
  (scrollHeightOf(el) - clientHeightOf(el) > 1 && /auto|scroll/.test(styleOf(el).overflowY)) ||
  (scrollWidthOf(el) - clientWidthOf(el) > 1 && /auto|scroll/.test(styleOf(el).overflowX));

/** Returns the nearest scrollable element, which may be the element itself. */
function scrollerAround(el) {
  for (let node = el, steps = 0; node !== null && steps < 1000; node = drawnParent(node), steps++) {
    const doc = ownerDocument(node);
    if (node === rootElementOf(doc) || node === bodyOf(doc)) {
      const root = scrollingElementOf(doc) ?? rootElementOf(doc);
      if (scrollHeightOf(root) - clientHeightOf(root) > 1 || doc === document) return root;
    } else if (canScroll(node)) return node;
  }
  return scrollRoot();
}

/** Returns what scrolls in the middle of the window: the page, or the pane of an app. */
function mainScroller() {
  const root = scrollRoot();
  if (root === null) return null;
  if (scrollHeightOf(root) - clientHeightOf(root) > 1) return root;
  const middle = hitIn(document, innerWidth / 2, innerHeight / 2);
  return middle === null ? root : scrollerAround(middle);
}

function toMiddle(el) {
  const on = elementWithBox(el);
  if (on !== el) scrollAround(on, () => boxOf(el), true);
  else el.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
}
