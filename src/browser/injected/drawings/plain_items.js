// Items that nothing but their looks tells: alike parts of a box that listens for them.

/** Roles of containers that are never pressed themselves: what listens on one listens for its items. */
const HOLDS_PRESSED = words("menu menubar tablist toolbar listbox radiogroup main form navigation");
const LONGEST_PLAIN = 40;
const LEAST_INLINE = 3;

const isHolderOfPressed = (el) => HOLDS_PRESSED.has(roleOf(el)) || TABULAR.has(roleOf(el));

/** Returns the alike children of a box that listens for them, or the rows of a table that does; null if they are not evident. */
function plainItemsIn(el, pointer) {
  const role = roleOf(el);
  const isHolder = HOLDS_PRESSED.has(role);
  if (!pointer && (!isHolder || PRESSED_BY_POINTER.has(role) || role === "navigation")) return null;
  if (TABULAR.has(role)) return rowsOfTable(el);
  const inline = isHolder ? null : inlineItemsIn(el);
  if (inline !== null) return inline;
  const children = wordyChildren(el);
  if (children === null || query(el, ITEM_ROLES) !== null) return null;
  if (children.length === 0) return plainSwatchesIn(el);
  if (children.length < 2 || children.length > MOST_ITEMS || children.length < childElementCount(el) || !children.every((one) => isAlike(one, children[0]))) return null;
  const texts = children.map((one) => contentName(one));
  if (isRunOfPages(texts)) return children;
  const isPlain = (text) => (isHolder || /^\p{L}/u.test(text)) && text.length <= LONGEST_PLAIN && !/[.!?…,:;]$/.test(text);
  if (!texts.every(isPlain) || children.some((one) => rectOf(one).height < LEAST_ITEM)) return null;
  const styles = children.map((one) => styleOf(one));
  const isSame = (name) => styles.every((style) => style[name] === styles[0][name]);
  if (!isHolder && !(isSame("fontSize") && isSame("fontWeight") && isSame("fontFamily") && isSame("color"))) return null;
  const isBoxed = styles.every((style) => style.display !== "inline" || isDrawnBox(style));
  return isHolder || isBoxed || (children.length >= LEAST_INLINE && localName(children[0]) !== "span") ? children : null;
}

/** Reports whether texts are numbers that follow each other, as those of pages. */
const isRunOfPages = (texts) => texts.length >= LEAST_INLINE && texts.every((text, i) => /^\d{1,4}$/.test(text) && (i === 0 || Number(text) === Number(texts[i - 1]) + 1));

/** Returns the rows of a table without those of its head, or null. */
function rowsOfTable(table) {
  const rows = Array.prototype.slice.call(queryAll(table, "tr,[role=row]"), 0, MOST_ITEMS).filter((row) => isShown(row) && query(row, "td,[role=cell],[role=gridcell]") !== null);
  return rows.length === 0 ? null : rows;
}

/** Returns the children of a box if they are small boxes of one size without words, each of another colour; or null. */
function plainSwatchesIn(el) {
  const children = Array.prototype.filter.call(childrenOf(el), isShown);
  if (children.length < 2 || children.length > MOST_PRESSED_SIGNS || children.some((one) => firstChild(one) !== null)) return null;
  const [{ width, height }] = children.map(rectOf);
  const isOne = (one) => isAlike(one, children[0]) && Math.abs(rectOf(one).width - width) <= 2 && Math.abs(rectOf(one).height - height) <= 2;
  if (Math.min(width, height) < LEAST_ITEM || Math.max(width, height) > LARGEST_SWATCH || !children.every(isOne)) return null;
  const colours = children.map((one) => hexColour(styleOf(one).backgroundColor));
  return colours.includes("") || new Set(colours).size < children.length ? null : children;
}

/** Texts between things in one line that are to be chosen from, or the steps of a path. */
const BETWEEN_ITEMS = /^[|¦·•∙/›»>→⟩▸]$/u;
const CALLED_BUTTON = /(?:^|[-_\s])(?:btn|button|chip|badge)(?=$|[-_\s])/i;
const LEAST_SPACING = 8;

/** Returns the alike inline things in a box that is no control, with marks or room between them; null if they may be one label. */
function inlineItemsIn(el) {
  if (hasAttr(el, "role") || hasAttr(el, "tabindex") || ITEMS.has(roleOf(el)) || CELLS.has(roleOf(el)) || ACTED_ON.has(roleOf(el)) || CALLED_BUTTON.test(attr(el, "class") ?? "")) return null;
  const line = lineOfItems(el);
  if (line === null) return null;
  const { items, marks, touching, led } = line;
  const least = localName(items[0]) === "span" ? LEAST_INLINE : 2;
  const styles = items.map((one) => styleOf(one));
  if (styles.some((style) => style.display !== "inline") || !areOfOneStyle(styles)) return null;
  const isBoxed = styles.every((style) => isDrawnBox(style) || isSpaced(style));
  // Marks between the steps of a path tell enough, of which the current one alone may have a class.
  if (!items.every((one) => isAlike(one, items[0]) || (marks > 0 && (classesOf(one).length === 0 || classesOf(items[0]).length === 0)))) return null;
  if (led) return marks === 0 && styles.every(isDrawnBox) ? items : null;
  if (marks > 0) return marks === items.length - 1 && items.length >= least ? items : null;
  // Words in capitals that touch are not read together; small letters may be a word that is drawn in parts.
  const areWords = touching && items.every((one) => /^\p{Lu}\p{L}+$/u.test(contentName(one)));
  return isBoxed || (areWords && items.length >= LEAST_INLINE) ? items : null;
}

/** Reports whether a style leaves room on both sides, or much on one. */
const isSpaced = (style) => Math.max(parseFloat(style.paddingLeft) + parseFloat(style.paddingRight), parseFloat(style.marginLeft) + parseFloat(style.marginRight)) >= LEAST_SPACING;

/** Reports whether words are drawn alike, but for one of several: the current one. */
function areOfOneStyle(styles) {
  const looks = styles.map((style) => `${style.fontSize} ${style.fontFamily} ${style.fontWeight} ${style.color}`);
  const same = Math.max(...looks.map((look) => looks.filter((other) => other === look).length));
  return styles.every((style) => style.fontSize === styles[0].fontSize) && (same === looks.length || (looks.length >= LEAST_INLINE && same === looks.length - 1));
}

/**
 * Reads a box as a line of alike elements: those, the number of marks between them, and whether they touch each other or
 * follow a caption. Null if other words or elements are among them.
 */
function lineOfItems(el) {
  const line = { items: [], marks: 0, touching: true, led: false };
  let [mark, isAfterMark] = ["", false];
  for (let node = firstChild(el), left = MOST_PRESSED_SIGNS; node !== null; node = nextSibling(node), left--) {
    const type = nodeType(node);
    if (left <= 0) return null;
    if (type !== 1 && type !== 3) continue;
    const text = type === 3 ? textData(node).trim() : isShown(node) ? contentName(node) : "";
    if (type === 3 && text === "") line.touching &&= textData(node) === "" || line.items.length === 0 || nextSibling(node) === null;
    else if (line.items.length === 0 && !line.led && text.endsWith(":")) line.led = true;
    else if (BETWEEN_ITEMS.test(text)) {
      if (line.items.length === 0 || isAfterMark || (mark !== "" && mark !== text)) return null;
      [mark, isAfterMark] = [text, true];
      line.marks++;
    } else if (type === 3 || !isItemInLine(node, text, line.items[0] ?? node)) return null;
    else isAfterMark = line.items.push(node) === 0;
  }
  return line.items.length < 2 || isAfterMark ? null : line;
}

const isItemInLine = (el, text, first) => INLINE.has(localName(el)) && localName(el) === localName(first) && /^\p{L}/u.test(text) && text.length <= LONGEST_PLAIN && !/[.!?…,:;]$/.test(text) && !ACTED_ON.has(roleOf(el)) && query(el, CONTROLS) === null;

const CELL_IN_RUN = /^(\p{L}{0,2})(\d{1,3})$/u;
const CELL_OF_TIME = /^\d{1,2}[:.]\d{2}$/;
const LEAST_CELLS = 4;
const MOST_RUNS = 60;

const mayBeInRun = (text) => CELL_IN_RUN.test(text) || CELL_OF_TIME.test(text) || isSymbol(text);

/** Returns the cells of a table that listens for them, as the days of a calendar, seats, times or signs; null for rows of data. */
function pressedCellsIn(el) {
  if (localName(el) !== "table" && localName(el) !== "tbody" && !TABULAR.has(roleOf(el))) return null;
  const first = query(el, "td,[role=gridcell]");
  const lines = queryAll(el, "tr,[role=row]");
  // Rows of data mostly begin with words.
  if (first === null || lines.length > MOST_RUNS || !mayBeInRun(contentName(first))) return null;
  const rows = Array.prototype.map.call(lines, (row) => Array.prototype.filter.call(queryAll(row, "td,[role=gridcell]"), isShown));
  const cells = rows.flat();
  if (cells.length < LEAST_CELLS || cells.length > MOST_ITEMS || rows.some((row) => row.length === 1)) return null;
  const texts = rows.map((row) => row.map((cell) => contentName(cell)));
  const said = texts.flat().filter((text) => text !== "");
  const areSigns = said.every(isSymbol) && new Set(said).size === said.length;
  const isAll = said.length >= LEAST_CELLS && (said.every((text) => CELL_OF_TIME.test(text)) || areSigns || texts.every(isRunOfCells));
  return isAll ? cells.filter((cell) => contentName(cell) !== "") : null;
}

/** Reports whether the cells of a row are counted on, as days and seats are; those of another month begin anew. */
function isRunOfCells(texts) {
  const parts = texts.filter((text) => text !== "").map((text) => CELL_IN_RUN.exec(text));
  return parts.every((part, i) => part !== null && (i === 0 || (part[1] === parts[i - 1][1] && (Number(part[2]) === Number(parts[i - 1][2]) + 1 || (part[2] === "1" && Number(parts[i - 1][2]) >= 28)))));
}

/** Returns the choices in a list of terms that listens for them: its details below fewer terms, or both; null if it has none. */
function termItemsIn(el) {
  if (localName(el) !== "dl") return null;
  const all = Array.prototype.slice.call(queryAll(el, "dt,dd"), 0, MOST_ITEMS).filter((one) => isShown(one) && contentName(one) !== "");
  const terms = all.filter((one) => localName(one) === "dt");
  const details = all.filter((one) => localName(one) === "dd");
  const areLong = details.some((one) => contentName(one).length > LONGEST_PLAIN);
  if (areLong || details.length < terms.length) return terms.length < 2 ? null : terms;
  const items = details.length > terms.length ? details : all;
  return items.length < 2 ? null : items;
}
