// Sets: elements that listen for presses on their items, such as the days of a calendar, stars, swatches, chips, or
// rows of mail. The set itself is not clickable, because a click would hit whatever is in its middle; its items are.

/**
 * Kinds: one clickable element; one that also contains other clickable ones; one in which only the items are
 * clickable.
 */
const WHOLE = 0;
const PARTLY = 1;
const SET = 2;
/** Kind of an element, with the walk in which it was determined. */
let judgedAt = new WeakMap();
/** Items of a set, which may have no pointer cursor of their own, with the walk that found them. */
const itemAt = new WeakMap();

const isItem = (el) => itemAt.get(el) === walkCount;

/** Returns the kind of an element with a listener. `pointer`: it has a pointer cursor. */
function setKind(el, pointer) {
  if (firstElementChild(el) === null || namespaceOf(el) === SVG) return WHOLE;
  const known = judgedAt.get(el);
  if (known?.walk === walkCount) return known.kind;
  const kind = judgeSet(el, pointer);
  judgedAt.set(el, { walk: walkCount, kind });
  markPartsOf(el, kind);
  return kind;
}

/** Reports whether an element holds a control that has a box: what a state switches off counts for nothing. */
const holdsDrawnControl = (el) => Array.prototype.some.call(queryAll(el, CONTROLS), (one) => rawVisible.call(one));

function judgeSet(el, pointer) {
  const text = contentName(el);
  const reactors = reactorsIn(el);
  if (holdsDrawnControl(el)) return judgeItemsWithControls(el, reactors, text);
  if (reactors.length > 0) return judgeReactors(el, reactors, text);
  if (!reactsItself(el)) return pointer && isMenuOfItems(el) ? SET : WHOLE;
  if (!pointer) {
    const found = pointersIn(el);
    if (found.some((one, i) => found.some((other, k) => k > i && isAlike(one, other)))) return SET;
    if (found.length > 0) return found.reduce((sum, one) => sum + contentName(one).length, 0) >= text.length * 0.9 ? SET : PARTLY;
  }
  if (pointer && !isHolderOfPressed(el) && isOneOfMany(el)) return WHOLE;
  const least = pointer || text.length > LONGEST_CLICKABLE ? LEAST_MENU : 2;
  return markItems(pressedCellsIn(el) ?? (pointer ? termItemsIn(el) : null) ?? listItemsIn(el) ?? sortedItemsIn(el) ?? itemsIn(el, least, pointer) ?? (pointer ? itemsOfClass(el) ?? symbolsIn(el) : null) ?? gridIn(el, text.length) ?? placedItemsIn(el, text) ?? nestedItemsIn(el) ?? plainItemsIn(el, pointer || isSingleMenuHolder(el)));
}

/** Marks the items of a set and what is pressed within each, so that they are listed; returns the kind. */
function markItems(items) {
  if (items === null) return WHOLE;
  for (const item of items) markItem(item);
  return SET;
}

/** Reports whether an element has a listener or an attribute of its own that reacts to presses or a context menu. */
const reactsItself = (el) => (listening.has(el) && !delegating.has(el)) || contextMenuNodes.has(el) || dropping.has(el) || isHinted(el);

const MOST_REACTORS = 40;
const MOST_REACTOR_SEARCH = 400;

/** Returns the outermost descendants that have listeners of their own, or attributes of frameworks. */
function reactorsIn(el) {
  const found = [];
  let left = MOST_REACTOR_SEARCH;
  const search = (holder) => drawnChildren(holder, localName(holder), (node) => {
    if (nodeType(node) !== 1 || left-- <= 0 || found.length >= MOST_REACTORS) return;
    // A drawing counts only as a whole, as an icon; its shapes are handled as those of charts.
    if (namespaceOf(node) === SVG && !(localName(node) === "svg" && listening.has(node))) return;
    if (!listening.has(node) && !isHinted(node)) search(node);
    else if (isShown(node)) found.push(node);
  });
  search(el);
  return found;
}

/** Least part of the text that inner elements must have for their container to be nothing beside them. */
const NEARLY_ALL = 0.9;
const MOST_OF_IT = 0.5;

const shareOf = (found, text) => (text.length === 0 ? 1 : found.reduce((sum, one) => sum + contentName(one).length + 1, 0) / (text.length + 1));

/** Judges an element whose descendants listen themselves: they alone react if they make up most of it. */
function judgeReactors(el, reactors, text) {
  const share = shareOf(reactors, text);
  if (share >= NEARLY_ALL) return SET;
  const alike = reactors.some((one, i) => reactors.some((other, k) => k > i && isAlike(one, other)));
  const placed = alike || !(carrying.has(el) || dropping.has(el)) ? null : placedItemsIn(el, text, reactors);
  if (placed !== null) return markItems(placed);
  if (!alike) return PARTLY;
  return share >= MOST_OF_IT || !reactsItself(el) ? SET : PARTLY;
}

/** Judges an element with controls: sortable lists have items with controls; a bar of controls is nothing itself. */
function judgeItemsWithControls(el, reactors, text) {
  if (carrying.has(el) && !isDialogElement(el, localName(el)) && query(el, ITEM_ROLES) === null) {
    const items = listItemsIn(el) ?? sortedItemsIn(el) ?? itemsIn(el, 2, false);
    if (items !== null && !items.some((one) => matches(one, CONTROLS))) return markItems(items);
  }
  const boxed = listening.has(el) || delegating.has(el) ? rowsWithSilentBoxes(el) : null;
  if (boxed !== null) return markItems(boxed);
  if (hasAttr(el, "role")) return WHOLE;
  const controls = Array.prototype.filter.call(queryAll(el, CONTROLS), isShown);
  const outer = reactors.filter((one) => !controls.some((control) => contains(one, control) || contains(control, one)));
  return text !== "" && shareOf([...controls, ...outer], text) >= NEARLY_ALL ? SET : WHOLE;
}

const childrenOf = getter(Element.prototype, "children");
const ITEM_LISTS = /^(?:ul|ol|menu|tbody)$/;

/** Returns the items of a list that listens for them, or null. */
function listItemsIn(el) {
  if (!ITEM_LISTS.test(localName(el))) return null;
  const items = Array.prototype.filter.call(childrenOf(el), (one) => /^(?:li|tr)$/.test(localName(one)) && isShown(one));
  return items.length >= 2 && items.length <= MOST_ITEMS ? items : null;
}

/** Returns the children of an element that listens for the beginning of drags and for what comes over it, or null. */
function sortedItemsIn(el) {
  if (!carrying.has(el) || !(dropping.has(el) || /sort|drag(?!gab)/i.test(attr(el, "class") ?? ""))) return null;
  const children = Array.prototype.filter.call(childrenOf(el), isShown);
  const [first] = children;
  return children.length >= 2 && children.length <= MOST_ITEMS && children.every((one) => localName(one) === localName(first)) ? children : null;
}

const LEAST_MENU = 3;

/** Returns the children of a row or column if they have one class in common and stand in a line; otherwise null. */
function itemsOfClass(el) {
  const children = Array.prototype.filter.call(childrenOf(el), isShown);
  const [first] = children;
  if (children.length < LEAST_MENU || children.length > MOST_ITEMS || children.length < childElementCount(el)) return null;
  if (!ITEM_TAGS.has(localName(first)) || classesOf(first).length === 0 || !children.every((one) => isAlike(one, first))) return null;
  const boxes = children.map(rectOf);
  const even = (side) => boxes.every((one) => Math.abs(one[side] - boxes[0][side]) <= 2);
  if (boxes[0].height < LEAST_ITEM || children.some((one) => contentName(one) === "")) return null;
  return even("height") && (even("top") || even("left")) ? children : null;
}

/** Returns the children of an element that shows symbols only: a palette of emoji, a row of tools; otherwise null. */
function symbolsIn(el) {
  const children = Array.prototype.filter.call(childrenOf(el), isShown);
  const isOne = (one) => localName(one) === localName(children[0]) && contentName(one) !== "" && isSymbol(contentName(one));
  return children.length >= LEAST_MENU && children.length <= MOST_ITEMS && ITEM_TAGS.has(localName(children[0])) && children.every(isOne) ? children : null;
}

const LONGEST_MENU_ITEM = 60;

/** Reports whether an element with a pointer cursor, but without a listener, holds at least three items of one class. */
function isMenuOfItems(el) {
  if (isOneOfMany(el)) return false;
  const items = listItemsIn(el) ?? itemsIn(el, LEAST_MENU, true) ?? itemsOfClass(el);
  if (items === null || items.length < LEAST_MENU) return false;
  const [first] = items;
  const shared = localName(first) === "li" || (classesOf(first).length > 0 && items.every((one) => isAlike(one, first)));
  if (!shared || items.some((one) => contentName(one) === "" || contentName(one).length > LONGEST_MENU_ITEM)) return false;
  return markItems(items) === SET;
}

/** Reports whether an element stands beside one that is built alike and reacts, too: a card, not a list of items. */
function isOneOfMany(el) {
  for (const other of [previousElement(el), nextElement(el)]) {
    if (other !== null && isAlike(other, el) && attr(other, "role") === attr(el, "role") && childTags(other) === childTags(el) && (listening.has(other) || hasPointer(other))) return true;
  }
  return false;
}

const MOST_SEARCHED = 150;
const MOST_POINTERS = 8;

/** Returns the outermost descendants with a pointer cursor. */
function pointersIn(el) {
  const found = [];
  let left = MOST_SEARCHED;
  const search = (holder) => drawnChildren(holder, localName(holder), (node) => {
    if (nodeType(node) !== 1 || left-- <= 0 || found.length >= MOST_POINTERS) return;
    if (!hasPointer(node)) search(node);
    else if (isShown(node)) found.push(node);
  });
  search(el);
  return found;
}

const ITEM_TAGS = words("div span li tr i svg img article figure");
const LEAST_ITEM = 10;
const MOST_ITEMS = 400;

const classesOf = (el) => (attr(el, "class") ?? "").split(/\s+/).filter(Boolean);

/** Reports whether two elements have the same tag, and a class in common if they have any. */
function isAlike(a, b) {
  if (localName(a) !== localName(b)) return false;
  const [one, other] = [classesOf(a), classesOf(b)];
  return one.length + other.length === 0 || one.some((name) => other.includes(name));
}

/**
 * Finds descendants that are built alike, through single wrappers and rows; null if the element consists of different
 * parts.
 */
function itemsIn(el, least, strict) {
  let holder = el;
  for (let steps = 0; steps < 4 && childElementCount(holder) === 1; steps++) holder = firstElementChild(holder);
  if (childElementCount(holder) < least || childElementCount(holder) > MOST_ITEMS) return null;
  const children = [];
  for (let node = firstChild(holder); node !== null; node = nextSibling(node)) {
    if (nodeType(node) === 3 && textData(node).trim() !== "") return null;
    if (nodeType(node) === 1) children.push(node);
  }
  if (!areItems(children, strict)) return null;
  const items = [];
  for (const child of children) {
    const row = itemsIn(child, 3, true);
    if (row === null) return children;
    items.push(...row);
  }
  return items;
}

function areItems(children, strict) {
  const [first, second] = children;
  const tag = localName(first);
  if ((!ITEM_TAGS.has(tag) && !tag.includes("-")) || children.some((one) => localName(one) !== tag)) return false;
  const boxes = children.slice(0, 12).map(rectOf);
  const [box] = boxes;
  if (box.width < LEAST_ITEM || box.height < LEAST_ITEM) return false;
  const even = (side) => boxes.every((one) => Math.abs(one[side] - box[side]) <= 2);
  const equal = even("width") && even("height");
  const built = children.every((one) => childTags(one) !== "" && childTags(one) === childTags(first));
  if (strict) return equal && tag !== "img";
  const alike = children.every((one) => isAlike(one, first));
  if (children.length === 2) return !INLINE.has(tag) && isAlike(first, second) && (built || (even("top") && even("height")));
  if (equal && children.length >= 5) return true;
  if (!alike) return false;
  return (equal && (even("top") || classesOf(first).length > 0)) || (even("width") && built) || (even("height") && classesOf(first).length > 0);
}

/** Returns the tags of an element's children, which are equal for elements built alike. */
function childTags(el) {
  let tags = "";
  for (let node = firstElementChild(el), steps = 0; node !== null && steps < 6; node = nextElement(node), steps++) tags += `${localName(node)} `;
  return tags;
}

/**
 * Finds many small elements of one size further inside that make up most of the text (a calendar below its title).
 */
function gridIn(el, length) {
  for (let child = firstElementChild(el), steps = 0; child !== null && steps < 6; child = nextElement(child), steps++) {
    const items = itemsIn(child, 3, true);
    if (items !== null && items.length >= 5 && items.reduce((sum, one) => sum + contentName(one).length + 1, 0) >= length * 0.6) return items;
  }
  return null;
}

const MOST_PLACED = 200;
const LEAST_SURFACE = 100;

/** Returns the elements of one class that stand free within a surface and, with what reacts itself, say all its words; or null. */
function placedItemsIn(el, text, reactors = []) {
  const { width, height } = rectOf(el);
  if (width < LEAST_SURFACE || height < ONE_ROW || text === "") return null;
  const isOf = (one, other) => contains(other, one) || (contains(one, other) && contentName(one) === contentName(other));
  const free = freeElementsIn(el).filter((one) => !reactors.some((other) => other !== one && isOf(one, other)));
  const items = free.filter((one) => isAlike(one, free[0]));
  const others = reactors.filter((one) => !items.includes(one));
  if (items.length < 2 || shareOf([...items, ...others], text) < NEARLY_ALL) return null;
  const boxes = items.map(rectOf);
  if (boxes.some((one) => one.width < LEAST_ITEM || one.height < LEAST_ITEM || one.width * one.height > width * height * MOST_OF_IT)) return null;
  return items;
}

/** Returns the innermost elements with words that are placed by coordinates; a cross in the corner of one belongs to it. */
function freeElementsIn(el) {
  const found = [];
  const inner = queryAll(el, "[class]");
  for (let i = 0; i < inner.length && i < MOST_PLACED; i++) {
    const one = inner[i];
    if (ITEM_TAGS.has(localName(one)) && styleOf(one).position === "absolute" && isShown(one) && contentName(one) !== "") found.push(one);
  }
  const mark = (one) => isSymbol(contentName(one));
  return found.filter((one) => !found.some((other) => other !== one && (mark(one) && !mark(other) ? contains(other, one) : contains(one, other) && (mark(one) || !mark(other)))));
}

const CALLED_ITEM = /(?:^|[\s_-])(?:item|option)(?:\s|$)/i;
const MOST_AROUND_ITEM = 5;

/** Reports whether an element is an item of a list that floats beside the field that opened it, for which something far listens. */
function isPoppedItem(el, tag) {
  if (!ITEM_TAGS.has(tag) || !CALLED_ITEM.test(attr(el, "class") ?? "") || query(el, CONTROLS) !== null) return false;
  if (![previousElement(el), nextElement(el)].some((other) => other !== null && isAlike(other, el))) return false;
  const text = contentName(el);
  if (text === "" || text.length > LONGEST_CLICKABLE) return false;
  let floats = false;
  for (let node = parentElement(el), steps = 0; node !== null && steps < MOST_AROUND_ITEM; node = parentElement(node), steps++) {
    floats ||= /^(?:absolute|fixed)$/.test(styleOf(node).position);
    if (floats && query(node, FIELD) !== null) return true;
  }
  return false;
}
