// Shows the holder of the page, unless it is the agent, in every window that watches, with the one available
// action. Placed below the page, so that buttons do not move.

import { h, icon, intent } from '../shared/ui/dom.js';
import { isActive } from '../shared/run_status.js';

class Lease extends HTMLElement {
  #key = null;

  update({ t, lease, liveRun, isReplay, connection, mine }) {
    const shown = liveRun && !isReplay && isActive(liveRun.status) && connection.state === 'open' ? state(lease, mine) : null;
    this.hidden = !shown;
    const key = `${shown}|${t.locale}`;
    if (key === this.#key) return;
    this.#key = key;
    this.dataset.state = shown ?? '';
    this.replaceChildren(...(shown ? this.#draw(shown, t) : []));
  }

  #draw(shown, t) {
    const press = (command, symbol, label) => h('button', { class: 'small', onclick: () => intent(this, 'control', { command }) }, icon(symbol), t(label));
    const button = {
      mine: () => press('hand_back', 'return', 'lease.give'),
      dropped: () => press('take_over', 'hand', 'lease.again'),
      parted: () => press('take_over', 'hand', 'lease.take'),
    }[shown];
    return [icon(shown === 'dropped' || shown === 'parted' ? 'plug' : 'hand'), h('p', { role: 'status' }, h('strong', {}, t(`lease.${shown}`)), ' ', h('span', { class: 'how' }, t(`lease.${shown}.how`))), button?.() ?? null].filter(Boolean);
  }
}

function state(lease, mine) {
  if (lease.mine) return 'mine';
  if (lease.asked) return 'asked';
  if (lease.holder !== null) return mine.includes(lease.holder) ? 'own' : 'other';
  if (lease.lost === null) return null;
  return mine.includes(lease.lost) ? 'dropped' : 'parted';
}

customElements.define('af-lease', Lease);
