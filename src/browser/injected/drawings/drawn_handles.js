// Drawn handles: by which a box is made larger or smaller, or the value of a drawn slider is set. A box has marks at its
// corners, and perhaps at its edges; the dividers of columns have such cursors, too, but no corners. Also the
// arrows that open a branch of a tree.

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

/** Reports whether an element is a divider between panes, which it says itself, that is dragged: columns of a table have too many. */
const isDivider = (el, cursor) => cursor.endsWith("resize") && attr(el, "role") === "separator" && carrying.has(el) && closest(el, "table,[role=row],[role=columnheader]") === null;

/** Returns the word for the third of a range in which a place lies. */
const thirdOf = (place, from, to, [first, last]) => (place < from + (to - from) / 3 ? first : place > to - (to - from) / 3 ? last : "");

/** Names a handle by its place at the box around it; "" for other elements. */
function nameOfResizeHandle(el) {
  if (isDivider(el, styleOf(el).cursor)) return keepGuess(el, "divider");
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

const LEAST_RAIL = 60;
const BROADEST_RAIL = 40;
/** Matches classes of long boxes whose handle does something else. */
const NO_SCALE = /scroll|split|gutter|divider|resiz|drag|sort|head/i;

/** Reports whether a long, narrow box without words holds the thumb, although nothing calls it a slider. */
function isRail(el, thumb) {
  const { width, height } = rectOf(el);
  const [least, most] = [Math.min(width, height), Math.max(width, height)];
  if (least < 1 || least > BROADEST_RAIL || most < LEAST_RAIL || most < least * LEAST_SCALE) return false;
  return !NO_SCALE.test(`${attr(el, "class") ?? ""} ${attr(thumb, "class")}`) && contentName(el) === "" && !styleOf(thumb).cursor.endsWith("resize");
}

/** Reports whether the style of an element places it at a share of the drawn slider that it stands in. */
function isPlacedOnScale(el) {
  const scale = parentElement(el);
  return scale !== null && `${el.style?.left} ${el.style?.bottom}`.includes("%") && isDrawnScale(scale) && rectOf(el).width < rectOf(scale).width / 2;
}

/** Returns the part of a drawn slider that is moved: the element, or the one around it that it fills to catch presses; or null. */
function thumbAt(el) {
  if (CALLED_THUMB.test(attr(el, "class") ?? "") || isPlacedOnScale(el)) return el;
  const around = parentElement(el);
  return around !== null && firstChild(el) === null && (CALLED_THUMB.test(attr(around, "class") ?? "") || isPlacedOnScale(around)) ? around : null;
}

/** Returns the drawn slider that an element is the thumb of, or null. */
function scaleOfThumb(el) {
  const thumb = thumbAt(el);
  if (thumb === null) return null;
  for (let node = drawnParent(thumb), steps = 0; node !== null && steps < LEVELS_TO_SCALE; node = drawnParent(node), steps++) {
    if (isDrawnScale(node) || isRail(node, thumb)) return node;
  }
  return null;
}

/** Tells what only the drawing of an element says: the place of a thumb on its scale, whether an arrow has opened its branch, how many stars are full. */
function drawnStateInto(out, el) {
  if (isHalfStar(el)) out.mixed = true;
  const branch = branchOfArrow(el);
  if (branch !== null) out[isShown(branch) && rectOf(branch).height > 0 ? "expanded" : "collapsed"] = true;
  const rated = firstElementChild(el) === null ? null : layersOfStars(el);
  if (rated !== null) out.value = rated;
  const holder = scaleOfThumb(el);
  const part = holder === null ? valuePartOf(el) : thumbAt(el);
  if (part !== null) out.value = placeOfThumb(part, holder ?? el);
}

/** Returns the place of a thumb between the ends of its scale, as "35%": the place that its style states, or that of its middle. */
function placeOfThumb(el, holder) {
  const [scale, thumb] = [rectOf(holder), rectOf(el)];
  const isUpright = scale.height > scale.width;
  const stated = /^(-?[\d.]+)%$/.exec(isUpright ? el.style?.bottom ?? "" : el.style?.left ?? "");
  const along = stated !== null ? stated[1] / 100 : isUpright ? (scale.bottom - (thumb.top + thumb.bottom) / 2) / scale.height : ((thumb.left + thumb.right) / 2 - scale.left) / scale.width;
  return `${Math.round(Math.min(1, Math.max(0, along)) * 100)}%`;
}

const THUMBS = "[class*=thumb i],[class*=knob i],[class*=handle i]";
const LEVELS_TO_LABEL = 3;

/** Returns the words that stand at a drawn slider: its label, or the text before it with no other slider between. */
function labelOfScale(scale) {
  const own = labelledBy(scale) || attr(scale, "aria-label")?.trim() || labelFor(scale);
  if (own) return own;
  const around = closest(scale, "label");
  if (around !== null) return wordsWithout(around, new Set([scale]));
  for (let node = scale, steps = 0; node !== null && steps < LEVELS_TO_LABEL; node = parentElement(node), steps++) {
    if (/^(?:body|form|fieldset|table|dialog)$/.test(localName(node))) return "";
    for (let before = previousSibling(node); before !== null; before = previousSibling(before)) {
      const isElement = nodeType(before) === 1;
      // The native slider behind the drawn one.
      if (isElement && localName(before) === "input" && isHiddenList(before)) {
        const words = labelledBy(before) || labelText(before);
        if (words !== "") return words;
        continue;
      }
      if (isElement && (matches(before, THUMBS) || query(before, THUMBS) !== null || holdsOtherFieldThan(before, scale))) return "";
      const text = isElement ? (isShown(before) ? contentName(before) : "") : nodeType(before) === 3 ? clean(textData(before)) : "";
      if (isLabelText(text) && /\p{L}/u.test(text)) return text;
    }
  }
  return "";
}

const PLACED_PARTS = "[style*='left:'],[style*='bottom:']";

/** Returns the part of a drawn slider that stands at its value, where only the whole slider listens; or null. */
function valuePartOf(scale) {
  if (firstElementChild(scale) === null || !isDrawnScale(scale) || contentName(scale) !== "" || query(scale, THUMBS) !== null) return null;
  const upright = rectOf(scale).height > rectOf(scale).width;
  const isPlaced = (one) => (upright ? one.style?.bottom : one.style?.left)?.endsWith("%") && styleOf(one).position === "absolute";
  return Array.prototype.find.call(queryAll(scale, PLACED_PARTS), isPlaced) ?? null;
}

/** Names a drawn slider that is pressed as a whole, or the stars of a rating that are; "" for other elements. */
function nameOfWhole(el) {
  if (firstElementChild(el) === null) return "";
  const kind = valuePartOf(el) !== null ? "slider" : layersOfStars(el) !== null ? "rating" : "";
  return kind === "" ? "" : keepGuess(el, `${labelOfScale(el)} ${kind}`.trim());
}

/** Names the thumb of a drawn slider, which is no swatch of its colour, by the words at the slider; "" for other elements. */
function nameOfThumb(el) {
  const scale = scaleOfThumb(el);
  if (scale === null) return "";
  const thumb = thumbAt(el);
  const thumbs = Array.prototype.filter.call(queryAll(scale, "[class]"), (one) => one === thumb || (CALLED_THUMB.test(attr(one, "class")) && isAlike(one, thumb) && isShown(one)));
  const name = `${labelOfScale(scale)} slider handle`.trim();
  return keepGuess(el, thumbs.length > 1 ? `${name} ${thumbs.indexOf(thumb) + 1} of ${thumbs.length}` : name);
}

/** Returns the list below the item of a tree in which an element is a small mark without words, as an arrow that opens it; or null. */
function branchOfArrow(el) {
  const item = parentElement(el);
  if (item === null || localName(item) !== "li" || hasAttr(el, "aria-expanded")) return null;
  let branch = nextElement(el);
  for (let steps = 1; branch !== null && !/^[uo]l$/.test(localName(branch)); steps++) branch = steps < LEVELS_TO_SCALE ? nextElement(branch) : null;
  if (branch === null || !isSymbol(contentName(el))) return null;
  const { width, height } = rectOf(el);
  return Math.max(width, height) > LARGEST_PART ? null : branch;
}

const nameOfBranchArrow = (el) => (branchOfArrow(el) === null ? "" : keepGuess(el, "expander"));

/** Names a clickable drawing by what it states or is built as; "" for other elements. */
const nameOfDrawing = (el) =>
  dataName(el) || nameOfSlideMark(el) || nameOfResizeHandle(el) || nameOfThumb(el) || nameOfWhole(el) ||
  nameOfBranchArrow(el) || nameOfGrip(el) || nameOfHandle(el) || nameOfMovedBox(el);

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
