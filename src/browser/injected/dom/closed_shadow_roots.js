// Closed shadow roots. No script can access one from outside, but Chromium reports them to Rust, which passes them
// in. Only possible hosts are queried: custom elements, and other elements with a box but no visible content.

const CAN_BE_HOST = words("article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span");
const MOST_HOSTS = 40;
const LEAST_HOST = 8;

/** Elements that Rust has been asked about. */
const queriedElements = new WeakSet();
let suspects = [];

const mayAsk = (el) => suspects.length < MOST_HOSTS && !queriedElements.has(el);

/** Suspects a custom element, which may have a closed root whatever is visible in it. */
function suspectCustom(el) {
  if (mayAsk(el) && shadowRootOf(el) === null && matches(el, ":defined")) suspects.push(el);
}

/** Suspects an element that takes up room although nothing was found in it. */
function suspectEmpty(el) {
  if (!mayAsk(el)) return;
  const first = firstElementChild(el);
  if (first !== null && isShown(first)) return;
  const box = rectOf(el);
  if (box.width >= LEAST_HOST && box.height >= LEAST_HOST) suspects.push(el);
}

/** Elements suspected because they were hit where they have no box. */
const hitSuspects = new WeakSet();

/**
 * Suspects what is hit in the middle and in a corner of a document's window: the dialog of a closed root is hit as its
 * host, which may stand where nothing is read (behind another dialog) and have no box of its own.
 */
function suspectHits(doc) {
  const view = viewOf(doc);
  if (view === null) return;
  for (const [x, y] of [[view.innerWidth / 2, view.innerHeight / 2], [2, 2]]) {
    const hit = hitWithin(doc, x, y);
    if (hit === null || hitSuspects.has(hit) || shadowRootOf(hit) !== null || suspects.length >= MOST_HOSTS) continue;
    const tag = localName(hit);
    if (!tag.includes("-") && !(CAN_BE_HOST.has(tag) && tag !== "body" && isOutside(x, y, rectOf(hit)))) continue;
    hitSuspects.add(hit);
    if (!suspects.includes(hit)) suspects.push(hit);
  }
}

const isOutside = (x, y, { left, top, right, bottom }) => x < left || x > right || y < top || y > bottom;

/** Takes the elements to ask Rust about, each only once. */
function takeSuspects() {
  const taken = suspects;
  suspects = [];
  for (const el of taken) queriedElements.add(el);
  return taken;
}

/** Records a closed root that Rust found; it is walked from now on. */
function adopt(root) {
  closedRoots.set(hostOf(root), root);
  someClosed = true;
  return true;
}
