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
