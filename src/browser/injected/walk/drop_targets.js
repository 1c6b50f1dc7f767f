// Grips of drags, and drop targets: elements with drop listeners, and columns or lists beside others that hold draggable
// elements. A page that moves elements by the pointer listens in one place for all of them, and an empty column has no
// element to aim at.

const DRAGGED = "[draggable=true],[aria-roledescription=draggable],[aria-roledescription=sortable],[data-rfd-draggable-id],[data-rbd-draggable-id]";
/** Elements that libraries mark as targets of what the pointer carries, for which they listen at the document. */
const MARKED_TARGETS = ".ui-droppable,[class*=droppable]";
/** Nodes with known drop listeners. */
const dropping = new WeakSet();
/** Draggable elements. */
const carried = new WeakSet();
/** Parents of columns with draggable elements. */
const boards = new WeakSet();
let someDrops = false;
const MOST_CARRIED = 200;
const LARGEST_CARRIED = 0.25;

/** Nodes that listen for the beginning of a drag and for no plain press, and how many there are of each kind. */
const movable = new WeakSet();
const movableKinds = new Map();
const LONGEST_MOVED = 200;

function noteMovable(el) {
  if (movable.has(el)) return;
  movable.add(el);
  const kind = kindOfNode(el);
  movableKinds.set(kind, (movableKinds.get(kind) ?? 0) + 1);
}

/** Reports whether an element is a thing with words that the pointer moves: a card of a board, beside others of its kind. */
function isMovable(el, tag) {
  if (!movable.has(el) || NEVER_DROPPED.has(tag) || PICTURES.has(tag) || namespaceOf(el) === SVG) return false;
  const role = roleOf(el, tag);
  if ((role !== "" && role !== "listitem") || (movableKinds.get(kindOfNode(el)) ?? 0) < 2 || isInCell(el)) return false;
  const { width, height } = rectOf(el);
  if (width * height >= innerWidth * innerHeight * LARGEST_CARRIED || query(el, FILLED_FIELDS) !== null) return false;
  const text = contentName(el);
  return text !== "" && text.length <= LONGEST_MOVED && (hasMovableBeside(el) || (query(el, CONTROLS) === null && reactorsIn(el).length === 0));
}

/** Reports whether an element is the content of a cell: grids listen there for the width and order of columns. */
function isInCell(el) {
  let node = drawnParent(el);
  for (let level = 0; level < 3 && node !== null; level++, node = drawnParent(node)) if (CELLS.has(roleOf(node))) return true;
  return false;
}

/** True if a document, or what fills it, listens for the beginning of drags. */
let someFarDrags = false;

/** Reports whether an element is one of several things with words that fingers do not scroll by: the document moves them. */
function isMovedFromFar(el, tag) {
  if (!someFarDrags || !ITEM_TAGS.has(tag) || ![previousElement(el), nextElement(el)].some((other) => other !== null && isAlike(other, el))) return false;
  if (!(someTouchless || hasAttr(el, "style")) || styleOf(el).touchAction !== "none" || isInCell(el)) return false;
  const around = drawnParent(el);
  if (around === null || styleOf(around).touchAction === "none" || query(el, FILLED_FIELDS) !== null) return false;
  const text = contentName(el);
  const { width, height } = rectOf(el);
  if (text === "" || text.length > LONGEST_MOVED || width * height >= innerWidth * innerHeight * LARGEST_CARRIED) return false;
  return [previousElement(el), nextElement(el)].some((other) => other !== null && styleOf(other).touchAction === "none");
}

/** Reports whether a document has such things among its first elements. */
const holdsMovedFromFar = (doc) => Array.prototype.slice.call(queryAll(doc, "li,div[class],span[class]"), 0, MOST_ITEMS).some((el) => isShown(el) && isMovedFromFar(el, localName(el)));

const hasMovableBeside = (el) => [previousElement(el), nextElement(el)].some((other) => other !== null && movable.has(other) && isAlike(other, el));

/** Records a draggable element. Reports whether it makes an element known as a parent of columns. */
function noteCarried(el) {
  if (carried.has(el)) return false;
  const { width, height } = rectOf(el);
  if (width * height >= innerWidth * innerHeight * LARGEST_CARRIED) return false;
  carried.add(el);
  someDrops = true;
  let fresh = false;
  let node = drawnParent(el);
  for (let level = 2; level <= 3 && node !== null; level++) {
    node = drawnParent(node);
    if (node === null || localName(node) === "html") break;
    fresh ||= !boards.has(node);
    boards.add(node);
  }
  return fresh;
}

function noteAllCarried() {
  const all = queryAll(document, DRAGGED);
  for (let i = 0; i < all.length && i < MOST_CARRIED; i++) noteCarried(all[i]);
  const targets = queryAll(document, MARKED_TARGETS);
  for (let i = 0; i < targets.length && i < MOST_CARRIED; i++) someDrops = dropping.add(targets[i]) !== null;
}

const NEVER_DROPPED = words("body html main form label iframe table tbody thead tr dialog nav header footer");
const DROP_ROLES = new Set(["", ...words("list region group article complementary listbox feed")]);
const LARGEST_DROP = 0.7;
const LEAST_DROP = 16;

/** Reports whether an element is a drop target without being clickable. */
function isDropPlace(el, tag, role) {
  if (!someDrops || NEVER_DROPPED.has(tag) || !DROP_ROLES.has(role)) return false;
  const isListening = dropping.has(el);
  const parent = isListening ? null : drawnParent(el);
  if (!isListening && (parent === null || !boards.has(parent) || carried.has(el))) return false;
  const { width, height } = rectOf(el);
  if (width < LEAST_DROP || height < LEAST_DROP || width * height > innerWidth * innerHeight * LARGEST_DROP) return false;
  return isListening || hasName(el, tag) || isEmptyColumn(el, tag, parent);
}

/** Reports whether an element contains draggable elements. */
function holdsCarried(el) {
  if (query(el, DRAGGED) !== null) return true;
  const inner = queryAll(el, "*");
  for (let i = 0; i < inner.length && i < MOST_SEARCHED; i++) if (carried.has(inner[i])) return true;
  return false;
}

const LONGEST_TITLE = 80;

/** Reports whether an element is built like a sibling that contains draggable elements, but contains none itself. */
function isEmptyColumn(el, tag, board) {
  if (!/^(?:div|section|ul|ol)$/.test(tag) || contentName(el).length > LONGEST_TITLE || holdsCarried(el)) return false;
  const box = rectOf(el);
  for (let other = firstElementChild(board), steps = 0; other !== null && steps < 20; other = nextElement(other), steps++) {
    if (other === el || !isAlike(other, el) || carried.has(other)) continue;
    const beside = rectOf(other);
    // Elements below one another are only parts of a page, unless they have a class in common or are built alike.
    if (Math.abs(beside.top - box.top) > 2 && (Math.abs(beside.width - box.width) > 2 || (classesOf(el).length === 0 && (childTags(el) === "" || childTags(other) !== childTags(el))))) continue;
    if (holdsCarried(other)) return true;
  }
  return false;
}

/** Returns the heading of a drop target, or the short text that it begins with: a person drops onto what is called so. */
function titleOfDropPlace(el) {
  const isCarried = (node) => closest(node, DRAGGED) !== null || carried.has(node);
  const heading = query(el, "h1,h2,h3,h4,h5,h6,[role=heading]");
  if (heading !== null && !isCarried(heading)) return cleanName(cut(contentName(heading), LONGEST_TITLE));
  const first = firstElementChild(el);
  if (first === null || isCarried(first) || holdsCarried(first) || query(first, CONTROLS) !== null) return "";
  // An item of the list, which is built like the next one, is no bar above the items.
  const next = nextElement(first);
  if (localName(first) === "li" || listening.has(first) || (next !== null && isAlike(first, next))) return "";
  const text = contentName(first);
  return text.length <= LONGEST_TITLE / 2 ? cleanName(text) : "";
}

/** Matches classes of the parts at which a drag begins or ends: handles of cards, ports of nodes. */
const GRIP_WORDS = /(?:^|[\s_-])(?:handle|handler|grip|gripper|port|socket|endpoint|output|input)(?:[\s_-]|$)/i;
const HANDLE_WORDS = /handle|grip/i;
const GRIP_CURSORS = words("grab move crosshair pointer");
const LEAST_GRIP = 4;
const LARGEST_GRIP = 60;

/**
 * Reports whether an element without words is a handle by which something is dragged, or an end of a line to be drawn,
 * by its class and cursor, or by a cursor for drawing that is its own.
 */
function isGrip(el, cursor) {
  if (childElementCount(el) > 2) return false;
  const named = hasAttr(el, "class") && GRIP_WORDS.test(attr(el, "class").replaceAll("input-group", ""));
  if (!named && cursor !== "crosshair") return false;
  // A port drawn on what is only dragged as a whole (an entry of a palette) begins nothing.
  if (named && (cursor === "move" || cursor === "grab") && !HANDLE_WORDS.test(attr(el, "class")) && !listening.has(el) && !carrying.has(el) && styleOf(drawnParent(el) ?? el).cursor === cursor) return false;
  if (named && !isPointed(el) && !GRIP_CURSORS.has(cursor ?? styleOf(el).cursor)) return false;
  if (!named && (drawnParent(el) === null || styleOf(drawnParent(el)).cursor === "crosshair")) return false;
  const { width, height } = rectOf(el);
  if (Math.min(width, height) < LEAST_GRIP || Math.max(width, height) > LARGEST_GRIP) return false;
  return !ACTED_ON.has(roleOf(el)) && query(el, CONTROLS) === null && isSymbol(contentName(el));
}

/** Reports whether a grip moves the card or node around it, which has words; a switch has a handle, too. */
const isGripIn = (el, cursor, owner) =>
  owner !== null && owner !== undefined && (cursor !== "pointer" || isPointed(el)) && (cursor === "crosshair" || !ACTED_ON.has(roleOf(owner))) && contentName(owner) !== "";

const GRIP_PARTS = words("output input source target port socket endpoint handle left right top bottom in out");

/** Names a grip by what it is for; "" for other elements. */
function nameOfGrip(el) {
  const { cursor } = styleOf(el);
  if (!isGrip(el, cursor)) return "";
  const told = [...new Set(classesOf(el).flatMap((token) => token.toLowerCase().split(/[^a-z]+/)))].filter((word) => GRIP_PARTS.has(word));
  const isPort = cursor === "crosshair" || told.some((word) => word !== "handle");
  return keepGuess(el, isPort ? told.join(" ") || "port" : "drag handle");
}

/** Reports whether an element is moved as a whole, by its cursor, and has words beside the field in it: a node of a drawn editor. */
function isMovedWithField(el, cursor) {
  if ((cursor !== "move" && cursor !== "grab" && !isPointed(el)) || query(el, FIELD) === null) return false;
  const words = textBesides(el);
  return words !== "" && !isSymbol(words) && words.length <= LONGEST_CLICKABLE;
}

/** Nodes with known hover listeners. */
const hovered = new WeakSet();
/** Nodes with hover handlers of frameworks, which give them to much that shows no more than a tip: only items count. */
const itemsHovered = new WeakSet();
let someHovered = false;
const LARGEST_HOVERED = 0.1;
const MOST_HOVERED = 40;

/**
 * Reports whether an element is only useful for hovering: it has a hover listener, or is an item with a closed menu.
 */
function showsOnHover(el, tag, role) {
  const isHovered = hovered.has(el) || (itemsHovered.has(el) && isHoveredItem(el, tag, role));
  if (tag === "li") return (isHovered && !holdsShownControls(el) && reactorsIn(el).length === 0) || hasHiddenMenu(el);
  if (!someHovered || !isHovered || NEVER_CLICKABLE.has(tag) || (HOLDERS.has(role) && role !== "row")) return false;
  const { width, height } = rectOf(el);
  if (width * height >= innerWidth * innerHeight * LARGEST_HOVERED || holdsShownControls(el)) return false;
  // A menu that stays open under the pointer: its items have lines of their own.
  if (reactorsIn(el).some((part) => contentName(part) !== "")) return false;
  // The items of a set have lines of their own, and show what they show under the pointer.
  if (listening.has(el) && setKind(el, hasPointer(el)) === SET && Array.prototype.some.call(queryAll(el, "*"), isItem)) return false;
  return contentName(el) !== "" || tipOf(el) !== "";
}

/** Reports whether an element holds a control that shows, or much text; one that it shows under the pointer is hidden now. */
const holdsShownControls = (el) => holdsControls(el) && (contentName(el).length > LONGEST_CLICKABLE || Array.prototype.some.call(queryAll(el, CONTROLS), isShown));

/** Reports whether an element is one of several rows or items, in which nothing reacts yet. */
function isHoveredItem(el, tag, role) {
  if (tag !== "li" && tag !== "tr" && role !== "row" && !isRepeated(el, tag)) return false;
  return reactorsIn(el).length === 0;
}

/** Reports whether an item has a text, no visible element to act on, and a hidden list. */
function hasHiddenMenu(el) {
  let menu = false;
  for (let node = firstElementChild(el), steps = 0; node !== null && steps < 8; node = nextElement(node), steps++) {
    const shown = isShown(node);
    if (!shown && (/^(?:ul|ol|menu)$/.test(localName(node)) || attr(node, "role") === "menu" || query(node, "ul,ol,[role=menu]") !== null)) menu = true;
    else if (shown && (branchOfArrow(node) !== null || ACTED_ON.has(roleOf(node)) || query(node, CONTROLS) !== null)) return false;
  }
  return menu && contentName(el) !== "";
}
