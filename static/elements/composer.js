// Where the person writes. Enter sends, Shift+Enter makes a new line.

import { h, icon, intent, setText, sendsOnEnter } from './dom.js';
import { fileSize } from '../models/format.js';
import { isActive } from '../models/status.js';

const TALLEST = 220; // px, then it scrolls

class Composer extends HTMLElement {
  #t = null;
  #field = null;
  #send = null;
  #hint = null;
  #ready = false;
  #files = []; // File objects that go with the next message
  #list = null;
  #of = null; // the task that the words are for; null: a new one
  #unsent = new Map(); // of other tasks: { text, files }
  #begun = false; // what is written while a task begins is for that task

  update({ t, connection, starting, current, liveRun, settings, route, question, isReplay, talks }) {
    this.hidden = route === 'run' && (!talks || (Boolean(question) && !isReplay));
    if (this.#t !== t) this.#draw(t);
    if (this.#of !== current) this.#change(current);
    this.#ready = connection.state === 'open' && !starting;
    const fresh = route !== 'run' || !current;
    const key = fresh ? (settings?.planner === 'model' ? 'composer.goal' : 'composer.order') : liveRun?.outcome ? 'composer.again' : 'composer.more';
    this.#field.placeholder = t(key);
    setText(this.#hint, connection.state === 'open' ? t(!fresh && isActive(liveRun?.status) ? 'composer.keys' : 'composer.hint') : t('composer.offline'));
    this.#enable();
  }

  // Its width, and so its height, depends on where it stands.
  connectedCallback() {
    if (this.#field) requestAnimationFrame(() => this.#fit());
  }

  /** What was written and not sent. */
  get words() {
    return this.#field?.value ?? '';
  }

  // Words and files stay with the task that they were meant for.
  #change(current) {
    const own = { text: this.#field.value, files: this.#files };
    const next = this.#begun ? own : this.#unsent.get(current) ?? { text: '', files: [] };
    if (!this.#begun) this.#unsent.set(this.#of, own);
    this.#unsent.delete(current);
    [this.#of, this.#begun, this.#field.value, this.#files] = [current, false, next.text, next.files];
    this.#fit();
    this.#listFiles();
  }

  /** Puts words back; those of a task that is not open are kept for it. */
  draft(text, of = this.#of) {
    if (of !== this.#of) return this.#unsent.set(of, { text, files: [] });
    this.#begun = false;
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
    this.#list = h('ul', { class: 'attached', hidden: true, 'aria-label': t('composer.attached') });
    const chooser = h('input', { type: 'file', multiple: true, hidden: true, data: { testid: 'attach-input' }, onchange: () => { this.#attach(chooser.files); chooser.value = ''; } });
    const attach = h('button', { type: 'button', class: 'quiet square', 'aria-label': t('composer.attach'), title: t('composer.attach'), data: { testid: 'attach' }, onclick: () => chooser.click() }, icon('clip'));
    const form = h('form', { class: 'composer-box', onsubmit: (event) => this.#submit(event) }, this.#list, chooser, attach, this.#field, this.#send);
    this.#takeDrops(form);
    this.#listFiles();
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
    this.#begun = this.#of === null;
    intent(this, 'send', { text, files: this.#files.splice(0) });
    this.#listFiles();
  }

  #attach(files) {
    this.#files.push(...files);
    this.#listFiles();
    this.focus();
  }

  #listFiles() {
    this.#list.hidden = this.#files.length === 0;
    this.#list.replaceChildren(...this.#files.map((file, at) => h('li', {},
      h('span', { class: 'file-name' }, file.name), h('span', { class: 'file-size' }, fileSize(file.size, this.#t)),
      h('button', { type: 'button', class: 'quiet square', 'aria-label': this.#t('composer.remove', { name: file.name }), onclick: () => { this.#files.splice(at, 1); this.#listFiles(); this.focus(); } }, icon('cross')))));
  }

  #takeDrops(form) {
    const over = (event) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      form.toggleAttribute('data-over', event.type === 'dragover');
      if (event.type === 'drop') this.#attach(event.dataTransfer.files);
    };
    for (const type of ['dragover', 'drop']) form.addEventListener(type, over);
    form.addEventListener('dragleave', () => form.removeAttribute('data-over'));
  }

  #enable() {
    this.#send.disabled = !this.#ready || this.#field.value.trim() === '';
  }

  #fit() {
    this.#field.style.height = 'auto';
    if (this.#field.scrollHeight === 0) return; // not shown
    this.#field.toggleAttribute('data-tall', this.#field.scrollHeight > TALLEST);
    this.#field.style.height = `${Math.min(TALLEST, this.#field.scrollHeight)}px`;
  }
}

customElements.define('af-composer', Composer);
