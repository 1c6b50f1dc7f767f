// Context menus of a page: of things that listen for the right button themselves, and of the rows, items and tiles for
// which their list, their table or the document listens.

/** Nodes with a context menu of their own. */
const contextMenuNodes = new WeakSet();
let knowsContextMenus = false;

/**
 * Nodes that listen for every kind of event in place of the rows in them, as grids do that pass events on to whoever wants
 * them: that they listen for double clicks and context menus says nothing.
 */
const dispatching = new WeakSet();
const DISPATCHED = "p2chk";

const HOLDERS_OF_ROWS = words("rowgroup grid treegrid table");

const isDispatcher = (el, letters) => Array.from(DISPATCHED).every((letter) => letters.includes(letter)) && (HOLDERS_OF_ROWS.has(roleOf(el)) || (!ACTED_ON.has(roleOf(el)) && query(el, ROWS) !== null));

/** Reports whether a node around rows passes their events on. */
function isDispatchedIn(row, el) {
  for (let node = row, steps = 0; node !== null && steps < MOST_LEVELS_AROUND; node = drawnParent(node), steps++) {
    if (dispatching.has(node)) return true;
    if (node === el) return false;
  }
  return false;
}

const BLOCKS_MENU = /^\s*(?:return\s+false|(?:event|window\.event)\.preventDefault\(\))\s*;?\s*$/;
const PICTURES = words("img video canvas svg picture");

const blocksMenu = (el) => BLOCKS_MENU.test(attr(el, "oncontextmenu") ?? "");

const isLargeBox = ({ width, height }) => width * height >= innerWidth * innerHeight * LARGEST_LISTENER;

/** Reports whether an element has its own context menu, not just a handler that suppresses the browser's. */
function opensMenu(el, tag) {
  const role = roleOf(el, tag);
  if (isRowOfCells(tag, role)) return (contextMenuNodes.has(el) || holdsMenuCells(el)) && contentName(el) !== "";
  if (!contextMenuNodes.has(el) || NEVER_CLICKABLE.has(tag) || PICTURES.has(tag)) return false;
  if (blocksMenu(el) || isLargeBox(rectOf(el))) return false;
  if (ACTED_ON.has(role) || ITEMS.has(role)) return true;
  if (CELLS.has(role)) return contentName(el) !== "" && !isMenuCell(el, role);
  if (query(el, ROWS) !== null) return false;
  if (holdsControls(el)) return isSmallHolder(el);
  return contentName(el) !== "" && setKind(el, hasPointer(el)) === WHOLE;
}

const isRowOfCells = (tag, role) => tag === "tr" || role === "row";

/** Reports whether most cells of a row listen for the same, and one lies where the row is pressed: the row then stands for them. */
function holdsMenuCells(row) {
  const cells = childrenOf(row);
  const listeners = Array.prototype.filter.call(cells, (cell) => contextMenuNodes.has(cell) && CELLS.has(roleOf(cell)) && roleOf(cell) !== "columnheader");
  if (listeners.length < 2 || listeners.length < cells.length / 2) return false;
  const { left, right } = rectOf(row);
  const middle = (left + right) / 2;
  return listeners.some((cell) => rectOf(cell).left <= middle && middle <= rectOf(cell).right);
}

/** Reports whether the row of a cell stands for its context menu. Heads of columns have menus of their own. */
function isMenuCell(el, role) {
  const row = role === "columnheader" ? null : drawnParent(el);
  return row !== null && isRowOfCells(localName(row), roleOf(row)) && holdsMenuCells(row);
}

const MOST_IN_SMALL = 8;

/** Reports whether an element has few controls and words of its own beside them; the menu around a field is the field's. */
function isSmallHolder(el) {
  if (query(el, FILLED_FIELDS) !== null) return false;
  const words = textBesides(el);
  return words !== "" && !isSymbol(words) && words.length <= LONGEST_CLICKABLE && queryAll(el, CONTROLS).length <= MOST_IN_SMALL;
}

/** Reports whether an element has a context menu for the items in it, not for itself. */
function holdsMenuItems(el, tag) {
  if (!contextMenuNodes.has(el) || tag === "html" || ACTED_ON.has(roleOf(el, tag)) || blocksMenu(el)) return false;
  if (isRowOfCells(tag, roleOf(el, tag)) || CELLS.has(roleOf(el, tag))) return false;
  const rows = menuRowsIn(el);
  if (rows.length > 0) return !isDispatchedIn(rows[0], el) && markItems(rows) === SET;
  if (tag === "body" || isLargeBox(rectOf(el))) {
    const items = smallItemsIn(el);
    return items !== null && markItems(items) === SET;
  }
  return setKind(el, hasPointer(el)) !== WHOLE;
}

/** Returns the rows of the tables and grids in an element, without those of heads. */
function menuRowsIn(el) {
  const isBody = (row) => isShown(row) && contentName(row) !== "" && query(row, "td,[role=gridcell],[role=cell]") !== null;
  return Array.prototype.slice.call(queryAll(el, "tr,[role=row]"), 0, MOST_ITEMS).filter(isBody);
}

/** Reports whether an element with a context menu is not one of several alike, so that its menu may be that of the things in it. */
const isSingleMenuHolder = (el) => contextMenuNodes.has(el) && ![previousElement(el), nextElement(el)].some((other) => other !== null && isAlike(other, el) && contextMenuNodes.has(other));

const LARGEST_MENU_ITEM = 0.06;

/** Returns the small things built alike of which a large pane consists: files, messages, tiles; null if it does not. */
function smallItemsIn(el) {
  const items = listItemsIn(el) ?? itemsIn(el, 2, false) ?? nestedItemsIn(el) ?? (localName(el) === "body" ? null : plainItemsIn(el, true));
  if (items === null) return null;
  const most = innerWidth * innerHeight * LARGEST_MENU_ITEM;
  const isSmall = (one) => {
    const { width, height } = rectOf(one);
    const text = contentName(one);
    return width * height <= most && text !== "" && text.length <= LONGEST_CLICKABLE && query(one, FILLED_FIELDS) === null;
  };
  return items.every(isSmall) ? items : null;
}

/** Selectors by which handlers of context menus look for the item around what is pressed: {ref, selectors}. */
const menuSelectors = [];
const MOST_MENU_SELECTORS = 40;
/** Matches selectors of menus and dialogs, which handlers look for to close them. */
const CLOSED_BY_HANDLER = /menu|popup|popover|dropdown|modal|dialog|input|textarea|editable/i;

function noteMenuSelectors(holder, selectors) {
  const wanted = selectors.filter((selector) => !CLOSED_BY_HANDLER.test(selector));
  if (wanted.length > 0 && menuSelectors.length < MOST_MENU_SELECTORS) menuSelectors.push({ ref: new WeakRef(holder), wanted });
}

/** Records the items that these selectors fit. Reports whether one of them is not listed yet. */
function noteSelectedMenus() {
  let fresh = false;
  for (const { ref, wanted } of menuSelectors) {
    const holder = ref.deref();
    if (holder === undefined || (nodeType(holder) === 1 && !isConnected(holder))) continue;
    for (const selector of wanted) {
      const found = fitting(holder, selector);
      for (let i = 0; i < found.length && found.length <= MOST_ITEMS; i++) {
        knowsContextMenus = contextMenuNodes.add(found[i]) !== null;
        fresh ||= eidByNode.get(found[i]) === undefined && opensMenu(found[i], localName(found[i])) && isShown(found[i]);
      }
    }
  }
  return fresh;
}

function fitting(holder, selector) {
  try {
    return queryAll(holder, selector);
  } catch {
    return []; // a text that is no selector
  }
}

const MENU_NOTES = ["has a menu; click with button right to open it", "has a menu, as have others here; click with button right to open it"];
const HOVER_NOTES = ["shows more under the pointer; hover it", "shows more under the pointer, as do others here; hover it"];

const DOUBLE_NOTES = ["a double click acts; click with count 2", "a double click acts, as on others here; click with count 2"];

/** Returns the notes about context menus, hovering and double clicks by line: one for a whole list, at its first shown line. */
function notesOf(page) {
  const all = new Map();
  for (const [what, texts] of [["menu", MENU_NOTES], ["hover", HOVER_NOTES], ["double", DOUBLE_NOTES]]) {
    for (const [line, note] of noteForList(page, what, texts)) all.set(line, [...(all.get(line) ?? []), note]);
  }
  return all;
}

function noteForList(page, what, [alone, shared]) {
  const notes = new Map();
  const first = new Map();
  for (const line of page.lines) {
    if (!line[what] || !line.shown || (what === "menu" && opensByClick(line))) continue;
    if (what === "menu" && ACTED_ON.has(line.role) && isToldAbove(line)) continue;
    const list = listAround(line.parent) ?? outsideRows(line.parent);
    if (first.has(list)) notes.set(first.get(list), shared);
    else {
      first.set(list, line);
      notes.set(line, alone);
    }
  }
  return notes;
}

/** Reports whether a control stands in something with a context menu, which is told there. */
function isToldAbove(line) {
  for (let holder = line.parent; holder !== null; holder = holder.parent) if (holder.menu) return true;
  return false;
}

/** Returns the first line around, from this one on, that is no row or item: rows alike are told of together. */
function outsideRows(line) {
  let outer = line;
  while (outer !== null && (ITEMS.has(outer.role) || outer.kind === ACTOR)) outer = outer.parent;
  return outer;
}

/** Reports whether a plain click opens the menu of a thing, or nobody would look for another one at it: an icon, an item of a menu. */
const opensByClick = (line) => line.role.startsWith("menuitem") || line.attrs?.guessed === true || hasAttr(line.el, "aria-haspopup");
