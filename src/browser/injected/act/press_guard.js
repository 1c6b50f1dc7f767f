// Guard of a press: a page may put another element under the pointer between aiming and pressing, as a list that still
// slides open does, or a page that answers the pointer's coming. Such a press is suppressed before the page receives it.

/** Milliseconds within which an expected press is sent. */
const PRESS_WITHIN = 10_000;
/** Events that end a suppressed press, and further presses of one action, are sent within these milliseconds. */
const PRESS_ENDS_WITHIN = 1000;
const PRESS_BEGINS = words("pointerdown mousedown");
const PRESS_EVENTS = [...PRESS_BEGINS, "pointerup", "mouseup", "click", "auxclick", "dblclick", "contextmenu"];

/**
 * Press that is to come: {el, node, role, name, until, begun}; `node` is what is pressed for `el`, as its label; `begun` is
 * true once it has come. Null if none is.
 */
let expectedPress = null;
/** Time at which the press was sent that is suppressed now; null if none is. */
let suppressedSince = null;
/** Message about the press that was suppressed last, or null. */
let missedPress = null;

guardPresses(document);

/** Adds the listeners again where they are gone: a document that is opened for writing again loses them. */
function guardPresses(doc) {
  for (const kind of PRESS_EVENTS) listenOn(viewOf(doc), kind, checkPress, { capture: true, passive: false });
}

/** Has the next press checked: it is meant for this element. */
function expectPress(el) {
  guardPresses(document);
  guardPresses(ownerDocument(el));
  const role = roleOf(el);
  forgetPress();
  const until = performance.timeOrigin + performance.now() + PRESS_WITHIN;
  expectedPress = { el, node: shownBox(el)?.node ?? el, role, name: nameOf(el, role), until, begun: false };
}

function forgetPress() {
  expectedPress = null;
  missedPress = null;
  suppressedSince = null;
}

/** Checks an event of the mouse in a document of this origin (`input_guard.js` passes on those of frames). */
function checkPress(event) {
  if (!event.isTrusted) return;
  const sent = timeOfSending(event);
  if (event.type === "pointerdown" && suppressedSince !== null && sent - suppressedSince > PRESS_ENDS_WITHIN) suppressedSince = null;
  if (suppressedSince === null && expectedPress !== null && beginsPress(event, expectedPress)) {
    const [met] = event.composedPath();
    const other = sent > expectedPress.until || nodeType(met) !== 1 ? null : elementMetInstead(met, expectedPress);
    if (other !== null) {
      suppressedSince = sent;
      missedPress = coveredBy(met).error.message;
    }
    expectedPress.begun = true;
  }
  if (suppressedSince === null) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Returns the time at which an event was sent: a page that is busy receives it later. */
function timeOfSending(event) {
  const { performance: clock } = event.view ?? window;
  return clock.timeOrigin + event.timeStamp;
}

/** Reports whether an event begins the expected press, or a further one of a double click. */
const beginsPress = ({ type, detail }, { begun }) => PRESS_BEGINS.has(type) && (!begun || (type === "mousedown" && detail > 1));

/** Returns the element that a press at `met` would reach instead of the expected one; null if there is no other one. */
function elementMetInstead(met, { el, node, begun }) {
  const other = controlAround(met);
  if (!isLive(el)) return other === null || isRedrawn(other, expectedPress) ? null : other;
  if (reaches(met, el) || reaches(met, node)) return null;
  // The first press of a double click may open an editor in the place of what is edited.
  if (begun && isEditable(met)) return null;
  const around = other ?? met;
  return around === el || drawnInside(el, around) ? null : around;
}

/**
 * Reports whether a page that draws itself anew as the pointer comes has this control in the place of the expected one. The
 * first press of a double click may change its words.
 */
const isRedrawn = (other, { role, name, begun }) => (roleOf(other) === role && nameOf(other, role) === name) || (begun && !eidByNode.has(other));

/** Returns the innermost element around that acts on a press, or that a label around stands for; null if there is none. */
function controlAround(met) {
  for (let node = met, steps = 0; node !== null && steps < 200; node = drawnParent(node), steps++) {
    if (listening.has(node) || isHinted(node) || ACTED_ON.has(roleOf(node))) return node;
    const labelled = localName(node) === "label" ? labelControl(node) : null;
    if (labelled !== null) return labelled;
  }
  return null;
}
