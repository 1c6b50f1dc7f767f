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

/** Part of an item's size by which a drag ends beyond its middle: past the half, but not in its outer third. */
const BEYOND_MIDDLE = 0.15;

/** Returns two elements, or what holds each of them, as items of one list; null if they are in different lists. */
function itemsOfOneList(from, to) {
  let [one, other] = [from, to];
  for (let steps = 0; steps < 6; steps++) {
    const [holder, otherHolder] = [parentNode(one), parentNode(other)];
    if (holder === otherHolder) return [one, other];
    if (holder === null || otherHolder === null || nodeType(holder) !== 1 || nodeType(otherHolder) !== 1) return null;
    if ([previousElement(one), nextElement(one)].some((beside) => beside !== null && isAlike(beside, one))) return null;
    [one, other] = [holder, otherHolder];
  }
  return null;
}

/**
 * Returns how far from the middle of the target a drag ends: among items of one list the dragged one takes the place of the
 * target, in another list it comes before it. Pages compare the pointer with the middle of the target.
 */
function dropShift(from, to) {
  const [dragged, target] = [nodeOf(from), nodeOf(to)];
  if (dragged === null || target === null || roleOf(target) === "treeitem") return [0, 0];
  if (!isAlike(dragged, target)) return shiftToFreePlace(dragged, target);
  const items = itemsOfOneList(dragged, target);
  const [a, b] = (items ?? [dragged, target]).map(rectOf);
  const isRow = [previousElement, nextElement].some((step) => isBesideIn(b, step(items?.[1] ?? target)));
  if (!isRow) return [0, (items !== null && b.top > a.top ? 1 : -1) * b.height * BEYOND_MIDDLE];
  const isLast = items !== null && (dragged.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  const rightward = items !== null && isInRow(a, b) ? b.left > a.left : isLast !== (styleOf(target).direction === "rtl");
  return [(rightward ? 1 : -1) * b.width * BEYOND_MIDDLE, 0];
}

const PLACE_GAP = 16;
const MOST_RINGS = 8;

/**
 * Returns how far from the middle of a drawing area (the canvas of a flow, a board of notes) there is room for the dragged
 * thing: a drop in the middle would land on what was dropped there before. [0, 0] where things lie in lines, as in lists.
 */
function shiftToFreePlace(dragged, area) {
  const part = partInView(area, boxOf(area));
  if (part === null) return [0, 0];
  const { width, height } = rectOf(dragged);
  const [wide, high] = [Math.min(width, 300) + PLACE_GAP, Math.min(height, 300) + PLACE_GAP];
  const middle = { x: (part.left + part.right) / 2, y: (part.top + part.bottom) / 2 };
  const taken = placedThings(dragged, area);
  const isFree = (x, y) => taken.every((box) => Math.abs((box.left + box.right) / 2 - x) * 2 >= box.width + wide || Math.abs((box.top + box.bottom) / 2 - y) * 2 >= box.height + high);
  const isInside = (x, y) => x - wide / 2 >= part.left && x + wide / 2 <= part.right && y - high / 2 >= part.top && y + high / 2 <= part.bottom;
  if (isFree(middle.x, middle.y)) return [0, 0];
  for (let ring = 1; ring <= MOST_RINGS; ring++) {
    for (const [across, down] of [[0, 1], [1, 0], [0, -1], [-1, 0], [1, 1], [-1, 1], [1, -1], [-1, -1]]) {
      const [right, below] = [across * ring * wide, down * ring * high];
      if (isInside(middle.x + right, middle.y + below) && isFree(middle.x + right, middle.y + below)) return [right, below];
    }
  }
  return [0, 0];
}

/** Returns the boxes of the numbered things in an area that have a place of their own there: drawn, or positioned. */
function placedThings(dragged, area) {
  const { width, height } = boxOf(area);
  const boxes = [];
  for (const { ref } of things.values()) {
    const el = ref.deref();
    if (!isLive(el) || el === dragged || el === area || !contains(area, el) || !isShown(el) || !isPlaced(el, area)) continue;
    const box = boxOf(el);
    if (box.width * box.height < width * height / 4) boxes.push(box);
  }
  return boxes;
}

function isPlaced(el, area) {
  for (let node = el; node !== null && node !== area; node = parentNode(node)) {
    if (namespaceOf(node) === SVG || /^(?:absolute|fixed)$/.test(styleOf(node).position)) return true;
  }
  return false;
}

const isBesideIn = (box, other) => other !== null && isInRow(rectOf(other), box);
const isInRow = (a, b) => a.width > 0 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > Math.min(a.height, b.height) / 2;

const REST = 60;
const LONGEST_REST = 400;

/** Resolves when nothing on the page has changed or moved for a moment. */
async function awaitRest() {
  const began = performance.now();
  const watch = new ChangeWatch();
  for (;;) {
    await nextFrame();
    watch.read();
    const now = performance.now();
    if (now - began >= LONGEST_REST || (now - watch.lastChange >= REST && !isMoving())) break;
  }
  watch.stop();
  return true;
}
