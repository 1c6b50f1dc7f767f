// Strip with the open questions of all tasks; a press opens one. Hidden if the only question is already in
// view.

import { h, icon, intent } from '../shared/ui/dom.js';
import { cut, taskTitle } from '../shared/text/format.js';
import { questionTitle } from './question_text.js';
import { ownOrigin } from '../transport/service.js';

const LONGEST = 70; // characters of a question

/** Scrolls sideways with a mouse wheel. */
function sideways(event) {
  if (!event.deltaX) event.currentTarget.scrollLeft += event.deltaY;
}

class WaitingStrip extends HTMLElement {
  #last = [];

  update({ t, waiting, route, question, questionReadonly, agents }) {
    const read = route === 'run' && question && !questionReadonly ? question.reference : null;
    this.setAttribute('aria-label', t('waiting.label'));
    // While the list is loading, the only question counts as the one in view: the page must not jump.
    const [only = { reference: read }] = waiting.items;
    this.hidden = waiting.total === 0 || (waiting.total === 1 && read !== null && only.reference === read);
    if (this.hidden) return this.#forget();
    const state = [t, waiting, read, agents];
    if (state.every((part, at) => part === this.#last[at])) return undefined;
    this.#last = state;
    return this.#draw(t, waiting, read);
  }

  #forget() {
    this.#last = [];
    this.replaceChildren();
  }

  #draw(t, { total, items, cursor, tasks }, read) {
    const focused = this.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    const left = this.querySelector('ul')?.scrollLeft ?? 0;
    const title = t('waiting.title', { n: total });
    const list = h('ul', { class: 'waiting-list', onwheel: sideways }, items.map((one) => h('li', {}, this.#link(t, one, tasks[one.root_run_id], one.reference === read))),
      cursor && h('li', {}, h('button', { class: 'small', data: { key: 'more', testid: 'waiting-more' }, onclick: () => intent(this, 'moreWaiting') }, t('waiting.more', { n: total - items.length }))));
    this.replaceChildren(h('p', { class: 'waiting-title', data: { testid: 'waiting-total', total: String(total) } }, icon('hand'), h('span', {}, title)), list);
    list.scrollLeft = left;
    if (focused) this.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  }

  #link(t, one, { title, agent }, isRead) {
    const task = taskTitle(t.titled(title, agent), ownOrigin()) || t.agent(agent);
    const whole = questionTitle(one, t).replaceAll('`', ''); // marks of code are removed from a shortened line
    const line = cut(whole, LONGEST);
    return h('a', { class: 'waiting-item', href: `#/runs/${one.root_run_id}/question/${one.reference}`, title: `${task}: ${whole}`, 'aria-current': isRead ? 'true' : null, data: { key: one.reference, testid: 'waiting-item' } },
      h('strong', {}, line), ' ', h('span', {}, task));
  }
}

customElements.define('af-waiting', WaitingStrip);
