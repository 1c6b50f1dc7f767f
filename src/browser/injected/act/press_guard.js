// Guard of a press: a page may put another control under the pointer between aiming and pressing, as a list that still
// slides open does, or a page that answers the pointer's coming. Such a press is suppressed before the page receives it.

/** Milliseconds within which an expected press comes. */
const PRESS_WITHIN = 3000;
/** Events that end a suppressed press come within these milliseconds. */
const PRESS_ENDS_WITHIN = 1000;
const PRESS_BEGINS = words("pointerdown mousedown");
const PRESS_EVENTS = [...PRESS_BEGINS, "pointerup", "mouseup", "click", "auxclick", "dblclick", "contextmenu"];

/** Press that is to come: {el, node, role, name, until}; `node` is what is pressed for `el`, as its label. Null if none is. */
let expectedPress = null;
/** Time until which events of the mouse are suppressed. */
let suppressedUntil = 0;
/** Message about the press that was suppressed last, or null. */
let missedPress = null;
/** Documents whose presses are guarded. */
const guardedDocuments = new WeakSet();

guardPresses(document);

function guardPresses(doc) {
  if (guardedDocuments.has(doc)) return;
  guardedDocuments.add(doc);
  for (const kind of PRESS_EVENTS) listenOn(viewOf(doc), kind, checkPress, { capture: true, passive: false });
}

/** Has the next press checked: it is meant for this element. */
function expectPress(el) {
  guardPresses(ownerDocument(el));
  const role = roleOf(el);
  forgetPress();
  expectedPress = { el, node: shownBox(el)?.node ?? el, role, name: nameOf(el, role), until: performance.now() + PRESS_WITHIN };
}

function forgetPress() {
  expectedPress = null;
  missedPress = null;
  suppressedUntil = 0;
}

function checkPress(event) {
  if (!event.isTrusted) return;
  if (expectedPress !== null && PRESS_BEGINS.has(event.type)) {
    const { until } = expectedPress;
    const [met] = event.composedPath();
    const other = performance.now() > until || nodeType(met) !== 1 ? null : controlMetInstead(met, expectedPress);
    if (other !== null) {
      suppressedUntil = performance.now() + PRESS_ENDS_WITHIN;
      missedPress = coveredBy(met).error.message;
    }
    expectedPress = null;
  }
  if (performance.now() >= suppressedUntil) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Returns the control that a press at an element would reach instead of the expected one; null if there is no other one. */
function controlMetInstead(met, { el, node, role, name }) {
  const other = controlAround(met);
  if (other === null) return null;
  // A page that draws itself anew as the pointer comes has the same control in the place of the old one.
  if (!isLive(el)) return roleOf(other) === role && nameOf(other, role) === name ? null : other;
  return other === el || reaches(met, el) || reaches(met, node) || drawnInside(el, other) ? null : other;
}

/** Returns the innermost element around that acts on a press, or null. */
function controlAround(met) {
  for (let node = met, steps = 0; node !== null && steps < 200; node = drawnParent(node), steps++) {
    if (listening.has(node) || isHinted(node) || ACTED_ON.has(roleOf(node))) return node;
  }
  return null;
}
