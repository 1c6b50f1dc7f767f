// Menu of a task, for pointer, keyboard and touch.

import { h, icon, intent } from '../shared/ui/dom.js';
import { isActive } from '../shared/run_status.js';

const GAP = 4;

/** Opens the menu beside its button. It closes by itself and returns the focus. */
export function openMenu(host, t, run, title, button) {
  document.querySelector('.row-menu')?.remove();
  const does = (name, detail) => () => { close(); intent(host, name, detail); };
  const item = (symbol, label, onclick, props = {}) => h('button', { type: 'button', role: 'menuitem', tabindex: '-1', onclick, ...props }, icon(symbol), h('span', {}, label));
  const { run_id: id, pinned, archived } = run;
  const menu = h('div', { class: 'row-menu', role: 'menu', popover: 'auto', 'aria-label': t('runs.menu.of', { title }), data: { testid: 'row-menu' } },
    item('pencil', t('runs.rename'), does('renameTask', { id }), { 'aria-keyshortcuts': 'F2' }),
    item('pin', t(pinned ? 'runs.unpin' : 'runs.pin'), does('pinTask', { id, on: !pinned })),
    !isActive(run.status) && item('play', t('again'), does('runAgain', { run: id })),
    h('a', { href: `#/inside/${id}`, role: 'menuitem', tabindex: '-1', onclick: () => close() }, icon('timeline'), h('span', {}, t('in.title'))),
    item('archive', t(archived ? 'runs.unarchive' : 'runs.archive'), does('archiveTasks', { ids: [id], on: !archived })),
    item('trash', t('runs.delete'), does('askDelete', { ids: [id] }), { class: 'danger', 'aria-keyshortcuts': 'Delete' }));
  const items = [...menu.querySelectorAll('[role="menuitem"]')];
  let back = true;
  function close() {
    back = false;
    menu.hidePopover();
  }
  menu.addEventListener('keydown', (event) => {
    const at = items.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (to !== undefined) items[(to + items.length) % items.length].focus();
    else if (event.key === 'Escape') menu.hidePopover();
    else if (event.key === 'Tab') return close();
    else return;
    event.preventDefault(); // stops no task
  });
  menu.addEventListener('toggle', (event) => {
    if (event.newState !== 'closed') return;
    menu.remove();
    button.setAttribute('aria-expanded', 'false');
    if (back && button.isConnected) button.focus();
  });
  document.body.append(menu); // outside the list, which may be redrawn
  menu.showPopover();
  place(menu, button);
  button.setAttribute('aria-expanded', 'true');
  items[0].focus();
}

/** Places the menu below its button, or above it without room, within the window. */
function place(menu, button) {
  const [at, box] = [button.getBoundingClientRect(), menu.getBoundingClientRect()];
  const below = at.bottom + GAP;
  const top = below + box.height > innerHeight ? Math.max(GAP, at.top - GAP - box.height) : below;
  const left = Math.min(Math.max(GAP, at.right - box.width), innerWidth - box.width - GAP);
  menu.style.cssText = `top: ${top}px; left: ${left}px`;
}
