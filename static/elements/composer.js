// Where the person writes. Enter sends, Shift+Enter makes a new line.

import { h, icon, intent, setText, sendsOnEnter } from './dom.js';

const TALLEST = 220; // px, then it scrolls

class Composer extends HTMLElement {
  #t = null;
  #field = null;
  #send = null;
  #hint = null;
  #ready = false;

  update({ t, connection, starting, current, liveRun, settings, route, question, isReplay }) {
    this.hidden = route === 'run' && Boolean(question) && !isReplay;
    if (this.#t !== t) this.#draw(t);
    this.#ready = connection.state === 'open' && !starting;
    const fresh = route !== 'run' || !current;
    const key = fresh ? (settings?.planner === 'model' ? 'composer.goal' : 'composer.order') : liveRun?.outcome ? 'composer.again' : 'composer.more';
    this.#field.placeholder = t(key);
    setText(this.#hint, connection.state === 'open' ? t('composer.hint') : t('composer.offline'));
    this.#enable();
  }

  // Its width, and so its height, depends on where it stands.
  connectedCallback() {
    if (this.#field) requestAnimationFrame(() => this.#fit());
  }

  draft(text) {
    this.#field.value = text;
    this.#fit();
    this.#enable();
    this.focus();
  }

  focus() {
    this.#field?.focus();
  }

  #draw(t) {
    this.#t = t;
    const text = this.#field?.value ?? '';
    const had = this.contains(document.activeElement);
    this.#field = h('textarea', { id: 'composer-input', rows: '1', 'aria-label': t('composer.label'), 'aria-describedby': 'composer-hint', data: { testid: 'composer' }, onkeydown: (event) => this.#key(event), oninput: () => { this.#fit(); this.#enable(); } });
    this.#field.value = text;
    this.#send = h('button', { type: 'submit', class: 'primary square', 'aria-label': t('composer.send'), title: t('composer.send'), data: { testid: 'send' } }, icon('send'));
    this.#hint = h('p', { id: 'composer-hint', class: 'composer-hint' });
    const form = h('form', { class: 'composer-box', onsubmit: (event) => this.#submit(event) }, this.#field, this.#send);
    this.replaceChildren(form, this.#hint);
    requestAnimationFrame(() => this.#fit());
    if (had) this.#field.focus();
  }

  #key(event) {
    if (!sendsOnEnter(event)) return;
    this.#submit(event);
  }

  #submit(event) {
    event.preventDefault();
    const text = this.#field.value.trim();
    if (!text || !this.#ready) return;
    this.#field.value = '';
    this.#fit();
    intent(this, 'send', { text });
  }

  #enable() {
    this.#send.disabled = !this.#ready || this.#field.value.trim() === '';
  }

  #fit() {
    this.#field.style.height = 'auto';
    if (this.#field.scrollHeight === 0) return; // not shown
    this.#field.style.height = `${Math.min(TALLEST, this.#field.scrollHeight)}px`;
  }
}

customElements.define('af-composer', Composer);
