// Boxes that only the wheel moves: scrollers that shift their content by a transform, drawings and maps that zoom. They
// have no scroll bars, and nothing but the listener tells them.

/** Nodes with known wheel listeners. */
const wheeled = new WeakSet();
let someWheeled = false;

const NO_WHEEL_BOX = words("html body input select textarea button a label option iframe td th tr li");
const [LEAST_WHEEL_WIDTH, LEAST_WHEEL_HEIGHT] = [60, 30];
const WHEEL_DRAWING = "canvas,svg,img";
/** Least shift of content beyond the edge of its box, in CSS pixels. */
const LEAST_BEYOND = 8;
/** Least part of a box that a drawing in it takes. */
const LEAST_DRAWN = 0.5;
const MOST_CONTENT_LEVELS = 3;

/** Reports whether the wheel moves the content of an element, and nothing else does. */
function isWheelBox(el, tag) {
  if (!wheeled.has(el) || NO_WHEEL_BOX.has(tag) || editorAt(el) !== null) return false;
  const box = rectOf(el);
  if (box.width < LEAST_WHEEL_WIDTH || box.height < LEAST_WHEEL_HEIGHT) return false;
  const style = styleOf(el);
  const room = scrollRoom(el, style);
  if (room.above + room.below + room.left + room.right > 1) return false;
  if (tag === "canvas" || (tag === "svg" && firstElementChild(el) !== null)) return true;
  // Content that the pointer moves and zooms may lie within the edges as yet.
  return (style.overflowY !== "visible" && (contentBeyond(el, box) !== null || (carrying.has(el) && doubled.has(el)))) || holdsWheelDrawing(el, box);
}

/** Returns the box of the content of an element if that goes beyond its edges, where they cut it off; else null. */
function contentBeyond(el, box) {
  let [holder, found] = [el, null];
  for (let level = 0; level < MOST_CONTENT_LEVELS && holder !== null; level++) {
    for (const part of [firstElementChild(holder), holder.lastElementChild]) {
      const inner = part === null || !isShown(part) ? null : rectOf(part);
      if (inner !== null && inner.width > 0 && inner.height > 0) found = joinBoxes(found, inner);
    }
    holder = childElementCount(holder) === 1 ? firstElementChild(holder) : null;
  }
  if (found === null) return null;
  const isBeyond = found.top < box.top - LEAST_BEYOND || found.bottom > box.bottom + LEAST_BEYOND || found.left < box.left - LEAST_BEYOND || found.right > box.right + LEAST_BEYOND;
  return isBeyond ? found : null;
}

/** Reports whether drawings fill most of an element: a map or a picture that the wheel zooms. */
function holdsWheelDrawing(el, box) {
  const drawing = query(el, WHEEL_DRAWING);
  if (drawing === null || query(el, CONTROLS_OF_TEXT) !== null) return false;
  const part = overlap(rectOf(drawing), box);
  return (part.right - part.left) * (part.bottom - part.top) >= box.width * box.height * LEAST_DRAWN;
}

const CONTROLS_OF_TEXT = "input,textarea,select,p,li,table";

/** Words of `scroll=` for boxes that only the wheel moves. */
const BY_WHEEL = "wheel";

/** Notes in the context of a box that only the wheel moves, and lets its clip reach what lies beyond. */
function noteWheelBox(el, ctx) {
  ctx.scroll = BY_WHEEL;
  const beyond = ctx.clip.el === el ? contentBeyond(el, rectOf(el)) : null;
  if (beyond !== null) Object.assign(ctx.clip, { reach: beyond });
  if (beyond !== null) ctx.cuts = false;
}

/** Returns the box around an element that only the wheel moves, if it is nearer than what scrolls in that direction; or null. */
function wheelBoxAround(el, sideways) {
  if (!someWheeled) return null;
  for (let node = el, steps = 0; node !== null && steps < 1000; node = drawnParent(node), steps++) {
    if (isWheelBox(node, localName(node))) return node;
    if (canScroll(node, sideways)) return null;
  }
  return null;
}

/** State before the wheel turned over a box: {ref, html, left, top} with the page's scroll position; null if it did not. */
let beforeWheel = null;

function rememberWheelBox(el) {
  const root = scrollRoot();
  beforeWheel = { ref: new WeakRef(el), html: String(el.innerHTML), left: scrollLeftOf(root), top: scrollTopOf(root) };
}

/** Reports whether the wheel has moved the page instead of the box, and puts the page back then. */
function wheelMovedPage() {
  if (beforeWheel === null) return false;
  const { ref, html, left, top } = beforeWheel;
  beforeWheel = null;
  const [el, root] = [ref.deref(), scrollRoot()];
  if (!isLive(el) || (scrollLeftOf(root) === left && scrollTopOf(root) === top) || String(el.innerHTML) !== html) return false;
  root.scrollTo({ left, top, behavior: "instant" });
  return true;
}
