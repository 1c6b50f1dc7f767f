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

/** Cursors and classes of handles by which something is dragged. */
const HANDLE_CURSORS = words("grab move ns-resize row-resize");
const HANDLE_CLASS = /(?:^|[\s_-])(?:grip|gripper|handle|handler|grabber|dragger|drag[-_]?(?:handle|icon|area|bar))(?:$|[\s_-])/i;
const HANDLE_DATA = "[data-drag-handle],[data-handle],[data-dnd-handle],[data-rfd-drag-handle-draggable-id],[data-rbd-drag-handle-draggable-id]";
const MOST_HANDLES_SEARCHED = 200;

/** Returns the handle by which an element is dragged, in it or in its row; null if it has none. */
function handleOf(el) {
  const row = closest(el, "li,tr,[role=row],[role=listitem]");
  for (const holder of row === null || row === el ? [el] : [el, row]) {
    const inner = queryAll(holder, "*");
    for (let i = 0; i < inner.length && i < MOST_HANDLES_SEARCHED; i++) if (inner[i] !== el && isHandleIn(inner[i], holder)) return inner[i];
  }
  return null;
}

/** Reports whether an element within another one looks like a handle: by its name, or a cursor that the other has not. */
function isHandleIn(el, holder) {
  const named = attr(el, "class") ?? "";
  if (!isShown(el) || /resiz/i.test(named)) return false;
  if (HANDLE_CLASS.test(named) || matches(el, HANDLE_DATA)) return boxOf(el).width > 1;
  const { cursor } = styleOf(el);
  return HANDLE_CURSORS.has(cursor) && styleOf(holder).cursor !== cursor;
}

const LARGEST_HANDLE = 48;

/** Names an element without words that is a handle by which what is around it is dragged; else "". */
function nameOfHandle(el) {
  const { width, height } = rectOf(el);
  const holder = drawnParent(el);
  const isHandle = width <= LARGEST_HANDLE && height <= LARGEST_HANDLE && holder !== null && isHandleIn(el, holder);
  return isHandle ? keepGuess(el, "drag handle") : "";
}

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
