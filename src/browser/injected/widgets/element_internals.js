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

/** Returns the custom element that a control draws, the only one of its shadow tree; else null. */
function hostDrawnBy(el) {
  const root = getRootNode(el);
  if (nodeType(root) !== 11 || !isShadow(root) || !localName(hostOf(root)).includes("-")) return null;
  const controls = queryAll(root, NEAR_FIELD);
  return controls.length === 1 && controls[0] === el ? hostOf(root) : null;
}

/** Returns what the custom element says of itself that a control draws, or "". */
function labelOfHost(el) {
  const host = hostDrawnBy(el);
  return host === null ? "" : labelledBy(host) || attr(host, "aria-label")?.trim() || attr(host, "label")?.trim() || "";
}

/** Returns the words by which a form or a script knows the custom element that a control draws, or "". */
function guessOfHost(el) {
  const host = hostDrawnBy(el);
  return host === null ? "" : nameInIds(host);
}

const MOST_HOSTS_WITHIN = 60;
const MOST_TREES = 3;

/** Reports whether a custom element in this part of the page draws a control that another element than `el` stands for. */
function drawsControlFor(part, selector, el, left = MOST_TREES) {
  const all = [part, ...Array.prototype.slice.call(queryAll(part, "*"), 0, MOST_HOSTS_WITHIN)];
  return all.some((host) => {
    const root = nodeType(host) === 1 && localName(host).includes("-") ? shadowRootOf(host) : null;
    if (root === null || drawnInside(el, host)) return false;
    const isDrawnThere = (one) => rawVisible.call(one, { visibilityProperty: true });
    return Array.prototype.some.call(queryAll(root, selector), isDrawnThere) || (left > 0 && drawsControlFor(root, selector, el, left - 1));
  });
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
