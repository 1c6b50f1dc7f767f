// The element on which a menu was opened: a command of the menu is about that row, not about the command beside it.

const MENU_WORDS = /(?:^|[-_\s])(?:context-?menu|menu|popup|popover|dropdown)(?:$|[-_\s])/i;
const MENU_LEVELS = 12;
let menuOpener = null;

for (const kind of ["pointerdown", "contextmenu", "keydown"]) addEventListener(kind, noteOpener, true);

function noteOpener(event) {
  const node = event.composedPath()[0];
  if (!event.isTrusted || !(node instanceof Element)) return;
  noteLastPress(event, node);
  if (closest(node, "[role=menubar]") !== null) menuOpener = null;
  else if (menuAround(node) === null) menuOpener = new WeakRef(node);
}

/** Returns the menu that an element is in: one by its role, or what floats and is called so. */
function menuAround(el) {
  for (let node = el, steps = 0; node !== null && steps < MENU_LEVELS; node = drawnParent(node), steps++) {
    const tag = localName(node);
    if (tag === "body" || tag === "html") break;
    if (attr(node, "role") === "menu") return node;
    if (MENU_WORDS.test(attr(node, "class") ?? "") && /^(?:absolute|fixed)$/.test(getComputedStyle(node).position)) return node;
  }
  return null;
}

/** Returns the element on which the menu around an element was opened; `null` outside of such menus. */
function openerOfMenu(el) {
  const menu = menuAround(el);
  const opener = menu === null ? null : menuOpener?.deref() ?? null;
  return opener === null || !opener.isConnected || contains(menu, opener) ? null : opener;
}

/** Elements that were pressed last, the latest first: {ref, eid}. */
const lastPresses = [];
const MOST_LAST_PRESSES = 4;
const CLOSING_KEYS = words("Escape Tab Shift Control Alt Meta");

function noteLastPress(event, node) {
  if (event.type === "keydown" && CLOSING_KEYS.has(event.key)) return;
  let eid = 0;
  for (let holder = node, steps = 0; holder !== null && eid === 0 && steps < MENU_LEVELS; holder = drawnParent(holder), steps++) eid = eidByNode.get(holder) ?? 0;
  if (lastPresses[0]?.ref.deref() === node) return;
  lastPresses.unshift({ ref: new WeakRef(node), eid });
  lastPresses.length = Math.min(lastPresses.length, MOST_LAST_PRESSES);
}

/** Element ids of what was pressed before elements showed on a layer; 0 for others. */
const causes = new WeakMap();

/** Returns the id of the element pressed last before an element showed on a layer; 0 outside of layers. */
function causeOfLayer(el) {
  let cause = causes.get(el);
  if (cause === undefined) causes.set(el, (cause = lastPresses.length === 0 ? 0 : pressBeside(layerAround(el))));
  return cause;
}

/** Layers around elements, as of one walk. */
let knownLayers = { walk: -1, layers: new Map() };

/** Returns the dialog or other box that floats which an element lies on: what opened it tells what it is about. */
function layerAround(el) {
  if (knownLayers.walk !== walkCount) knownLayers = { walk: walkCount, layers: new Map() };
  const { layers } = knownLayers;
  const passed = [];
  let found = null;
  for (let node = drawnParent(el); node !== null && found === null; node = drawnParent(node)) {
    const tag = localName(node);
    if (tag === "body" || tag === "html") break;
    if (layers.has(node)) {
      found = layers.get(node);
      break;
    }
    passed.push(node);
    if (isDialogElement(node, tag) || /^(?:absolute|fixed)$/.test(styleOf(node).position)) found = node;
  }
  for (const node of passed) layers.set(node, found);
  return found;
}

function pressBeside(layer) {
  if (layer === null) return 0;
  const isOutside = ({ ref }) => ref.deref() === undefined || !contains(layer, ref.deref());
  return lastPresses.find(isOutside)?.eid ?? 0;
}
