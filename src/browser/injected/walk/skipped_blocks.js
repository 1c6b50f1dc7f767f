// Blocks below the viewport after enough lines have been collected: they are skipped and only counted, without
// reading their content. If a skipped block has an element positioned in the viewport (a dialog inside a card far
// below), a few hit tests at the end find it.

const COUNTED_ACTORS = "a[href],button,input,select,textarea,summary,[role=button],[role=link]";
const COUNTED_TEXTS = "p,li,td,th,dt,dd,h1,h2,h3,h4,h5,h6,pre,blockquote,span";
const PROBES = [[0.5, 0.5], [0.5, 0.9], [0.1, 0.5], [0.9, 0.5], [0.5, 0.1], [0.95, 0.95], [0.05, 0.95], [0.95, 0.05]];

/** Number of the observation that skipped a block. */
const skippedAt = new WeakMap();

const isBelow = (el, ctx) => placeOf(rectOf(el), ctx.ownClip) === BELOW;

function skipBlock(el, tag, page, ctx) {
  skippedAt.set(el, observationCount);
  page.passed ??= ctx;
  const list = listAround(page.holder);
  if (list !== null && list === page.holder && (tag === "li" || tag === "tr" || ITEMS.has(roleOf(el, tag)))) {
    list.missing = (list.missing ?? 0) + 1;
  }
  page.count(list, queryAll(el, COUNTED_ACTORS).length, queryAll(el, COUNTED_TEXTS).length + 1);
}

/** Visits elements in the viewport whose block was skipped. */
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

/** Returns the outermost positioned element at a hit, within a block that this observation skipped. */
function overlayIn(hit) {
  let positioned = null;
  for (let node = hit, steps = 0; node !== null && steps < 1000; node = drawnParent(node), steps++) {
    if (skippedAt.get(node) === observationCount) return positioned;
    if (styleOf(node).position !== "static") positioned = node;
  }
  return null;
}

/** Reports whether the last observation skipped the element's block; then the element is not new. */
function wasSkipped(el) {
  for (let node = el, steps = 0; node !== null && steps < 1000; node = drawnParent(node), steps++) {
    const at = skippedAt.get(node);
    if (at !== undefined && at >= previousObservation) return true;
  }
  return false;
}
