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

const MOST_BENEATH = 20;

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
