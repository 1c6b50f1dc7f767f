// Dragging: detects whether native drag and drop has begun with an element, and whether a drop was accepted. Pages
// that move elements themselves, by the pointer, start no native drag.

/** Events of the current drag, by window. */
const drags = new WeakMap();

function watchDrag(eid) {
  const el = nodeOf(eid);
  if (el === null) return deadEid(eid);
  const view = viewOf(ownerDocument(el));
  drags.get(view)?.stop();
  const record = { start: null, taken: false, over: null };
  // Selected text would be dragged instead of the element.
  view.getSelection()?.removeAllRanges();
  const listen = { start: (event) => (record.start = event), drop: () => (record.taken = true), over: (event) => (record.over = event) };
  view.addEventListener("dragstart", listen.start, { capture: true });
  view.addEventListener("drop", listen.drop, { capture: true });
  view.addEventListener("dragover", listen.over, { capture: true });
  record.stop = () => {
    view.removeEventListener("dragstart", listen.start, { capture: true });
    view.removeEventListener("drop", listen.drop, { capture: true });
    view.removeEventListener("dragover", listen.over, { capture: true });
  };
  drags.set(view, record);
  return true;
}

const dragRecord = (eid) => {
  const el = nodeOf(eid);
  return el === null ? undefined : drags.get(viewOf(ownerDocument(el)));
};

/** Reports whether a drag of an element may begin only after a delay: native ones begin with the first move. */
function dragMayWait(eid) {
  const el = nodeOf(eid);
  return el === null ? deadEid(eid) : closest(el, "[draggable=true],a[href],img") === null;
}

/** Reports whether a native drag has begun. A page may prevent it and move the element itself. */
const dragBegan = (eid) => {
  const start = dragRecord(eid)?.start ?? null;
  return start !== null && !start.defaultPrevented;
};

/** Reports whether the page takes a drop where the drag is now. */
const takesDrop = (eid) => dragRecord(eid)?.over?.defaultPrevented === true;

/** Reports whether the drop was accepted. Also true if the page removed the target element on the drop. */
function dropTaken(eid) {
  const record = dragRecord(eid);
  record?.stop();
  return record === undefined || record.taken;
}
