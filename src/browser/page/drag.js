// Dragging: has the browser's own drag and drop begun with an element, and was what was dropped taken? A page that
// moves things by itself, after the pointer, starts none.

/** window → what was heard there since the drag began */
const drags = new WeakMap();

function watchDrag(eid) {
  const el = nodeOf(eid);
  if (el === null) return deadEid(eid);
  const view = viewOf(ownerDocument(el));
  drags.get(view)?.stop();
  const heard = { start: null, taken: false };
  // Selected text would be dragged in place of what stands there.
  view.getSelection()?.removeAllRanges();
  const listen = { start: (event) => (heard.start = event), drop: () => (heard.taken = true) };
  view.addEventListener("dragstart", listen.start, { capture: true });
  view.addEventListener("drop", listen.drop, { capture: true });
  heard.stop = () => {
    view.removeEventListener("dragstart", listen.start, { capture: true });
    view.removeEventListener("drop", listen.drop, { capture: true });
  };
  drags.set(view, heard);
  return true;
}

const heardBy = (eid) => {
  const el = nodeOf(eid);
  return el === null ? undefined : drags.get(viewOf(ownerDocument(el)));
};

/** A page may forbid it and do the dragging itself. */
const dragBegan = (eid) => {
  const start = heardBy(eid)?.start ?? null;
  return start !== null && !start.defaultPrevented;
};

/** Also true where the page took the element away as it was dropped on it. */
function dropTaken(eid) {
  const heard = heardBy(eid);
  heard?.stop();
  return heard === undefined || heard.taken;
}
