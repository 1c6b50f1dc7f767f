// What went wrong just now and what to do; and the strip that says that the
// line to the service is lost, and what becomes of the task meanwhile.

import { h, icon, intent, setText } from './dom.js';
import { meanwhile } from '../models/connection.js';

const STAYS_MS = 12_000;

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
    // A short blink of the line is nobody's concern; a second failure is.
    this.#parts.lost.hidden = connection.state === 'open' || (connection.tries < 2 && !(connection.everOpen && connection.tries > 0));
    this.#countdown();
    if (this.#notices === notices) return;
    // Each goes by itself: it lies over what can be pressed, and the transcript keeps what matters.
    for (const { id } of notices) if (!this.#notices?.some((shown) => shown.id === id)) setTimeout(() => intent(this, 'dismiss', { id }), STAYS_MS);
    this.#notices = notices;
    this.#parts.list.replaceChildren(...notices.map((notice) => this.#notice(t, notice)));
  }

  #draw(t) {
    this.#t = t;
    this.#notices = null;
    const [text, lead] = [h('span', { class: 'lost-text' }), h('span', {})];
    const lost = h('div', { class: 'lost', role: 'alert', hidden: true, data: { testid: 'disconnected' } }, icon('plug'), h('p', {}, h('strong', {}, t('lost.title')), ' ', lead, ' ', text), h('button', { class: 'small', onclick: () => intent(this, 'retry') }, t('lost.retry')));
    this.#parts = { lost, text, lead, list: h('div', { class: 'notice-list', role: 'alert' }) };
    this.replaceChildren(lost, this.#parts.list);
  }

  #notice(t, notice) {
    return h('div', { class: 'notice' }, icon('alert'), h('div', {}, h('p', {}, h('strong', {}, notice.title)), notice.advice && h('p', {}, notice.advice)),
      h('button', { class: 'quiet square', 'aria-label': t('dismiss'), onclick: () => intent(this, 'dismiss', { id: notice.id }) }, icon('cross')));
  }

  #countdown() {
    if (!this.#view || this.#parts.lost.hidden) return;
    const { connection, t } = this.#view;
    setText(this.#parts.lead, t(meanwhile(this.#view)));
    const left = connection.retryAt ? Math.max(0, Math.ceil((connection.retryAt - Date.now()) / 1000)) : 0;
    setText(this.#parts.text, left > 0 ? t('lost.in', { n: left }) : t('lost.trying'));
  }
}

customElements.define('af-notices', Notices);
