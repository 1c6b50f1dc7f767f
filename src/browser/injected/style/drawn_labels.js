// Labels that are drawn over, beneath or beside a control: words of a box that it fills, of a picture that lets presses
// through, of a swatch.

/** Returns the words of a drawing that lies over a control beside it and lets presses through. */
function nameDrawnOver(el) {
  const { left, top, right, bottom } = rectOf(el);
  for (const beside of [previousElement(el), nextElement(el)]) {
    if (!beside || !isShown(beside) || styleOf(beside).pointerEvents !== "none") continue;
    const box = rectOf(beside);
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    const isOver = box.left <= x && box.right >= x && box.top <= y && box.bottom >= y;
    const text = isOver ? contentName(beside) : "";
    if (isLabelText(text)) return text;
  }
  return "";
}

/** Matches a colour that shows nothing. */
const NO_PAINT = /^(?:transparent|rgba\(.*, 0\))$/;

/** Returns the background colour that an element shows: its own, that of its only part, or of what its style draws in it. */
function shownPaint(el) {
  const own = styleOf(el).backgroundColor;
  if (!NO_PAINT.test(own)) return own;
  const part = firstElementChild(el);
  if (part !== null && nextElement(part) === null && !NO_PAINT.test(styleOf(part).backgroundColor)) return styleOf(part).backgroundColor;
  for (const place of ["::before", "::after"]) {
    const drawn = getComputedStyle(el, place);
    if (!/^(?:none|normal)$/.test(drawn.content) && !NO_PAINT.test(drawn.backgroundColor)) return drawn.backgroundColor;
  }
  return own;
}

const LEAST_OVER = 4;

/**
 * Returns the words that lie over a field beside it, at its beginning: a label that floats away once the field has a value,
 * or a placeholder. A label without a field of its own belongs to the one beside it wherever it is.
 */
function labelDrawnOnField(el) {
  const box = rectOf(el);
  for (const beside of [nextElement(el), previousElement(el)]) {
    if (beside === null || NO_TEXT.has(localName(beside)) || !isShown(beside) || query(beside, ANY_ACTED) !== null || matches(beside, ANY_ACTED)) continue;
    const text = contentName(beside);
    if (!isLabelText(text) || hasPointer(beside)) continue;
    if (localName(beside) === "label" && controlOf(beside) === null) return text;
    const { left, top, right, bottom } = rectOf(beside);
    const isOver = (top + bottom) / 2 < box.bottom && (top + bottom) / 2 > box.top && right <= box.right + 1 && left >= box.left && left < box.left + box.width / 3;
    if (isOver && text.length >= LEAST_OVER) return text;
  }
  return "";
}

/** Reports whether an element without words of its own to press draws a field, the arrow of a list or the label on a field. */
function drawsOtherThan(el) {
  const field = contentName(el) === "" ? fieldDrawnBy(el) : null;
  if (field !== null && rectOf(field).width > LARGEST_HIDDEN_FIELD) return true;
  if (contentName(el) === "") return isArrowOfList(el) || fieldOfBox(el) !== null;
  if (fieldOfBox(el) !== null) return true;
  return [previousElement(el), nextElement(el)].some((one) => one !== null && matches(one, TYPED_FIELD) && labelDrawnOnField(one) === contentName(el));
}

const TYPED_FIELD = "input:not([type=hidden],[type=checkbox],[type=radio],[type=button],[type=submit]),textarea";
const LEAST_BOXES = 3;
const MOST_CHARACTER_BOXES = 12;
const LARGEST_HIDDEN_FIELD = 10;

/** Returns the boxes of single characters that draw the content of a field hidden beside them, or null. */
function boxesOfField(el) {
  const most = Number(attr(el, "maxlength") ?? 0);
  const { width, height } = rectOf(el);
  if (most < LEAST_BOXES || most > MOST_CHARACTER_BOXES || Math.min(width, height) > LARGEST_HIDDEN_FIELD) return null;
  for (const beside of [previousElement(el), nextElement(el)]) {
    if (beside === null || childElementCount(beside) !== most) continue;
    const boxes = Array.from(childrenOf(beside));
    if (boxes.every((one) => childElementCount(one) <= 1 && isAlike(one, boxes[0]) && contentName(one).length <= 1)) return boxes;
  }
  return null;
}

/** Reports whether an element is one of the boxes for the characters of a field, or holds them all. */
function drawsCharacters(node, el) {
  const most = Number(attr(el, "maxlength") ?? 0);
  if (most < LEAST_BOXES || most > MOST_CHARACTER_BOXES) return false;
  const boxes = Array.from(childrenOf(childElementCount(node) === most ? node : parentElement(node) ?? node)).filter((one) => one !== el && isAlike(one, childElementCount(node) === most ? firstElementChild(node) : node));
  return boxes.length === most && boxes.every((one) => contentName(one).length <= 1);
}

/** Returns the hidden field that a box of one character draws, or null. */
function fieldOfBox(el) {
  const holder = parentElement(el);
  if (holder === null || childElementCount(holder) < LEAST_BOXES) return null;
  return [previousElement(holder), nextElement(holder)].find((one) => one !== null && matches(one, TYPED_FIELD) && boxesOfField(one)?.includes(el)) ?? null;
}

const MOST_LEVELS_OF_SERIES = 2;

/** Names a field for one character by its place among others like it, and by the words before them all; "" for other fields. */
function nameInSeries(el) {
  if (attr(el, "maxlength") !== "1" || localName(el) !== "input") return "";
  for (let holder = parentElement(el), steps = 0; holder !== null && steps < MOST_LEVELS_OF_SERIES; holder = parentElement(holder), steps++) {
    const fields = Array.prototype.filter.call(queryAll(holder, TYPED_FIELD), isShown);
    if (fields.length < LEAST_BOXES) continue;
    if (fields.length > MOST_CHARACTER_BOXES || fields.some((one) => attr(one, "maxlength") !== "1")) return "";
    const words = labelBefore(holder) || textBefore(holder, null, true);
    return `${isLabelText(words) ? words : "character"} ${fields.indexOf(el) + 1} of ${fields.length}`;
  }
  return "";
}

const MOST_BENEATH = 20;

/** Returns the words beneath a transparent link or button whose own content says nothing: a link stretched over a card; else "". */
function wordsUnderUnseen(el, role, content) {
  if ((role !== "link" && role !== "button") || content.length > 1 || isShown(el)) return "";
  const drawn = drawingOf(el);
  const words = drawn === null || !coversMost(rectOf(el), drawn) ? "" : wordsWithout(drawn, new Set([el]));
  return isLabelText(words) ? words : "";
}

/** Returns the words that a transparent control lies over: of the box around that it fills, or of a part beside it. */
function nameDrawnBeneath(el) {
  if (isShown(el) || !rawVisible.call(el, { visibilityProperty: true })) return "";
  const drawn = drawingOf(el);
  if (drawn === null) return "";
  const box = rectOf(el);
  if (coversMost(box, drawn) && isLabelText(contentName(drawn))) return contentName(drawn);
  for (let node = firstElementChild(drawn), steps = 0; node !== null && steps < MOST_BENEATH; node = nextElement(node), steps++) {
    const text = node !== el && isShown(node) && coversMost(box, node) ? contentName(node) : "";
    if (isLabelText(text)) return text;
  }
  return "";
}

/** Reports whether a box covers most of an element. */
function coversMost(box, el) {
  const whole = rectOf(el);
  const { left, top, right, bottom } = overlap(box, whole);
  return right > left && bottom > top && (right - left) * (bottom - top) >= whole.width * whole.height * MOST_OF_IT;
}

/** Returns the words beside the swatch of a colour: those directly before it, else those after it. */
function colourWords(el) {
  const before = previousSibling(el);
  const near = before !== null && nodeType(before) === 3 ? clean(textData(before)) : "";
  return [near, textAlong(el, nextSibling, el), textNextTo(el)].find(isLabelText) ?? "";
}

/** Returns the first words of a box that a transparent field fills, before the value that is drawn there; "" for other fields. */
function labelDrawnBeneath(el) {
  if (isShown(el) || !rawVisible.call(el, { visibilityProperty: true })) return "";
  const drawn = drawingOf(el);
  if (drawn === null || !coversMost(rectOf(el), drawn)) return "";
  const parts = Array.prototype.filter.call(childrenOf(drawn), (one) => one !== el && isShown(one) && contentName(one) !== "");
  const [first] = parts;
  const label = parts.length < 2 ? "" : contentName(first);
  return /\p{L}{2}/u.test(label) && isLabelText(label) ? label : "";
}

/** Matches the key of an attribute by which a library finds the buttons that act on a field: `data-input-counter-decrement`. */
const ACTING_KEY = /^data-(?:.*-)?(increment|increase|decrement|decrease|plus|minus|remove|delete|dismiss|close|clear|edit|prev|previous|next|toggle-[a-z]{3,})(?:-(?:target|trigger|button|btn))?$/;

/** Returns what the key of an attribute of a button says that it does; "" if its value switches that off. */
function nameInDataKey(el) {
  for (const key of el.getAttributeNames()) {
    const told = ACTING_KEY.exec(key)?.[1] ?? "";
    if (told !== "" && attr(el, key) !== "false" && !/^toggle-(?:target|trigger|button|btn)$/.test(told)) return told.replaceAll("-", " ");
  }
  return "";
}

/** Reports whether a press opens a drawn list or sorts a column, and leaves no switch on. */
const isListOrSorted = (el) => closest(el, "[aria-sort]:not([aria-sort=none])") !== null || nativeBehind(el, "clickable") !== null;
