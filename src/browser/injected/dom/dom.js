// Access to the DOM through captured prototype getters, so that a form with fields named "children", "parentNode" or
// "attributes" (DOM clobbering) cannot deceive or break this script.
//
// Rust concatenates the files of `injected` into one strict function scope, in the order of `PARTS` in its
// `mod.rs`. There is no import or export; every top-level name is shared. The last file defines
// `globalThis.askfirst`.

const getter = (proto, name) => {
  const read = Object.getOwnPropertyDescriptor(proto, name).get;
  return (node) => read.call(node);
};
const method = (proto, name) => {
  const call = proto[name];
  return (node, ...args) => call.apply(node, args);
};

const firstChild = getter(Node.prototype, "firstChild");
const nextSibling = getter(Node.prototype, "nextSibling");
const previousSibling = getter(Node.prototype, "previousSibling");
const parentNode = getter(Node.prototype, "parentNode");
const nodeType = getter(Node.prototype, "nodeType");
const isConnected = getter(Node.prototype, "isConnected");
const ownerDocument = getter(Node.prototype, "ownerDocument");
const textContent = getter(Node.prototype, "textContent");
const hasAttributes = method(Element.prototype, "hasAttributes");
const getRootNode = method(Node.prototype, "getRootNode");
const contains = method(Node.prototype, "contains");
const textData = getter(CharacterData.prototype, "data");
const localName = getter(Element.prototype, "localName");
const openRootOf = getter(Element.prototype, "shadowRoot");
const assignedSlot = getter(Element.prototype, "assignedSlot");
const childElementCount = getter(Element.prototype, "childElementCount");
const nextElement = getter(Element.prototype, "nextElementSibling");
const previousElement = getter(Element.prototype, "previousElementSibling");
const firstElementChild = getter(Element.prototype, "firstElementChild");
const scrollTopOf = getter(Element.prototype, "scrollTop");
const scrollLeftOf = getter(Element.prototype, "scrollLeft");
const scrollHeightOf = getter(Element.prototype, "scrollHeight");
const scrollWidthOf = getter(Element.prototype, "scrollWidth");
const clientHeightOf = getter(Element.prototype, "clientHeight");
const clientWidthOf = getter(Element.prototype, "clientWidth");
const rawAttribute = Element.prototype.getAttribute;
const rawHasAttribute = Element.prototype.hasAttribute;
const rawRect = Element.prototype.getBoundingClientRect;
const rawVisible = Element.prototype.checkVisibility;
const rawMatches = Element.prototype.matches;
const rawClosest = Element.prototype.closest;
const rawQuery = Element.prototype.querySelector;
const rawQueryAll = Element.prototype.querySelectorAll;
const documentQuery = Document.prototype.querySelector;
const documentQueryAll = Document.prototype.querySelectorAll;
const fragmentQueryAll = DocumentFragment.prototype.querySelectorAll;
const bodyOf = getter(Document.prototype, "body");
const rootElementOf = getter(Document.prototype, "documentElement");
const viewOf = getter(Document.prototype, "defaultView");
const activeElementOf = getter(Document.prototype, "activeElement");
const shadowActive = getter(ShadowRoot.prototype, "activeElement");
const hostOf = getter(ShadowRoot.prototype, "host");
const assignedNodes = method(HTMLSlotElement.prototype, "assignedNodes");
const frameDocument = getter(HTMLIFrameElement.prototype, "contentDocument");
const labelControl = getter(HTMLLabelElement.prototype, "control");
const formElements = getter(HTMLFormElement.prototype, "elements");

/** Closed shadow roots by host, as far as Rust has passed them (`closed_shadow_roots.js`). */
const closedRoots = new WeakMap();
let someClosed = false;
const shadowRootOf = (el) => openRootOf(el) ?? (someClosed ? closedRoots.get(el) ?? null : null);

const LONGEST_ATTRIBUTE = 4000;
const attr = (el, name) => {
  const value = rawAttribute.call(el, name) ?? (someInternals ? internalAttribute(el, name) : null);
  return value !== null && value.length > LONGEST_ATTRIBUTE ? value.slice(0, LONGEST_ATTRIBUTE) : value;
};
const hasAttr = (el, name) => rawHasAttribute.call(el, name) || (someInternals && internalAttribute(el, name) !== null);
const rectOf = (el) => rawRect.call(el);
const matches = (el, selector) => rawMatches.call(el, selector);
const closest = (el, selector) => rawClosest.call(el, selector);
const query = (el, selector) => rawQuery.call(el, selector);
const queryAll = (node, selector) => {
  const type = nodeType(node);
  const ask = type === 1 ? rawQueryAll : type === 9 ? documentQueryAll : fragmentQueryAll;
  return ask.call(node, selector);
};
const styleOf = (el) => getComputedStyle(el);

/** Returns the parent if it is an element, and neither a shadow root nor a document; else null. */
const parentElement = (node) => {
  const parent = parentNode(node);
  return parent !== null && nodeType(parent) === 1 ? parent : null;
};

/** Returns the document of a frame that this script can read, or null. */
function innerDocument(el) {
  try {
    const tag = localName(el);
    if (tag === "iframe") return frameDocument(el);
    if (tag === "frame" || tag === "object") return el.contentDocument;
    return tag === "embed" ? embeddedDocument(el) : null;
  } catch {
    return null;
  }
}

/** Finds the document of an embed, which does not expose it, through the windows of the page. */
function embeddedDocument(el) {
  const view = viewOf(ownerDocument(el));
  for (let i = 0; view !== null && i < view.length && i < 100; i++) {
    try {
      if (view[i].frameElement === el) return view[i].document;
    } catch {
      // The frame is of another origin.
    }
  }
  return null;
}

/** Returns the parent in the flat tree, through slots, shadow hosts and frame elements. */
function drawnParent(node) {
  if (nodeType(node) === 1) {
    const slot = assignedSlot(node);
    if (slot) return slot;
  }
  const parent = parentNode(node);
  if (parent === null) return null;
  const type = nodeType(parent);
  if (type === 1) return parent;
  if (type === 11) return isShadow(parent) ? hostOf(parent) : null;
  return type === 9 ? frameElementOf(parent) : null;
}

function frameElementOf(doc) {
  try {
    const view = viewOf(doc);
    return view === null || view === window ? null : view.frameElement;
  } catch {
    return null;
  }
}

function isShadow(node) {
  try {
    return hostOf(node) !== undefined;
  } catch {
    return false;
  }
}

/** Visits the children in the flat tree: of a shadow host its shadow tree, of a slot its assigned nodes. */
function drawnChildren(el, tag, each) {
  if (tag === "slot") {
    const assigned = assignedNodes(el);
    if (assigned.length > 0) {
      for (const node of assigned) each(node);
      return;
    }
  }
  const shadow = shadowRootOf(el);
  for (let node = firstChild(shadow ?? el); node !== null; node = nextSibling(node)) each(node);
}

/** Reports whether `inner` is `outer` or a descendant of it in the flat tree. */
function drawnInside(inner, outer) {
  for (let node = inner, guard = 0; node !== null && guard < 3000; node = drawnParent(node), guard++) {
    if (node === outer) return true;
  }
  return false;
}
