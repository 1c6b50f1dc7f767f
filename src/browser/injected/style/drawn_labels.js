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

const LEAST_COLUMNS = 3;
const MOST_COLUMNS = 60;
const LEVELS_TO_CELL = 4;
const LEVELS_TO_HEADS = 5;
const MOST_BEFORE_ROW = 6;
const CELLS_OF_GRID = "[role=gridcell],[role=cell]";
/** Greatest distance of a head from the left edge of its column, in CSS pixels: paddings differ. */
const BESIDE_EDGE = 12;

/** Reports whether the children of an element stand in a line, at least three of them. */
function isLineOfCells(row) {
  const count = childElementCount(row);
  if (count < LEAST_COLUMNS || count > MOST_COLUMNS) return false;
  const [first, last] = [rectOf(firstElementChild(row)), rectOf(row.lastElementChild)];
  return Math.abs(first.top - last.top) < first.height && last.left > first.left + first.width / 2 && first.height <= 2 * HIGHEST_LINE;
}

/** Reports whether two elements have the same number of children and stand in one container, one below the other. */
const isRowBeside = (other, row) => other !== null && childElementCount(other) === childElementCount(row) && localName(other) === localName(row) && rectOf(other).top !== rectOf(row).top;

/** Returns the cell of a drawn table, or of a grid, in which an element stands; null if it stands in none. */
function drawnCellOf(el) {
  const stated = closest(el, CELLS_OF_GRID);
  if (stated !== null) return stated;
  if (closest(el, "td,th") !== null) return null;
  for (let node = el, steps = 0; node !== null && steps < LEVELS_TO_CELL; node = parentElement(node), steps++) {
    const row = parentElement(node);
    if (row !== null && isLineOfCells(row)) return isRowBeside(nextElement(row), row) || isRowBeside(previousElement(row), row) || headsOver(row) !== null ? node : null;
  }
  return null;
}

/** Reports whether a row has nothing but short words: it may be the head of a drawn table. */
const isRowOfHeads = (row) => query(row, FILLED_FIELDS) === null && Array.prototype.filter.call(childrenOf(row), (one) => contentName(one) !== "" && contentName(one).length <= LONGEST_BESIDE).length >= childElementCount(row) / 2;

/**
 * Returns the row of heads over a row of a drawn table, or null: it stands before what holds the rows, or is their first and
 * has other classes than they.
 */
function headsOver(row) {
  const count = childElementCount(row);
  for (let node = row, level = 0; node !== null && level < LEVELS_TO_HEADS && localName(node) !== "body"; node = parentElement(node), level++) {
    for (let before = previousElement(node), steps = 0; before !== null && (steps < MOST_BEFORE_ROW || level === 0); before = previousElement(before), steps++) {
      let heads = before;
      for (let depth = 0; depth < LEVELS_TO_HEADS && childElementCount(heads) === 1; depth++) heads = firstElementChild(heads);
      const isOther = level > 0 || (heads !== before && childElementCount(before) !== count) || attr(before, "class") !== attr(row, "class");
      if (isOther && childElementCount(heads) === count && isLineOfCells(heads) && isRowOfHeads(heads) && areColumns(heads, row)) return heads;
    }
  }
  return null;
}

/** Reports whether an element is a cell of a drawn table with heads, whose first cell is the title of each row. */
const isUnderHeads = (cell) => parentElement(cell) !== null && isLineOfCells(parentElement(cell)) && headsOver(parentElement(cell)) !== null;

/** Reports whether the children of two rows begin at the same places. */
const areColumns = (heads, row) => Array.prototype.every.call(childrenOf(heads), (head, i) => Math.abs(rectOf(head).left - rectOf(childrenOf(row)[i]).left) <= BESIDE_EDGE);

/** Returns the head of the column of a cell of a grid, by the place that both state or have; or null. */
function headInGrid(cell) {
  const grid = closest(cell, "[role=grid],[role=treegrid],[role=table]");
  const row = closest(cell, "[role=row]");
  if (grid === null || row === null) return null;
  const heads = Array.prototype.slice.call(queryAll(grid, "[role=columnheader]"), 0, MOST_COLUMNS);
  const place = attr(cell, "aria-colindex");
  const stated = place === null ? undefined : heads.find((head) => attr(head, "aria-colindex") === place);
  const { left, right } = rectOf(cell);
  return stated ?? heads.find((head) => rectOf(head).left <= (left + right) / 2 && rectOf(head).right >= (left + right) / 2) ?? null;
}

/** Reports whether a cell shows words and nothing to fill in: a value of a column, not the label of the cell after it. */
const isValueCell = (cell) => cell !== null && contentName(cell) !== "" && query(cell, ANY_FIELD) === null;

/**
 * Returns the head of the column in which an element of a drawn table or grid stands; "" if there is none, and the words
 * beside the element are values of other columns; null if they may be its label.
 */
function columnAbove(el) {
  const cell = drawnCellOf(el);
  if (cell === null) return null;
  const heads = matches(cell, CELLS_OF_GRID) ? null : headsOver(parentElement(cell));
  const head = heads === null ? headInGrid(cell) : childrenOf(heads)[Array.prototype.indexOf.call(childrenOf(parentElement(cell)), cell)];
  if (head) return query(head, ANY_FIELD) === null || contentName(head) !== "" ? contentName(head) : null;
  const left = previousElement(cell);
  return isValueCell(left) && isValueCell(previousElement(left)) ? "" : null;
}

const NATIVE_BOXES = "input[type=checkbox],input[type=radio]";

/** Returns the rows or items of a container that listens for them, each of which has a box that lets presses through; or null. */
function rowsWithSilentBoxes(el) {
  const first = query(el, NATIVE_BOXES);
  if (first === null) return null;
  const rows = Array.prototype.slice.call(queryAll(el, "tr,[role=row],li"), 0, MOST_ITEMS).filter((row) => query(row, "th,[role=columnheader]") === null && contentName(row) !== "");
  const isSilent = (row) => Array.prototype.some.call(queryAll(row, NATIVE_BOXES), (box) => styleOf(box).pointerEvents === "none");
  return rows.length > 0 && rows.every(isSilent) ? rows : null;
}

/** Reports whether an element without words listens as those do that show the words of the cells beside its own. */
function isEmptyCell(el) {
  const cell = listening.has(el) ? drawnCellOf(el) : null;
  if (cell === null) return false;
  let depth = 0;
  for (let node = el; node !== cell; node = parentElement(node)) depth++;
  return Array.prototype.some.call(childrenOf(parentElement(cell)), (other) => {
    let node = other;
    for (let steps = 0; steps < depth && node !== null; steps++) node = firstElementChild(node);
    return node !== null && node !== el && listening.has(node) && localName(node) === localName(el) && contentName(node) !== "";
  });
}
