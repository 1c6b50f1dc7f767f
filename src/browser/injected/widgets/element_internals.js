// Roles and states that custom elements give themselves by `ElementInternals`: they count as attributes, unless an
// attribute says otherwise. The wrapper in the page's own world answers (`internals_report.js`).

/** Attributes by element, as of the last question. */
const internalsByNode = new WeakMap();
let someInternals = false;
const dispatchTo = method(EventTarget.prototype, "dispatchEvent");
const listenOn = method(EventTarget.prototype, "addEventListener");
const unlistenOn = method(EventTarget.prototype, "removeEventListener");

/** Asks a custom element for its internals. */
function readInternals(el) {
  let told = null;
  const hear = (event) => (told = event.detail);
  listenOn(el, `${INTERNALS}.`, hear);
  dispatchTo(el, new CustomEvent(INTERNALS));
  unlistenOn(el, `${INTERNALS}.`, hear);
  if (typeof told !== "string") return;
  try {
    internalsByNode.set(el, JSON.parse(told));
    someInternals = true;
  } catch {
    // A page cannot send another text, but if it did, the element says nothing.
  }
}

const delegatesFocus = getter(ShadowRoot.prototype, "delegatesFocus");
const FIELDS_OF_HOST = "input:not([type=hidden]),textarea,select,[contenteditable]";

/** Returns the custom element that gives its focus to a field, the only one of its shadow tree; else null. */
function fieldHostOf(el) {
  const root = getRootNode(el);
  if (nodeType(root) !== 11 || !isShadow(root) || !delegatesFocus(root)) return null;
  const fields = queryAll(root, FIELDS_OF_HOST);
  if (fields.length !== 1 || fields[0] !== el) return null;
  readInternals(hostOf(root));
  return hostOf(root);
}

/** Returns why an element, or the one that it takes the focus for, says that its value is refused. */
function refusalOf(el) {
  const own = internalAttribute(el, "-refusal");
  const host = own === null ? fieldHostOf(el) : null;
  return own ?? (host === null ? "" : internalAttribute(host, "-refusal") ?? "");
}

/** Returns an attribute that an element has by its internals, or null. */
const internalAttribute = (el, name) => {
  const value = internalsByNode.get(el)?.[name];
  return typeof value === "string" ? value : null;
};
