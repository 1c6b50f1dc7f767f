// Columns of tables that are drawn without table elements, and of grids: the head of the column in which an element stands.

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
    for (const before of mayBeHeads(node, level)) {
      let heads = before;
      for (let depth = 0; depth < LEVELS_TO_HEADS && childElementCount(heads) === 1; depth++) heads = firstElementChild(heads);
      const isOther = level > 0 || (heads !== before && childElementCount(before) !== count) || attr(before, "class") !== attr(row, "class");
      if (isOther && childElementCount(heads) === count && isLineOfCells(heads) && isRowOfHeads(heads) && areColumns(heads, row)) return heads;
    }
  }
  return null;
}

/** Yields the elements before a row, or before what holds it, that may have the heads: the nearest, and the first beside a row. */
function* mayBeHeads(node, level) {
  const first = level === 0 && parentElement(node) !== null ? firstElementChild(parentElement(node)) : null;
  if (first !== null && first !== node) yield first;
  for (let before = previousElement(node), steps = 0; before !== null && before !== first && steps < MOST_BEFORE_ROW; before = previousElement(before), steps++) yield before;
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
