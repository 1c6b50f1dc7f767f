// Drawn handles: by which a box is made larger or smaller, or the value of a drawn slider is set. A box has marks at its
// corners, and perhaps at its edges; the dividers of columns have such cursors, too, but no corners.

const CORNER_CURSOR = /^(?:nw|ne|sw|se|nwse|nesw)-resize$/;
const EDGE_CURSOR = /^(?:[nesw]|ns|ew)-resize$/;
const LEAST_RESIZE = 4;
const LARGEST_RESIZE = 40;
const MOST_RESIZE_PARTS = 60;
/** Greatest ratio of the sides of a handle; a line along an edge is longer. */
const LONGEST_RESIZE = 4;

/** Reports whether an element is a small drawn mark without words. */
function isDrawnKnob(el) {
  const { width, height } = rectOf(el);
  const [least, most] = [Math.min(width, height), Math.max(width, height)];
  if (least < LEAST_RESIZE || most > LARGEST_RESIZE || most > least * LONGEST_RESIZE) return false;
  if (childElementCount(el) > 2 || ACTED_ON.has(roleOf(el)) || !isSymbol(contentName(el)) || !isShown(el)) return false;
  const style = styleOf(el);
  return DRAWN_SHAPES.has(localName(el)) || firstChild(el) !== null || style.backgroundImage !== "none" || isDrawnBox(style) || drawsMark(el) || style.borderRightStyle !== "none";
}

/** Reports whether an element with this cursor is a handle for the size of the box around it. */
function isResizeHandle(el, cursor) {
  const isCorner = CORNER_CURSOR.test(cursor);
  if ((!isCorner && !EDGE_CURSOR.test(cursor)) || !isDrawnKnob(el)) return false;
  const box = drawnParent(el);
  if (box === null || styleOf(box).cursor === cursor) return false;
  return isCorner || Array.prototype.slice.call(childrenOf(box), 0, MOST_RESIZE_PARTS).some((one) => one !== el && CORNER_CURSOR.test(styleOf(one).cursor) && isDrawnKnob(one));
}

/** Returns the word for the third of a range in which a place lies. */
const thirdOf = (place, from, to, [first, last]) => (place < from + (to - from) / 3 ? first : place > to - (to - from) / 3 ? last : "");

/** Names a handle by its place at the box around it; "" for other elements. */
function nameOfResizeHandle(el) {
  if (!isResizeHandle(el, styleOf(el).cursor)) return "";
  const [box, { left, top, right, bottom }] = [rectOf(drawnParent(el)), rectOf(el)];
  const side = [thirdOf((top + bottom) / 2, box.top, box.bottom, ["top", "bottom"]), thirdOf((left + right) / 2, box.left, box.right, ["left", "right"])].filter(Boolean);
  return keepGuess(el, ["resize", ...side].join(" "));
}

/** Names a wordless box that is dragged as a whole, by its own cursor; words beside it are not its label. */
function nameOfMovedBox(el) {
  const holder = drawnParent(el);
  if (styleOf(el).cursor !== "move" || holder === null || styleOf(holder).cursor === "move") return "";
  const { width, height } = rectOf(el);
  return width > LARGEST_GRIP && height > LARGEST_GRIP ? keepGuess(el, "box to drag") : "";
}

const CALLED_SCALE = /(?:^|[\s_-])(?:slider|range)(?:$|[\s_-])/i;
const CALLED_THUMB = /(?:^|[\s_-])(?:thumb|knob|handle)(?:$|[\s_-])/i;
/** Least ratio of the sides of a scale; a drawn switch is shorter. */
const LEAST_SCALE = 4;
const LEVELS_TO_SCALE = 4;

/** Reports whether an element is a drawn slider, which no class turns on or off: ticks are marks on its scale. */
function isDrawnScale(el) {
  if (!CALLED_SCALE.test(attr(el, "class") ?? "")) return false;
  const { width, height } = rectOf(el);
  return Math.max(width, height) >= Math.min(width, height) * LEAST_SCALE;
}

/** Names a mark below pictures that take turns by its number, which libraries count from 0; "" for other elements. */
function nameOfSlideMark(el) {
  const slide = attr(el, "data-slide-to") ?? attr(el, "data-bs-slide-to") ?? "";
  return /^\d+$/.test(slide) ? `slide ${Number(slide) + 1}` : "";
}

/** Returns the drawn slider that an element is the thumb of, or null. */
function scaleOfThumb(el) {
  if (!CALLED_THUMB.test(attr(el, "class") ?? "")) return null;
  for (let node = drawnParent(el), steps = 0; node !== null && steps < LEVELS_TO_SCALE; node = drawnParent(node), steps++) {
    if (isDrawnScale(node)) return node;
  }
  return null;
}

/** Tells the place of the thumb of a drawn slider on its scale as its value: "35%". */
function placeOfThumbInto(out, el) {
  const holder = scaleOfThumb(el);
  if (holder === null) return;
  const [scale, thumb] = [rectOf(holder), rectOf(el)];
  const isUpright = scale.height > scale.width;
  const along = isUpright ? (scale.bottom - (thumb.top + thumb.bottom) / 2) / scale.height : ((thumb.left + thumb.right) / 2 - scale.left) / scale.width;
  out.value = `${Math.round(Math.min(1, Math.max(0, along)) * 100)}%`;
}

/** Names the thumb of a drawn slider, which is no swatch of its colour; "" for other elements. */
function nameOfThumb(el) {
  const scale = scaleOfThumb(el);
  if (scale === null) return "";
  const thumbs = Array.prototype.filter.call(queryAll(scale, "[class]"), (one) => CALLED_THUMB.test(attr(one, "class")) && isAlike(one, el) && isShown(one));
  return keepGuess(el, thumbs.length > 1 ? `slider handle ${thumbs.indexOf(el) + 1} of ${thumbs.length}` : "slider handle");
}

/** Returns an opaque colour as #rrggbb; "" for others. */
function hexColour(colour) {
  const rgb = /^rgb\((\d+), (\d+), (\d+)\)$/.exec(colour);
  return rgb === null ? "" : "#" + rgb.slice(1).map((part) => Number(part).toString(16).padStart(2, "0")).join("");
}

/** Names a swatch by its colour. */
function colourName(el) {
  const hex = firstElementChild(el) === null ? hexColour(styleOf(el).backgroundColor) : "";
  const isToned = hex !== "" && (isColourful(styleOf(el).backgroundColor) || [previousElement(el), nextElement(el)].some((other) => other !== null && isAlike(other, el)));
  return isToned ? hex : "";
}
