// Live regions around a control ("You have unsaved edits"): they may appear while a person reads a question.

const LIVE_REGIONS = "[role=status],[role=alert],[role=log],[role=timer],[aria-live=polite],[aria-live=assertive]";
const MOST_LIVE = 20;

/**
 * Returns the live regions within an element that come and go beside a control: without those that hold the control,
 * and without those that state money.
 */
function liveRegionsBeside(holder, el) {
  const found = new Set();
  const all = queryAll(holder, LIVE_REGIONS);
  for (let i = 0; i < all.length && i < MOST_LIVE; i++) {
    if (!contains(all[i], el) && !statesMoney(visibleText(all[i], 1000))) found.add(all[i]);
  }
  return found;
}

/** Returns the visible text of an element without these regions. */
const textWithoutRegions = (el, most, regions) => textWithout(el, most, (part) => regions.has(part));

/**
 * Returns what the live regions around a control say, and the texts around it without them: what an approval is bound
 * to beside them. Empty if there are none.
 */
function liveFacts(el, name, form) {
  const root = form ?? rootElementOf(ownerDocument(el));
  const regions = root === null ? new Set() : liveRegionsBeside(root, el);
  if (regions.size === 0) return {};
  const says = [...regions].map((region) => shortenText(visibleText(region, 1000), 200)).filter((text) => text !== "");
  return {
    live: says,
    lastingNear: nearText(el, name, (node, most) => textWithoutRegions(node, most, regions)),
    lastingText: form === null ? "" : shortenText(textWithoutRegions(form, 20000, regions), 500, "\n"),
  };
}
