// What lies below the viewport when more of it is gathered already than can be shown: whole blocks are passed by and
// only counted, without reading what is in them. Should a block hold something that is taken out of the flow and
// stands in the viewport (a dialog inside of a card far below), a few hit tests at the end find it.

const COUNTED_ACTORS = "a[href],button,input,select,textarea,summary,[role=button],[role=link]";
const COUNTED_TEXTS = "p,li,td,th,dt,dd,h1,h2,h3,h4,h5,h6,pre,blockquote,span";
const PROBES = [[0.5, 0.5], [0.5, 0.9], [0.1, 0.5], [0.9, 0.5], [0.5, 0.1], [0.95, 0.95], [0.05, 0.95], [0.95, 0.05]];

/** block that was passed by → number of the look that did */
const passedAt = new WeakMap();

const isBelow = (el, ctx) => placeOf(rectOf(el), ctx.ownClip) === BELOW;

function passBy(el, tag, page, ctx) {
  passedAt.set(el, lookCount);
  page.passed ??= ctx;
  const list = listAround(page.holder);
  if (list !== null && list === page.holder && (tag === "li" || tag === "tr" || ITEMS.has(roleOf(el, tag)))) {
    list.missing = (list.missing ?? 0) + 1;
  }
  page.count(list, queryAll(el, COUNTED_ACTORS).length, queryAll(el, COUNTED_TEXTS).length + 1);
}

/** Visits what stands in the viewport though the block that holds it was passed by. */
function visitOverlays(page) {
  if (page.passed === null) return;
  const met = new Set();
  for (const [fx, fy] of PROBES) {
    const hit = documentHit.call(document, innerWidth * fx, innerHeight * fy);
    const overlay = hit === null ? null : overlayIn(hit);
    if (overlay === null || met.has(overlay)) continue;
    met.add(overlay);
    page.belowCost = 0;
    const ctx = new Context(page.passed);
    ctx.clip = ctx.rootClip;
    ctx.scroll = undefined;
    visit(overlay, page, ctx, overlay, true);
  }
}

/** The outermost positioned element around a hit, below a block that this look passed by. */
function overlayIn(hit) {
  let positioned = null;
  for (let node = hit, steps = 0; node !== null && steps < 1000; node = drawnParent(node), steps++) {
    if (passedAt.get(node) === lookCount) return positioned;
    if (styleOf(node).position !== "static") positioned = node;
  }
  return null;
}

/** Was it in a block that the last look passed by? Then it is not new, only not met yet. */
function wasPassedBy(el) {
  for (let node = el, steps = 0; node !== null && steps < 1000; node = drawnParent(node), steps++) {
    const at = passedAt.get(node);
    if (at !== undefined && at >= previousLook) return true;
  }
  return false;
}
