// Widgets that only a finger reaches: they listen for touches and for nothing that a mouse sends. Where the mouse is
// pressed on one, moved and released, the touches of a finger are sent as well, so that clicks, held presses and drags
// reach them.

const touchOnly = new WeakSet();
/** Documents in which the mouse is followed. */
const touchedDocuments = new WeakSet();
/** Element that the finger is on, or null. */
let fingerOn = null;

function noteTouchOnly(el) {
  touchOnly.add(el);
  const doc = ownerDocument(el);
  if (touchedDocuments.has(doc)) return;
  touchedDocuments.add(doc);
  listenOn(doc, "mousedown", beginTouch, true);
  listenOn(doc, "mousemove", (event) => sendTouch("touchmove", event), true);
  listenOn(doc, "mouseup", (event) => sendTouch("touchend", event), true);
}

function beginTouch(event) {
  const [target] = event.composedPath();
  fingerOn = event.isTrusted && event.button === 0 && nodeType(target) === 1 && isReachedByTouch(target) ? target : null;
  sendTouch("touchstart", event);
}

/** Reports whether the innermost element around that listens for presses hears only touches: others have the mouse. */
function isReachedByTouch(target) {
  for (let node = target, steps = 0; node !== null && steps < 200; node = drawnParent(node), steps++) {
    if (touchOnly.has(node)) return true;
    if (listening.has(node) || matches(node, CONTROLS)) return false;
  }
  return false;
}

/** Sends a touch to the element that the finger is on, where the mouse is. */
function sendTouch(kind, { isTrusted, clientX, clientY, pageX, pageY, screenX, screenY }) {
  if (fingerOn === null || !isTrusted) return;
  const target = fingerOn;
  const touch = new Touch({ identifier: 1, target, clientX, clientY, pageX, pageY, screenX, screenY, radiusX: 1, radiusY: 1, force: 1 });
  const isOver = kind === "touchend";
  if (isOver) fingerOn = null;
  const touches = isOver ? [] : [touch];
  dispatchTo(target, new TouchEvent(kind, { bubbles: true, cancelable: true, composed: true, touches, targetTouches: touches, changedTouches: [touch] }));
}
