// Roots that may hold secret fields and that no observation has covered: new roots, and closed shadow roots. Only
// Rust can find the latter (`closed_shadow_roots.js`), so it is told which elements could have one.

/** Milliseconds after which the page is searched again; earlier if its number of elements changed. */
const SEARCHED_FOR_MS = 100;
const MOST_UNSEEN = 200;
/** Number of texts per search that are checked for being drawn; the rest are checked in the next. */
const MOST_TEXTS = 1500;
const MAY_HOLD_SECRETS = `${CAN_BE_SECRET},iframe,frame,object,embed`;
let textsLeft = 0;

const ASKED_FOR_MS = 3000;

/**
 * Time at which Rust was asked about an element, or Infinity if its text was found drawn, and whether it was defined
 * then.
 */
const searched = new WeakMap();
let unseen = [];
let lastSearch = null;
const elementsOf = method(Document.prototype, "getElementsByTagName");

/** Returns all current roots. */
function rootsNow() {
  const count = elementsOf(document, "*").length;
  if (isDue(count)) {
    const all = new Set([document]);
    const at = performance.now();
    unseen = [];
    textsLeft = MOST_TEXTS;
    search(document, all);
    lastSearch = { all, count, at, took: performance.now() - at };
  }
  return [...lastSearch.all].filter((root) => (nodeType(root) === 9 ? viewOf(root) !== null : isConnected(root)));
}

/** Reports whether to search again. A large page is searched less often. */
function isDue(count) {
  if (lastSearch === null || unseen.length > 0) return true;
  const ago = performance.now() - lastSearch.at;
  return ago > Math.max(SEARCHED_FOR_MS, 20 * lastSearch.took) || (lastSearch.count !== count && ago > 4 * lastSearch.took);
}

function search(root, all) {
  for (const el of queryAll(root, "*")) {
    const inner = shadowRootOf(el) ?? innerDocument(el);
    if (inner === null) mayHide(el);
    else if (!all.has(inner)) {
      all.add(inner);
      search(inner, all);
    }
  }
}

const isDefined = (el) => localName(el).includes("-") && matches(el, ":defined");
const setSearched = (el) => searched.set(el, { at: performance.now(), defined: isDefined(el) });

/** Reports whether an element needs no query now. One without a root may get one later, so the result expires. */
function isSearched(el) {
  const known = searched.get(el);
  return known !== undefined && (known.at === Infinity || performance.now() - known.at < ASKED_FOR_MS) && known.defined === isDefined(el);
}

/** Records an element that may have a closed root: a custom element, or another whose content is not drawn. */
function mayHide(el) {
  if (unseen.length >= MOST_UNSEEN) return;
  const tag = localName(el);
  const custom = tag.includes("-");
  if ((!custom && !CAN_BE_HOST.has(tag)) || isSearched(el)) return;
  if (!custom) {
    const first = firstElementChild(el);
    if (first !== null && isShown(first)) return;
    const box = rectOf(el);
    if (box.width < LEAST_HOST || box.height < LEAST_HOST || drawsText(el)) return;
  }
  unseen.push(el);
}

/** Reports whether an element has text that is drawn. The light content of a host with a closed root is not. */
function drawsText(el) {
  for (let node = firstChild(el); node !== null; node = nextSibling(node)) {
    if (nodeType(node) !== 3 || textData(node).trim() === "") continue;
    if (textsLeft-- > 0 && rangeBox(node).width === 0) return false;
    if (textsLeft >= 0) searched.set(el, { at: Infinity, defined: false });
    return true;
  }
  return false;
}

/** Takes the elements to ask Rust about, each only once. */
function takeUnseen() {
  const taken = unseen;
  unseen = [];
  for (const el of taken) setSearched(el);
  lastSearch = null;
  return taken;
}

/** Number of elements up to which a document is searched for what may hold a secret field some day. */
const MOST_PLAIN = 500;

/**
 * Returns whether the document changed since its observation, its secret fields, and whether it is a frame that has none
 * as long as it does not change. Only of frames at rest the last is asked for: it looks at every element.
 */
function afterObservation(framesHold) {
  const changed = hasChanged();
  return [changed, secretsHere(framesHold), !changed && self !== top && holdsNothingSecret()];
}

/** Reports whether a document has nothing that is, or may hold, a secret field: no fields, frames, roots, or hosts. */
function holdsNothingSecret() {
  const all = elementsOf(document, "*");
  if (all.length > MOST_PLAIN || unseen.length > 0 || rootsNow().length > 1) return false;
  return [...all].every((el) => !localName(el).includes("-") && !matches(el, MAY_HOLD_SECRETS));
}
