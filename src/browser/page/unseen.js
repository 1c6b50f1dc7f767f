// What may hold secret fields and no look has gone through yet: roots that the page got since, and closed shadow roots.
// The latter only Rust can find (`hosts.js`): it is told which elements could have one.

/** The page is searched again after so long, and at once when it has more or fewer elements. */
const SEARCHED_FOR_MS = 100;
const MOST_UNSEEN = 200;
/** So many texts are looked at in one search whether they are drawn; the others in the next. */
const MOST_TEXTS = 1500;
let textsLeft = 0;

const ASKED_FOR_MS = 3000;

/** element → when Rust was asked about it, or its text was found drawn as it is, and whether it was defined by then */
const searched = new WeakMap();
let unseen = [];
let lastSearch = null;
const elementsOf = method(Document.prototype, "getElementsByTagName");

/** All roots as they are now. */
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

/** A large page is not searched all the time. */
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

/** One that had no root then may have one now. */
function isSearched(el) {
  const known = searched.get(el);
  return known !== undefined && (known.at === Infinity || performance.now() - known.at < ASKED_FOR_MS) && known.defined === isDefined(el);
}

/** Could it have a closed root? A custom element may; another one only if what is in it is not drawn. */
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

/** Is there text in it, and is it drawn? What it holds itself is not where a closed root is. */
function drawsText(el) {
  for (let node = firstChild(el); node !== null; node = nextSibling(node)) {
    if (nodeType(node) !== 3 || textData(node).trim() === "") continue;
    if (textsLeft-- > 0 && rangeBox(node).width === 0) return false;
    if (textsLeft >= 0) searched.set(el, { at: Infinity, defined: false });
    return true;
  }
  return false;
}

/** The elements to ask about, once each. */
function takeUnseen() {
  const taken = unseen;
  unseen = [];
  for (const el of taken) setSearched(el);
  lastSearch = null;
  return taken;
}
