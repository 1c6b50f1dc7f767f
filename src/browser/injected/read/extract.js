// `extract`: the page or one element as readable text, close to Markdown.

const MOST_EXTRACTED = 100000;

function extract(eid) {
  const el = eid ? nodeOf(eid) : bodyOf(document);
  if (el === null) return eid ? deadEid(eid) : "";
  const out = new Writer(el);
  try {
    writeNode(el, out, 0);
  } catch {
    // The text read so far is still useful.
  }
  const text = out.text.replace(INVISIBLE, "").toWellFormed();
  return text.length > MOST_EXTRACTED ? cut(text, MOST_EXTRACTED) : text;
}

/** Writer that collapses white space; gaps are written only when something follows. */
class Writer {
  constructor(top) {
    this.text = "";
    this.lines = 0;
    this.space = false;
    this.nodes = 200000;
    /** Enclosing lists: 0 for an unordered one, otherwise the next number. */
    this.lists = [];
    /** Element that is extracted. */
    this.top = top;
    /** Rows of each grid, by the row of the document in whose place each is written. */
    this.grids = new Map();
  }

  add(raw) {
    const text = raw.replace(/\s+/g, " ");
    const words = text.trim();
    if (text.startsWith(" ")) this.space = true;
    if (words === "") return;
    this.gap();
    this.text += words;
    this.space = text.endsWith(" ");
  }

  /** Writes text unchanged, such as the marker of a list item. */
  mark(text) {
    this.gap();
    this.text += text;
    this.lines = -1;
  }

  gap() {
    if (this.text !== "" && this.lines > 0) this.text += "\n".repeat(this.lines);
    else if (this.text !== "" && this.space && this.lines === 0) this.text += " ";
    this.lines = 0;
    this.space = false;
  }

  /** Requests at least `count` line breaks before further text; none directly after a marker. */
  newline(count) {
    if (this.lines >= 0) this.lines = Math.max(this.lines, count);
  }
}

function writeNode(node, out, depth) {
  if (out.text.length > MOST_EXTRACTED || out.nodes-- <= 0 || depth > DEEPEST) return;
  const type = nodeType(node);
  if (type === 3) return out.add(textData(node));
  if (type !== 1) return;
  const tag = localName(node);
  if (tag === "br") out.newline(1);
  if ((NEVER_READ.has(tag) && innerDocument(node) === null) || isLigature(node, tag)) return;
  const shown = isShown(node);
  if (!shown && !mayContainShown(node)) return;
  if (tag === "input" || tag === "select" || tag === "textarea" || isSecretRich(node)) {
    if (shown) writeField(node, tag, out);
  } else if ((tag === "iframe" || tag === "frame") && innerDocument(node) === null) writeFrame(node, out);
  else writeElement(node, tag, out, depth, shown);
}

function writeField(el, tag, out) {
  const role = roleOf(el, tag);
  if (role === "" || role === "button") return out.add(role === "" ? "" : ` ${nameOf(el, role, tag)} `);
  const states = statesOf(el, role, tag);
  if (role === "checkbox" || role === "radio" || role === "switch") return out.add(states.checked ? " [x] " : " [ ] ");
  if (tag === "textarea" && !states.secret && /\n/.test(el.value)) return writeLines(nameOf(el, role, tag) || role, String(el.value), out);
  out.add(` [${nameOf(el, role, tag) || role}: ${states.secret ? "••••" : wholeValue(el, tag, states)}] `);
}

/** Returns the value of a field in full; lines of the page text cut it. */
function wholeValue(el, tag, states) {
  const isCut = (tag === "input" || tag === "textarea") && (states.value ?? "").length >= LONGEST_VALUE - 1;
  return isCut ? clean(String(el.value).slice(0, MOST_EXTRACTED)) : states.value ?? "";
}

/** Writes the value of a text area with its line breaks. */
function writeLines(name, text, out) {
  out.newline(1);
  out.mark(`[${name}: ${text.slice(0, MOST_EXTRACTED).replace(/\r\n?/g, "\n").trimEnd()}]`);
  out.lines = 1;
}

/** Writes the whole text of a code editor, or says that it is not the whole. */
function writeEditor(el, tag, out) {
  const { text, whole } = wholeTextOf(el);
  writeLines(nameOf(el, "textbox", tag) || "code", text, out);
  if (whole) return;
  out.mark("(only the lines that are in view)");
  out.lines = 1;
}

/** Writes the marker at which Rust inserts the text of a frame that has its own walker. */
function writeFrame(el, out) {
  out.newline(2);
  out.mark(`\ufdd0${keyOf(el)}\ufdd1`);
  out.lines = 2;
}

/** Reports whether a label repeats the name that is written with its field. */
function repeatsName(el) {
  const control = labelControl(el);
  if (control === null || !isShown(control)) return false;
  return localName(control) !== "input" || !/^(?:checkbox|radio|button|submit|reset|image)$/.test(inputType(control));
}

function writeElement(el, tag, out, depth, shown) {
  const inside = (to = out) => {
    const inner = innerDocument(el);
    if (inner !== null) return bodyOf(inner) === null ? undefined : writeNode(bodyOf(inner), to, depth + 1);
    if (shown) to.add(drawnWordsBefore(el));
    drawnChildren(el, tag, (child) => {
      if (nodeType(child) !== 3 || shown || styleOf(el).display === "contents") writeNode(child, to, depth + 1);
    });
    if (shown) to.add(drawnWordsAfter(el));
  };
  const level = /^h[1-6]$/.test(tag) ? Number(tag[1]) : 0;
  if (editorAt(el) !== null) writeEditor(el, tag, out);
  else if (level > 0) {
    out.newline(2);
    out.mark("#".repeat(level) + " ");
    inside();
    out.lines = 2;
  } else if (tag === "img") {
    const alt = clean(attr(el, "alt") ?? "");
    if (alt) out.add(` ![${alt}] `);
  } else if (tag === "pre") writeCode(el, out);
  else if (tag === "code") out.add(quoteCode(writeSeparately(out, inside)));
  else if (tag === "blockquote") writeQuote(out, inside);
  else if (tag === "hr") {
    out.newline(2);
    out.mark("---");
    out.lines = 2;
  } else if (tag === "label" && repeatsName(el)) {
    for (const field of queryAll(el, "input,select,textarea")) writeNode(field, out, depth + 1);
  } else if (tag === "a" && hasAttr(el, "href")) writeLink(el, out, inside);
  else if (tag === "tr" || explicitRole(el) === "row") writeRow(el, out, depth);
  else writeBlock(el, tag, out, inside);
}

/** Returns the content of an element, written separately. */
function writeSeparately(out, write) {
  const part = new Writer(out.top);
  part.nodes = out.nodes;
  write(part);
  out.nodes = part.nodes;
  return clean(part.text.replace(INVISIBLE, ""));
}

function writeLink(el, out, inside) {
  const text = writeSeparately(out, inside);
  const states = {};
  hrefInto(states, el);
  if (text) out.add(states.href && text.length <= 300 ? ` [${text}](${states.href}) ` : ` ${text} `);
}

/** Returns the cells of a row, also those within wrappers. */
function cellsOf(row) {
  const cells = [];
  const search = (holder, depth) => drawnChildren(holder, localName(holder), (node) => {
    if (nodeType(node) !== 1) return;
    const isCell = localName(row) === "tr" && holder === row || CELLS.has(explicitRole(node));
    if (isCell) cells.push(node);
    else if (depth < 6) search(node, depth + 1);
  });
  search(row, 0);
  return cells;
}

/**
 * Returns the parts of the row to write in place of this one. Grids with pinned columns draw a row in several places, and
 * rows in the order in which they came: the first one in the document gives way to the first one that is shown, and so on.
 */
function rowInPlaceOf(row, out) {
  const index = localName(row) === "tr" ? null : attr(row, "aria-rowindex");
  const grid = index === null ? null : closest(row, ROW_TABLES);
  if (grid === null) return [row];
  if (!out.grids.has(grid)) {
    const shown = joinPinned(rowsIn(grid).filter((one) => contains(out.top, one)));
    const drawn = shown.map(([first]) => first).sort((one, other) => (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
    out.grids.set(grid, new Map(drawn.map((first, at) => [first, shown[at]])));
  }
  return out.grids.get(grid).get(row) ?? [];
}

function writeRow(el, out, depth) {
  const parts = rowInPlaceOf(el, out);
  if (parts.length === 0) return;
  const cells = [];
  for (const cell of parts.flatMap(cellsOf)) {
    for (const column = columnOf(cell); cells.length < column;) cells.push("");
    cells.push(writeSeparately(out, (part) => writeNode(cell, part, depth + 1)).replaceAll("|", "\\|"));
    for (let span = spanOf(cell); span > 1; span--) cells.push("");
  }
  out.newline(1);
  out.add(`| ${cells.join(" | ")} |`);
  out.newline(1);
  const table = closest(el, TABLES);
  if (cells.length > 1 && table !== null && queryAll(table, "tr,[role=row]")[0] === el) {
    out.add(`| ${cells.map(() => "---").join(" | ")} |`);
    out.newline(1);
  }
}

function writeBlock(el, tag, out, inside) {
  const display = styleOf(el).display;
  if (display === "inline" || display === "contents") return inside();
  if (display.startsWith("inline")) {
    out.add(" ");
    inside();
    return out.add(" ");
  }
  const list = tag === "ul" || tag === "ol";
  const gap = tag === "p" || tag === "table" || tag === "section" || (list && out.lists.length === 0) ? 2 : 1;
  out.newline(gap);
  if (tag === "li") out.mark(itemMark(out));
  if (list) out.lists.push(tag === "ol" ? Number(attr(el, "start")) || 1 : 0);
  inside();
  if (list) out.lists.pop();
  out.lines = Math.max(out.lines, gap);
}

const childElementsOf = (node) => (nodeType(node) === 1 ? childrenOf(node) : node.children);

/** Returns an element with the shadow roots and the bodies of the frames within it that can be read and are shown. */
function partsWithin(top) {
  const parts = [top];
  // Parts are added as they are met.
  for (const part of parts) {
    const hosts = part === top ? [top, ...queryAll(part, "*")] : queryAll(part, "*");
    for (const el of hosts) {
      const shadow = shadowRootOf(el);
      if (shadow !== null && !parts.includes(shadow)) parts.push(shadow);
      const doc = CAN_BE_FRAME.has(localName(el)) && isShown(el) ? innerDocument(el) : null;
      if (doc !== null && bodyOf(doc) !== null) parts.push(bodyOf(doc));
    }
  }
  return parts;
}

const CAN_BE_FRAME = words("iframe frame object embed");

const FIELDS_IN_CELL = "input,select,textarea";
const NO_VALUE_INPUT = words("checkbox radio button submit reset image hidden");
const MOST_FIELDS_IN_CELL = 20;

/** Returns the values of the fields in a cell, as a look tells them; secret ones are masked. */
function valuesIn(el) {
  const fields = matches(el, FIELDS_IN_CELL) ? [el] : Array.prototype.slice.call(queryAll(el, FIELDS_IN_CELL), 0, MOST_FIELDS_IN_CELL);
  return fields.map((field) => {
    const tag = localName(field);
    if ((tag === "input" && NO_VALUE_INPUT.has(inputType(field))) || !isShown(field)) return "";
    const states = statesOf(field, roleOf(field, tag), tag);
    return states.secret || isSecret(field) ? "••••" : tag === "select" ? valueInLabel(field, tag) : wholeValue(field, tag, states);
  }).filter(Boolean).join(" ");
}

/** Puts a field into the record of a block by its name; reports whether an element is one. */
function putField(put, el, text) {
  if (!matches(el, FIELDS_IN_CELL)) return false;
  put(nameOf(el, roleOf(el)) || wordOfClass(el) || "value", text);
  return true;
}

/** Returns what a cell without words shows: a tick or a cross, or a picture with a name. */
function drawnCell(el) {
  const box = attr(el, "aria-checked") !== null ? el : query(el, "[aria-checked],input[type=checkbox]");
  if (box !== null) return (localName(box) === "input" ? box.checked === true : attr(box, "aria-checked") === "true") ? "✓" : "✗";
  const picture = query(el, "img[alt],svg[aria-label],[role=img][aria-label]");
  return picture === null ? iconOfCell(el) : cut(clean(attr(picture, "alt") || attr(picture, "aria-label") || ""), MOST_CELL);
}
