// Notices: errors with advice, short hints that disappear, and the strip about a lost connection, with its
// effect on the task.

import { h, icon, intent, setText } from '../shared/ui/dom.js';
import { disconnectedKey } from '../transport/connection.js';
import { HINT_MS } from './notices.js';

class Notices extends HTMLElement {
  #parts = null;
  #t = null;
  #notices = null;
  #view = null;

  connectedCallback() {
    this.timer = setInterval(() => this.#countdown(), 500);
  }

  disconnectedCallback() {
    clearInterval(this.timer);
  }

  update(view) {
    const { t, connection, notices } = view;
    this.#view = view;
    if (this.#t !== t) this.#draw(t);
    // A short interruption is not shown; a second failure is.
    this.#parts.lost.hidden = connection.state === 'open' || (connection.tries < 2 && !(connection.everOpen && connection.tries > 0));
    this.#countdown();
    if (this.#notices === notices) return;
    this.#notices = notices;
    this.#show(this.#parts.errors, notices.filter((notice) => notice.kind === 'error'));
    this.#show(this.#parts.hints, notices.filter((notice) => notice.kind !== 'error'));
  }

  #draw(t) {
    this.#t = t;
    this.#notices = null;
    const [text, lead] = [h('span', { class: 'lost-text' }), h('span', {})];
    const lost = h('div', { class: 'lost', role: 'alert', hidden: true, data: { testid: 'disconnected' } }, icon('plug'), h('p', {}, h('strong', {}, t('lost.title')), ' ', lead, ' ', text), h('button', { class: 'small', onclick: () => intent(this, 'retry') }, t('lost.retry')));
    this.#parts = { lost, text, lead, errors: h('div', { role: 'alert' }), hints: h('div', { role: 'status' }) };
    this.replaceChildren(lost, h('div', { class: 'notice-list' }, this.#parts.errors, this.#parts.hints));
  }

  // Existing nodes stay, so that nothing is announced twice and no focus is lost.
  #show(list, notices) {
    const wanted = new Set(notices.map(({ id }) => String(id)));
    for (const node of [...list.children]) if (!wanted.has(node.dataset.id)) node.remove();
    const shown = new Set([...list.children].map((node) => node.dataset.id));
    list.append(...notices.filter(({ id }) => !shown.has(String(id))).map((notice) => this.#notice(notice)));
  }

  #notice({ id, kind, title, advice }) {
    const dismiss = () => intent(this, 'dismiss', { id });
    const close = h('button', { class: 'quiet square', 'aria-label': this.#t('dismiss'), onclick: dismiss }, icon('cross'));
    const node = h('div', { class: 'notice', data: { kind, id: String(id), testid: 'notice' } }, icon(kind === 'error' ? 'alert' : 'info'), h('p', {}, h('strong', {}, title), advice && ` ${advice}`), close);
    if (kind !== 'error') goesBy(node, dismiss);
    return node;
  }

  #countdown() {
    if (!this.#view || this.#parts.lost.hidden) return;
    const { connection, t } = this.#view;
    setText(this.#parts.lead, t(disconnectedKey(this.#view)));
    const left = connection.retryAt ? Math.max(0, Math.ceil((connection.retryAt - Date.now()) / 1000)) : 0;
    setText(this.#parts.text, left > 0 ? t('lost.in', { n: left }) : t('lost.trying'));
  }
}

// Removes a hint after a while, unless somebody uses it. An error stays until it is dismissed.
function goesBy(node, dismiss) {
  let timer = setTimeout(dismiss, HINT_MS);
  for (const at of ['pointerenter', 'focusin']) node.addEventListener(at, () => clearTimeout(timer));
  for (const off of ['pointerleave', 'focusout']) {
    node.addEventListener(off, () => {
      clearTimeout(timer);
      timer = setTimeout(dismiss, HINT_MS);
    });
  }
}

customElements.define('af-notices', Notices);
