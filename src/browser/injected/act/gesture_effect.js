// Effect of a gesture: a drag or a turn of the wheel may do nothing at all. What a page changes by itself, as a clock, is none.

/** State of the page before the gesture. */
let beforeGesture = null;

/** Milliseconds within which a drag that moved nothing is tried again. */
const TRIED_AGAIN_WITHIN = 1000;
/** Element of the last drag, if that moved nothing: {eid, at}. */
let failedDrag = null;
/** Most elements of a page that are compared one by one; of larger pages, each change counts. */
const MOST_COMPARED = 8000;
/** Milliseconds of watching after a gesture for what changes by itself: clocks tick each second. */
const OWN_CHANGES_MS = 1150;

function rememberState() {
  beforeGesture = stateOfPage();
  if (failedDrag !== null && performance.now() - failedDrag.at > TRIED_AGAIN_WITHIN) failedDrag = null;
  return true;
}

/** Resolves to true if the gesture has changed the page, once it is still, or if that cannot be told. */
async function stateChanged(eids) {
  if (beforeGesture === null) return true;
  await settle({ quietMs: 80, maxMs: 1200 });
  const nodes = eids.map((eid) => nodeOf(eid));
  const changed = nodes.some((node) => node === null || isUnreadable(node)) || (await differsByGesture(beforeGesture, nodes));
  if (eids.length === 2) failedDrag = changed ? null : { eid: eids[0], at: performance.now() };
  return changed;
}

/** Reports, once, whether an element is about to be dragged again because the first drag of it moved nothing. */
function consumeFailedDrag(eid) {
  if (failedDrag?.eid !== eid) return false;
  const again = performance.now() - failedDrag.at <= TRIED_AGAIN_WITHIN;
  failedDrag = null;
  return again;
}

/** Attributes that a gesture leaves behind empty. */
const EMPTIED = / (?:style|class)=""/g;
const VALUE_FIELDS = "input,textarea,select";

/** Reads what a gesture may change: address, scroll positions, values of fields, and the elements. */
function stateOfPage() {
  const state = { place: [location.href], html: [], marks: new Map() };
  for (const root of allRoots()) {
    const top = nodeType(root) === 9 ? rootElementOf(root) : root;
    if (top === null) continue;
    state.html.push(String(top.innerHTML).replace(EMPTIED, ""));
    for (const field of queryAll(root, VALUE_FIELDS)) state.place.push(isSecret(field) ? String(field.value.length) : `${field.value} ${field.checked === true}`);
    const all = queryAll(root, "*");
    for (const el of all) if (scrollTopOf(el) !== 0 || scrollLeftOf(el) !== 0) state.place.push(`${scrollTopOf(el)} ${scrollLeftOf(el)}`);
    if (state.marks !== null && state.marks.size + all.length <= MOST_COMPARED) for (const el of all) state.marks.set(el, markOf(el));
    else state.marks = null;
  }
  return state;
}

const attributesOf = getter(Element.prototype, "attributes");

/** Returns the attributes and own texts of an element as one text. */
function markOf(el) {
  const parts = [];
  for (const { name, value } of attributesOf(el)) if (value !== "" || !/^(?:style|class)$/.test(name)) parts.push(`${name}=${value}`);
  for (let node = firstChild(el); node !== null; node = nextSibling(node)) if (nodeType(node) === 3) parts.push(node.data);
  return parts.join(" ");
}

const isSame = (list, other) => list.length === other.length && list.every((part, at) => part === other[at]);

/** Resolves to true if the page differs from an earlier state in more than it changes by itself. */
async function differsByGesture(before, nodes) {
  const after = stateOfPage();
  if (!isSame(before.place, after.place)) return true;
  if (isSame(before.html, after.html)) return false;
  if (before.marks === null || after.marks === null) return true;
  const own = await ownChanges();
  // A move within what the page draws anew by itself cannot be told from that.
  if (own.size === 0 || nodes.some((node) => isInsideOneOf(node, own))) return true;
  return !isSame(...[before, after].map(({ marks }) => Array.from(marks).filter(([el]) => !isInsideOneOf(el, own)).flat()));
}

/** Resolves to the elements that the page changes while nobody does anything. */
async function ownChanges() {
  const changed = new Set();
  const note = (records) => {
    for (const { target } of records) changed.add(nodeType(target) === 3 ? parentNode(target) : target);
  };
  const observer = new MutationObserver(note);
  for (const root of allRoots()) observer.observe(root, { childList: true, attributes: true, characterData: true, subtree: true });
  await new Promise((resolve) => setTimeout(resolve, OWN_CHANGES_MS));
  note(observer.takeRecords());
  observer.disconnect();
  return changed;
}

/** Reports whether an element is one of these, or within one. */
function isInsideOneOf(el, elements) {
  for (let node = el; node !== null; node = parentNode(node)) if (elements.has(node)) return true;
  return false;
}

const UNREADABLE = "canvas,video,iframe,frame,object,embed";
const isUnreadable = (el) => matches(el, UNREADABLE) || query(el, UNREADABLE) !== null;
