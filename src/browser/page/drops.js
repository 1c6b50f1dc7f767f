// Places to drop on: what hears of drops, and columns and lists that stand beside others that hold things to drag. A page
// that moves things after the pointer listens in one place for all of them, and an empty column has nothing to aim at.

const DRAGGED = "[draggable=true]";
/** Nodes that hear of drops, as far as we were told. */
const dropping = new WeakSet();
/** Things to drag. */
const carried = new WeakSet();
/** What columns of things to drag stand in. */
const boards = new WeakSet();
let someDrops = false;
const MOST_CARRIED = 200;
const LARGEST_CARRIED = 0.25;

/** Takes a thing to drag. Is it known now of something new that columns stand in it? */
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
}

const NEVER_DROPPED = words("body html main form label iframe table tbody thead tr dialog nav header footer");
const DROP_ROLES = new Set(["", ...words("list region group article complementary listbox feed")]);
const LARGEST_DROP = 0.7;
const LEAST_DROP = 16;

/** Is it a place to drop on, though nothing to click? */
function isDropPlace(el, tag, role) {
  if (!someDrops || NEVER_DROPPED.has(tag) || !DROP_ROLES.has(role)) return false;
  const heard = dropping.has(el);
  const parent = heard ? null : drawnParent(el);
  if (!heard && (parent === null || !boards.has(parent) || carried.has(el))) return false;
  const { width, height } = rectOf(el);
  if (width < LEAST_DROP || height < LEAST_DROP || width * height > innerWidth * innerHeight * LARGEST_DROP) return false;
  return heard || hasName(el, tag) || isEmptyColumn(el, tag, parent);
}

/** Does it hold things to drag? */
function holdsCarried(el) {
  if (query(el, DRAGGED) !== null) return true;
  const inner = queryAll(el, "*");
  for (let i = 0; i < inner.length && i < MOST_SEARCHED; i++) if (carried.has(inner[i])) return true;
  return false;
}

const LONGEST_TITLE = 80;

/** Made as something beside it that holds things to drag, but itself without any. */
function isEmptyColumn(el, tag, board) {
  if (!/^(?:div|section|ul|ol)$/.test(tag) || contentName(el).length > LONGEST_TITLE || holdsCarried(el)) return false;
  const box = rectOf(el);
  for (let other = firstElementChild(board), steps = 0; other !== null && steps < 20; other = nextElement(other), steps++) {
    if (other === el || !isAlike(other, el) || carried.has(other)) continue;
    const beside = rectOf(other);
    // One above the other they are no more than parts of a page, unless they are of one class.
    if (Math.abs(beside.top - box.top) > 2 && (Math.abs(beside.width - box.width) > 2 || classesOf(el).length === 0)) continue;
    if (holdsCarried(other)) return true;
  }
  return false;
}

/** Nodes that hear when the pointer comes over them, as far as we were told. */
const hovered = new WeakSet();
let someHovered = false;
const LARGEST_HOVERED = 0.1;
const MOST_HOVERED = 40;

/** Is it of use only under the pointer: does it hear that the pointer comes, or is it an item with a menu that is not open? */
function showsOnHover(el, tag, role) {
  if (tag === "li") return (hovered.has(el) && !holdsControls(el)) || hasHiddenMenu(el);
  if (!someHovered || !hovered.has(el) || NEVER_CLICKABLE.has(tag) || HOLDERS.has(role)) return false;
  const { width, height } = rectOf(el);
  if (width * height >= innerWidth * innerHeight * LARGEST_HOVERED || holdsControls(el)) return false;
  return nameOf(el, "clickable", tag) !== "";
}

/** An item with words of its own, nothing to act on in sight, and a list below that is not shown. */
function hasHiddenMenu(el) {
  let menu = false;
  for (let node = firstElementChild(el), steps = 0; node !== null && steps < 8; node = nextElement(node), steps++) {
    const shown = isShown(node);
    if (!shown && (/^(?:ul|ol|menu)$/.test(localName(node)) || attr(node, "role") === "menu" || query(node, "ul,ol,[role=menu]") !== null)) menu = true;
    else if (shown && (ACTED_ON.has(roleOf(node)) || query(node, CONTROLS) !== null)) return false;
  }
  return menu && contentName(el) !== "";
}
