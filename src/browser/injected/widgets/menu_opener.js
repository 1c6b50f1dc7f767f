// The element on which a menu was opened: a command of the menu is about that row, not about the command beside it.

const MENU_WORDS = /(?:^|[-_\s])(?:context-?menu|menu|popup|popover|dropdown)(?:$|[-_\s])/i;
const MENU_LEVELS = 12;
let menuOpener = null;

for (const kind of ["pointerdown", "contextmenu", "keydown"]) addEventListener(kind, noteOpener, true);

function noteOpener(event) {
  const node = event.composedPath()[0];
  if (!event.isTrusted || !(node instanceof Element)) return;
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
