// Rows of tables and grids: the line of a row lists its cells, separated by bars and including empty ones, so that a
// cell's position identifies its column. Elements to act on have their own lines below the row.

const LONGEST_CELL = 40;
/** Roles listed by name within the row's line; buttons only in a header row, where they name a column. */
const SAID_IN_ROW = words("link heading img");
const SAID_IN_HEAD = words("link heading img button clickable");

/** Records which lines belong to a cell when the cell is closed. */
function noteCell(page, line, at) {
  const row = page.holder;
  if (row === null || row.role !== "row") return;
  const role = line.role === "clickable" ? roleOf(line.el, line.tag) : line.role;
  if (!CELLS.has(role) && line.tag !== "td" && line.tag !== "th") return;
  const header = line.tag === "th" || role === "columnheader";
  if (header && hasAttr(line.el, "aria-sort")) someSorted = true;
  (row.cells ??= []).push({ from: at, to: page.lines.length, span: spanOf(line.el), column: columnOf(line.el), header });
}

const MOST_SPANNED = 60;
const spanOf = (cell) => Math.max(1, Math.min(MOST_SPANNED, Number(attr(cell, "colspan") ?? attr(cell, "aria-colspan")) || 1));

/** Columns of the cells of tables with cells that span rows, with the observation that counted them. */
const columnsByTable = new WeakMap();
const MOST_GRID_ROWS = 3000;
const ROW_SPANS = "[rowspan],[aria-rowspan]";
const TABLES = "table,[role=table],[role=grid],[role=treegrid]";

/** Returns the column of a cell, counted from 0; -1 if no cell of its table spans rows. */
function columnOf(cell) {
  const table = closest(cell, TABLES);
  if (table === null) return -1;
  let known = columnsByTable.get(table);
  if (known?.walk !== walkCount) {
    known = { walk: walkCount, columns: query(table, ROW_SPANS) === null ? null : columnsIn(table) };
    columnsByTable.set(table, known);
  }
  return known.columns?.get(cell) ?? -1;
}

function columnsIn(table) {
  const columns = new Map();
  const rows = queryAll(table, "tr,[role=row]");
  let section = null;
  /** Rows that a cell above still reaches into, by column. */
  let taken = [];
  for (let i = 0; i < rows.length && i < MOST_GRID_ROWS; i++) {
    if (closest(rows[i], TABLES) !== table) continue;
    if (parentNode(rows[i]) !== section) {
      section = parentNode(rows[i]);
      taken = [];
    }
    const below = taken.map((left) => Math.max(0, left - 1));
    let column = 0;
    for (let cell = firstElementChild(rows[i]); cell !== null; cell = nextElement(cell)) {
      while (taken[column] > 0) column++;
      columns.set(cell, column);
      const rowSpan = Number(attr(cell, "rowspan") ?? attr(cell, "aria-rowspan") ?? 1);
      const left = rowSpan === 0 ? Infinity : Math.max(1, rowSpan || 1) - 1;
      for (let span = spanOf(cell); span > 0; span--, column++) below[column] = left;
    }
    taken = Array.from(below, (left) => left ?? 0);
  }
  return columns;
}

/** Replaces an item or a cell with a single line by that line. */
function foldOne(page, line, at) {
  const only = page.lines[at + 1];
  if (only.kind === TEXT && only.name.length > LONGEST_NAME) return;
  if (only.kind === TEXT) only.role = line.role;
  only.depth = line.depth;
  only.parent = line.parent;
  only.item = true;
  page.lines[at] = only;
  page.lines.length = at + 1;
}

function foldRow(page, row, at) {
  const { cells } = row;
  if (cells === undefined || row.cutShort) return;
  const parts = partsOf(page, row, cells);
  if (parts === null) return;
  const kept = [];
  for (let i = at + 1; i < page.lines.length; i++) {
    const line = page.lines[i];
    if (!isPlain(line, row) && !isDissolved(line, row)) kept.push(line);
  }
  for (const line of kept) {
    let around = line.parent;
    let levels = 0;
    for (; around !== row && isDissolved(around, row); around = around.parent) levels++;
    line.lifted = levels + (around === row ? 0 : around.lifted ?? 0);
    line.depth -= line.lifted;
    if (around === row) line.parent = row;
  }
  page.lines.length = at + 1;
  for (const line of kept) page.lines.push(line);
  row.isHead = cells.every((cell) => cell.header);
  if (row.isHead) headOf(row);
  if (kept.length > 0 || row.kind === ACTOR) row.parts = parts;
  if (kept.length > 0) return;
  const name = joined(parts, (text) => text);
  if (row.kind === ACTOR) row.name = name;
  else Object.assign(row, { name, kind: TEXT, place: row.textPlace, item: true });
}

/** Returns the text of the row's line by cells; null if the row must keep its separate lines. */
function partsOf(page, row, cells) {
  let length = 0;
  let texts = 0;
  let place;
  const parts = [];
  for (const { from, to, span, column } of cells) {
    while (parts.length < column) parts.push([]);
    const part = [];
    for (let i = from; i < to; i++) {
      const line = page.lines[i];
      if (line.kind === HOLDER) {
        if (isDissolved(line, row)) continue;
        return null;
      }
      // Columns beyond the left or right edge belong to the row all the same.
      const upright = line.place === LEFT || line.place === RIGHT ? IN_VIEW : line.place;
      if (line.silent === true) {
        part.push(line.name);
        continue;
      }
      if (place === undefined) place = upright;
      else if (place !== upright) return null;
      if (isPlain(line, row)) {
        texts++;
        part.push(line.name);
        length += line.name.length;
      } else if (line.parent === row || line.parent.kind === HOLDER) {
        part.push(line);
        length += 10;
      }
    }
    parts.push(part);
    for (let i = 1; i < span; i++) parts.push([]);
  }
  if ((texts === 0 && !cells.every((cell) => cell.header)) || length > LONGEST_NAME) return null;
  row.textPlace = place;
  return parts;
}

/** Reports whether a line is a text of the row or one of its cells, not of an element to act on. */
const isPlain = (line, row) => line.kind === TEXT && (line.parent === row || isDissolved(line.parent, row));

/** Containers within cells that say nothing themselves. */
const SILENT_HOLDERS = words("list listitem form group");

/** Reports whether a container is a cell of a row or stands in one, and says nothing that the row's line does not. */
function isDissolved(line, row) {
  if (line === null || line.kind !== HOLDER || line.scroll !== undefined || line.pane || line.drop) return false;
  if (CELLS.has(line.role) && line.parent === row) return true;
  return SILENT_HOLDERS.has(line.role) && line.keep !== true && line.item !== true && !hasName(line.el, line.tag) && isDissolved(line.parent, row);
}

const LONGEST_SILENT = 40;
const PICTURED = "svg,img,i,[class*=icon]";

/** Makes a text line of a cell that shows a picture only, with words for screen readers beside it. */
function readSilentCell(line) {
  if (line.parent?.role !== "row" || query(line.el, PICTURED) === null) return false;
  const name = contentName(line.el) || iconOfCell(line.el);
  if (name === "" || name.length > LONGEST_SILENT || isSymbol(name)) return false;
  Object.assign(line, { name, kind: TEXT, item: true, silent: true });
  return true;
}

/** Records the header row, which is shown with every row of its table. */
function headOf(row) {
  const table = listAround(row.parent);
  if (table !== null) table.head ??= row;
}

/** Returns the name of a row with elements to act on, read when it is shown. */
const rowName = (row) => joined(row.parts, (line) => {
  if (!(row.isHead ? SAID_IN_HEAD : SAID_IN_ROW).has(line.role)) return "";
  readLine(line);
  return line.attrs?.guessed ? "" : cut(line.name, LONGEST_CELL);
});

function joined(parts, nameOfLine) {
  const cells = parts.map((part) => [...new Set(part.map((piece) => (typeof piece === "string" ? piece : nameOfLine(piece))))].filter(Boolean).join(" "));
  while (cells.length > 1 && cells[cells.length - 1] === "") cells.pop();
  return cells.join(" | ");
}

/** Reports whether a row or cell can be acted on itself. */
const isActiveCell = (el, role) =>
  (role === "gridcell" || role === "row" || role === "rowheader") &&
  (hasAttr(el, "tabindex") || hasAttr(el, "aria-selected") || (role === "row" && hasAttr(el, "aria-expanded")) || (role === "gridcell" && (isChoiceCell(el) || (hasAttr(el, "id") && isFocused(el)))));

const SHEETS = "[class*=sheet i],[class*=excel i],.jss";
/** Drawn spreadsheets by table, with the observation that judged them. */
const sheetsAt = new WeakMap();
const MOST_LEVELS_OF_SHEET = 6;

/** Reports whether an element is a cell of a drawn spreadsheet, whose cells are pressed and typed into one by one. */
function isSheetCell(el, tag, role, cursor) {
  if (tag !== "td" && role !== "gridcell") return false;
  if (cursor === "cell") return true;
  const table = closest(el, TABLES);
  if (table === null) return false;
  let known = sheetsAt.get(table);
  if (known?.walk !== walkCount) sheetsAt.set(table, (known = { walk: walkCount, sheet: isSheet(table) }));
  return known.sheet;
}

/**
 * Reports whether the author calls a table a spreadsheet, and it or what is around it listens for double clicks, or for
 * presses that mark cells and not their text.
 */
function isSheet(table) {
  const doc = ownerDocument(table);
  let named = false;
  let marks = false;
  let presses = listening.has(doc);
  let doubles = doubled.has(doc);
  for (let node = table, steps = 0; node !== null && steps < MOST_LEVELS_OF_SHEET; node = drawnParent(node), steps++) {
    named ||= matches(node, SHEETS);
    presses ||= listening.has(node);
    doubles ||= doubled.has(node);
    marks ||= styleOf(node).userSelect === "none";
  }
  return named && (doubles || (presses && marks));
}

/**
 * Joins the parts of rows of a grid whose pinned columns are drawn apart, and puts its rows in the order that they state:
 * such grids draw rows in the order in which they came.
 */
function joinRowsOf(page, at) {
  const blocks = rowBlocks(page, at + 1);
  if (blocks.length < 2 || !blocks.some(({ index }, i) => i > 0 && index <= blocks[i - 1].index)) return;
  const rows = new Map();
  for (const block of blocks) {
    const first = rows.get(block.index);
    if (first === undefined) rows.set(block.index, block);
    else joinRow(first, block);
  }
  const [start] = blocks;
  const end = blocks[blocks.length - 1];
  const rest = page.lines.slice(start.from, end.to).filter((line) => !blocks.some((block) => block.all.has(line)));
  const ordered = [...rows.values()].sort((one, other) => one.index - other.index).flatMap(({ lines }) => lines);
  const outermost = blocks.reduce((least, { lines: [row] }) => (row.depth < least.depth ? row : least), start.lines[0]);
  for (const { lines } of rows.values()) liftRow(lines, outermost);
  page.lines.splice(start.from, end.to - start.from, ...ordered, ...rest);
}

/** Puts a row with its lines beside another row. */
function liftRow(lines, beside) {
  const [row] = lines;
  const levels = row.depth - beside.depth;
  for (const line of lines) line.depth -= levels;
  row.parent = beside.parent;
}

/** Returns {index, from, to, lines, all} of the rows of a grid that state their place. */
function rowBlocks(page, begin) {
  const blocks = [];
  for (let i = begin; i < page.lines.length; i++) {
    const line = page.lines[i];
    const index = line.role === "row" ? Number(attr(line.el, "aria-rowindex") ?? 0) : 0;
    if (index <= 0) continue;
    let to = i + 1;
    while (to < page.lines.length && page.lines[to].depth > line.depth) to++;
    const lines = page.lines.slice(i, to);
    blocks.push({ index, from: i, to, lines, all: new Set(lines) });
    i = to - 1;
  }
  return blocks;
}

/** Adds the cells of a part of a row to those of its first part. */
function joinRow(first, { lines }) {
  const [row] = first.lines;
  const [part, ...inner] = lines;
  const shift = part.depth - row.depth;
  for (const line of inner) {
    line.depth -= shift;
    if (line.parent === part) line.parent = row;
  }
  const cellsOfPart = part.parts ?? (part.name ? [[part.name]] : []);
  // A part without words of its own is one cell of controls.
  const own = row.parts ?? (row.name ? [[row.name]] : [first.lines.filter((line) => line.kind === ACTOR && line !== row)]);
  if (row.kind === TEXT && inner.length === 0) row.name = [row.name, part.name].filter(Boolean).join(" | ");
  else Object.assign(row, { parts: [...own, ...cellsOfPart], name: null, kind: row.kind === TEXT ? HOLDER : row.kind });
  first.lines.push(...inner);
}
