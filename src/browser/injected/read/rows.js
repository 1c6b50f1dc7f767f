// `rows`: rows of a table, or of blocks that repeat, as objects. Without a model: columns come from head cells, from
// names in the markup and from what a block holds, and are matched with the names of a schema.

const MOST_ROWS = 5000;
const MOST_CELL = 2000;
/** Most groups of repeated blocks that are compared. */
const MOST_GROUPS = 60;

function rowsOf(eid, schema) {
  const top = eid ? nodeOf(eid) : bodyOf(document);
  if (top === null) return deadEid(eid);
  const [wanted, parts] = [propertiesOf(schema), partsWithin(top)];
  let best = null;
  const tables = parts.flatMap((part) => [...tablesIn(part), ...(wanted === null ? [] : pairsIn(part))]);
  // A table is meant as one; what repeats beside it may be a menu.
  for (const found of wanted === null && tables.length > 0 ? tables : [...tables, ...parts.flatMap((part) => [...blocksIn(part)])]) {
    const matched = matchColumns(found, wanted);
    const score = wanted === null ? found.rows.length * found.columns.length : matched.hits * 1000 + Math.min(found.rows.length, 500);
    if (best === null || score > best.score) best = { found, matched, score };
  }
  if (best === null || (wanted !== null && best.matched.hits * 2 < wanted.length)) {
    const known = best === null ? "" : `; what repeats there has: ${best.found.columns.slice(0, 12).join(", ")}`;
    return failed("no_rows", `no table or list there has rows with these properties${known}; extract without schema reads the text`);
  }
  const { found, matched } = best;
  return mayDrawMore(found) ? gatherRows(found).then((all) => pickColumns(all, matched, wanted)) : pickColumns(found, matched, wanted);
}

/** Returns [{name, type, words}] of the rows that a JSON Schema describes, or null without a schema. */
function propertiesOf(schema) {
  let at = schema;
  for (let guard = 0; at && guard < 8; guard++) {
    if (at.type === "array" || at.items) at = at.items;
    else {
      const inner = Object.values(at.properties ?? {}).find((one) => one && (one.type === "array" || one.items?.properties));
      if (inner === undefined || inner.items?.properties === undefined) break;
      at = inner;
    }
  }
  const properties = at?.properties;
  if (!properties || Object.keys(properties).length === 0) return null;
  return Object.entries(properties).map(([name, one]) => ({
    name,
    type: Array.isArray(one?.type) ? one.type.find((kind) => kind !== "null") : one?.type ?? "string",
    words: nameWords(`${name} ${one?.title ?? ""} ${one?.description ?? ""}`),
    own: nameWords(name),
  }));
}

const nameWords = (text) => text.replace(/([a-zа-яіїєґ])([A-ZА-ЯІЇЄҐ])/gu, "$1 $2").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Words for the same thing. */
const ALIKE = [
  ["name", "title", "product", "item", "heading", "назва", "товар", "ім"],
  ["price", "cost", "amount", "sum", "total", "ціна", "вартість", "сума"],
  ["url", "link", "href", "address", "посилання"],
  ["image", "img", "picture", "photo", "thumbnail", "фото", "зображення"],
  ["date", "day", "when", "time", "дата", "час"],
  ["description", "text", "summary", "details", "опис"],
  ["rating", "stars", "score", "оцінка"],
  ["quantity", "qty", "count", "number", "кількість"],
  ["author", "by", "writer", "автор"],
  ["id", "no", "nr", "номер"],
];
const alike = (a, b) => a === b || (a.length > 3 && b.length > 3 && (a.startsWith(b) || b.startsWith(a))) || ALIKE.some((group) => group.includes(a) && group.includes(b));

/** Finds a column for each property: {of: [column or null], hits}. Each column is taken once, the closest first. */
function matchColumns(found, wanted) {
  if (wanted === null) return { of: [], hits: 0 };
  const pairs = [];
  wanted.forEach((property, at) => found.columns.forEach((column, index) => {
    const worth = worthOf(property, column, index, found);
    if (worth > 0) pairs.push([worth, at, index]);
  }));
  pairs.sort((a, b) => b[0] - a[0] || a[2] - b[2]);
  const of = wanted.map(() => null);
  const taken = new Set();
  for (const [, at, index] of pairs) {
    if (of[at] !== null || taken.has(index)) continue;
    of[at] = index;
    taken.add(index);
  }
  return { of, hits: of.filter((index) => index !== null).length };
}

function worthOf(property, column, index, found) {
  const words = nameWords(column);
  if (words.length === 0) return 0;
  const isNumber = property.type === "number" || property.type === "integer";
  if (isNumber && !found.rows.slice(0, 20).some((row) => numberIn(row[index] ?? "") !== null)) return 0;
  if (words.join(" ") === property.own.join(" ")) return 100;
  if (property.own.every((word) => words.includes(word))) return 80;
  if (words.every((word) => property.own.includes(word))) return 70;
  if (property.own.some((word) => words.some((other) => alike(word, other)))) return 40;
  return property.words.some((word) => word.length > 3 && words.includes(word)) ? 20 : 0;
}

function pickColumns(found, matched, wanted) {
  const [columns, unfit] = [wanted === null ? found.columns : wanted.map(({ name }) => name), {}];
  const rows = found.rows.map((cells) => {
    const row = {};
    columns.forEach((name, at) => {
      const index = wanted === null ? at : matched.of[at];
      row[name] = index === null ? null : asType(cells[index] ?? "", wanted?.[at].type ?? "string");
      if (row[name] === null && index !== null && (cells[index] ?? "") !== "") unfit[name] = (unfit[name] ?? 0) + 1;
    });
    return row;
  });
  const missing = wanted === null ? [] : columns.filter((_, at) => matched.of[at] === null);
  return { columns, rows, missing, unfit, left_out: found.leftOut };
}

const cellText = (el) => cut(clean(isSecret(el) ? "" : `${visibleText(el, MOST_CELL).replace(/\n+/g, " ")} ${valuesIn(el)}`), MOST_CELL) || drawnCell(el);

/** Tables with their cells in columns: a cell that spans rows or columns stands in each of them. */
function* tablesIn(top) {
  const all = Array.from(queryAll(top, ROW_TABLES));
  if (nodeType(top) === 1 && matches(top, ROW_TABLES)) all.unshift(top);
  for (const table of all.slice(0, 40)) {
    const found = isShown(table) && roleOf(table) !== "presentation" ? tableRows(table) : null;
    if (found !== null) yield found;
  }
}

const ROW_TABLES = "table,[role=table],[role=grid],[role=treegrid]";

/** Returns the rows of a table with how to read them again as more are drawn, or null if it has none. */
function tableRows(table) {
  const grid = gridOf(table);
  if (isGridOfPairs(grid)) return rowOfPairs(table, grid.map(([name, value]) => [name.text, value.text]));
  if (grid.length < 2 || !grid.some((row) => row.length > 1)) return null;
  const first = grid.findIndex((row) => row.some((cell) => !cell.head));
  const heads = first > 0 ? first : 1;
  const width = Math.max(...grid.map((row) => row.length));
  const names = [];
  for (let at = 0; at < width; at++) {
    const parts = grid.slice(0, heads).map((row) => row[at]?.text ?? "").filter((text, i, texts) => text !== "" && texts.indexOf(text) === i);
    names.push(parts.join(" ") || `column ${at + 1}`);
  }
  const rows = grid.slice(heads).filter((row) => row.some((cell) => cell.text !== "")).map((row) => names.map((_, at) => row[at]?.text ?? ""));
  if (rows.length === 0) return null;
  const found = { columns: unique(names), rows, leftOut: Math.max(0, rowsIn(table).length - MOST_ROWS - 1), heads };
  found.readAgain = () => tableRows(table);
  found.holder = table;
  found.elements = () => rowsIn(table).slice(heads).filter((row) => textContent(row).trim() !== "" || query(row, FIELDS_IN_CELL) !== null);
  return withLinks(found, grid.slice(heads));
}

/** Adds columns for the addresses of links in cells, as "Name url". */
function withLinks(found, grid) {
  found.columns.slice().forEach((name, at) => {
    const links = grid.map((row) => row[at]?.href ?? "");
    if (!links.some((href) => href !== "") || grid.length !== found.rows.length) return;
    found.columns.push(`${name} url`);
    found.rows.forEach((row, i) => row.push(links[i]));
  });
  return found;
}

function unique(names) {
  const seen = new Map();
  return names.map((name) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name} ${count}`;
  });
}

const rowsIn = (table) => Array.from(queryAll(table, "tr,[role=row]")).filter((el) => closest(el, ROW_TABLES) === table);

function gridOf(table) {
  const grid = [];
  const rows = joinPinned(rowsIn(table).slice(0, MOST_ROWS + 1)); // with the names of the columns
  rows.forEach((parts, y) => {
    grid[y] ??= [];
    let x = 0;
    for (const { cell, tr } of cellsOfParts(parts)) {
      if (!rawVisible.call(cell)) continue;
      while (grid[y][x] !== undefined) x++;
      const down = Math.min(Math.max(1, Number(attr(cell, "rowspan") ?? attr(cell, "aria-rowspan") ?? 1) || 1), 1000);
      const across = Math.min(Math.max(1, Number(attr(cell, "colspan") ?? attr(cell, "aria-colspan") ?? 1) || 1), 100);
      const link = query(cell, "a[href]");
      const place = { text: cellText(cell), href: link === null ? "" : link.href, head: isHeadCell(cell, tr), named: localName(cell) === "th" || attr(cell, "role") === "rowheader" };
      for (let dy = 0; dy < down && y + dy < rows.length; dy++) for (let dx = 0; dx < across; dx++) (grid[y + dy] ??= [])[x + dx] = place;
      x += across;
    }
  });
  return grid.map((row) => Array.from(row, (cell) => cell ?? { text: "", href: "", head: false }));
}

const GRID_CELLS = "td,th,[role=cell],[role=gridcell],[role=columnheader],[role=rowheader]";

/** Returns the rows of a table as lists of their parts, in the order that they state: pinned columns are drawn apart. */
function joinPinned(rows) {
  const parts = new Map();
  for (const tr of rows) {
    const index = attr(tr, "aria-rowindex");
    const key = index === null || localName(tr) === "tr" ? tr : index;
    (parts.get(key) ?? parts.set(key, []).get(key)).push(tr);
  }
  const joined = [...parts];
  return (joined.every(([key]) => Number(key) > 0) ? joined.sort(([one], [other]) => one - other) : joined).map(([, row]) => row);
}

/** Returns the cells of a row with the part that each stands in, by the columns that they state. */
function cellsOfParts(parts) {
  const cells = [];
  for (const tr of parts) {
    for (const cell of queryAll(tr, GRID_CELLS)) if (closest(parentNode(cell), "tr,[role=row]") === tr) cells.push({ cell, tr, column: Number(attr(cell, "aria-colindex") ?? 0) });
  }
  return parts.length === 1 ? cells : cells.sort((one, other) => one.column - other.column);
}

const isHeadCell = (cell, tr) => (localName(cell) === "th" && attr(cell, "scope") !== "row") || attr(cell, "role") === "columnheader" || localName(parentNode(tr)) === "thead";

/** Groups of sibling blocks that are built alike: cards, results, list items. */
function* blocksIn(top) {
  const groups = [];
  for (const parent of [top, ...Array.from(queryAll(top, "ul,ol,dl,div,section,main,article,tbody,form,nav,body"))]) {
    const kinds = new Map();
    for (let child = childElementsOf(parent)[0] ?? null; child !== null; child = nextElement(child)) {
      if (localName(child) === "script" || localName(child) === "style" || localName(child) === "tr") continue;
      const kind = `${localName(child)}.${classOf(child).split(/\s+/)[0] ?? ""}.${attr(child, "role") ?? ""}`;
      (kinds.get(kind) ?? kinds.set(kind, []).get(kind)).push(child);
    }
    for (const blocks of kinds.values()) if (blocks.length > 1) groups.push(blocks);
  }
  groups.sort((a, b) => weight(b) - weight(a));
  yield* groups.slice(0, MOST_GROUPS).map(blockRows).filter((found) => found !== null);
}

/** Returns the rows of blocks with how to read them again as more are drawn, or null if fewer than two say anything. */
function blockRows(blocks) {
  const all = blocks.filter(isShown);
  const shown = all.slice(0, MOST_ROWS);
  const records = shown.map(recordOf).filter((record) => record.size > 0);
  const columns = [...new Set(records.flatMap((record) => [...record.keys()]))].filter((name) => records.filter((record) => record.has(name)).length * 3 >= records.length || records.length < 4);
  if (records.length < 2 || columns.length === 0) return null;
  const found = { columns, rows: records.map((record) => columns.map((name) => record.get(name) ?? "")), leftOut: all.length - shown.length, heads: 0 };
  const parent = parentNode(shown[0]);
  found.holder = drawnParent(shown[0]);
  found.elements = () => Array.prototype.filter.call(childElementsOf(parent), (el) => localName(el) === localName(shown[0]) && kindOfNode(el) === kindOfNode(shown[0]) && isShown(el));
  found.readAgain = () => blockRows(found.elements());
  return found;
}

const classOf = (el) => attr(el, "class") ?? "";
const weight = (blocks) => Math.min(blocks.length, 200) * Math.min(40, blocks.slice(0, 3).reduce((sum, block) => sum + childElementCount(block) + textContent(block).length / 50, 0));

/** Reads one block: names in its markup, "label: value" pairs, and its heading, link, picture and prices. */
function recordOf(block) {
  const [record, content] = [new Map(), shadowRootOf(block) ?? block];
  const put = (name, value) => {
    const key = clean(String(name)).toLowerCase();
    if (key !== "" && key.length < 60 && value && !record.has(key)) record.set(key, value);
  };
  for (const el of queryAll(content, "[itemprop]")) put(attr(el, "itemprop"), attr(el, "content") || attr(el, "datetime") || cellText(el));
  for (const term of queryAll(content, "dt")) if (nextElement(term) !== null && localName(nextElement(term)) === "dd") put(cellText(term).replace(/:$/, ""), cellText(nextElement(term)));
  const [heading, inner, picture] = ["h1,h2,h3,h4,h5,h6,[role=heading]", "a[href]", "img[src]"].map((selector) => queryAll(content, selector)[0] ?? null);
  const link = localName(block) === "a" ? block : inner;
  if (heading !== null) put("title", cellText(heading));
  for (const el of leavesOf(block)) {
    const text = cellText(el);
    if (text === "" || putField(put, el, text)) continue;
    const pair = /^([^:]{2,30}):\s+(.+)$/.exec(text);
    if (pair !== null) put(pair[1], pair[2]);
    const named = attr(el, "data-label") ?? attr(el, "data-field") ?? attr(el, "data-testid") ?? wordOfClass(el);
    if (named) put(named.replace(/[-_]+/g, " "), text);
    if (localName(el) === "time") put("date", attr(el, "datetime") ?? text);
    if (statesAmount(text)) put("price", text);
  }
  if (link !== null) {
    if (heading === null) put("title", cellText(link));
    put("url", link.href);
  }
  if (picture !== null) put("image", picture.src);
  if (record.size === 0) put("text", cellText(block));
  return record;
}

/** Elements of a block that hold text themselves, without those around them. */
function leavesOf(block) {
  const leaves = Array.from(queryAll(shadowRootOf(block) ?? block, "*")).filter((el) => isShown(el) && !/^(?:script|style|svg|br)$/.test(localName(el)) && (childElementCount(el) === 0 || Array.prototype.some.call(el.childNodes, (node) => nodeType(node) === 3 && textData(node).trim() !== "")));
  return leaves.length === 0 && textContent(block).trim() !== "" ? [block] : leaves.slice(0, 60);
}

/** Returns the last class of an element that is a word, not a code of a build tool or a utility. */
function wordOfClass(el) {
  const names = classOf(el).split(/\s+/).filter((name) => /^[a-z][a-z_-]{2,29}$/i.test(name) && !/^(?:text|font|flex|grid|col|row|btn|p|m|mt|mb|ml|mr|pt|pb|px|py|w|h|bg|border|css|sc|jsx|muted|small|large|bold|badge|label|value|item|active|link)(?:-|$)/.test(name));
  const name = names[0] ?? "";
  const tail = name.split(/__|--/)[1] ?? name;
  return tail.split(/[-_]/).slice(-1)[0] || null;
}
