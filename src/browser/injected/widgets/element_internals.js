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

/** Returns an attribute that an element has by its internals, or null. */
const internalAttribute = (el, name) => {
  const value = internalsByNode.get(el)?.[name];
  return typeof value === "string" ? value : null;
};
