// Where the person writes. Enter sends, Shift+Enter makes a new line.

import { h, icon, intent, setText, sendsOnEnter } from './dom.js';
import { fileSize } from '../models/format.js';
import { refusal } from '../models/refusal.js';
import { isActive } from '../models/status.js';

const TALLEST = 220; // px, then it scrolls

class Composer extends HTMLElement {
  #t = null;
  #field = null;
  #send = null;
  #hint = null;
  #model = null; // the model of the next task, where one plans
  #models = null; // what its options were drawn of
  #ready = false;
  #attached = null; // what goes with the next message, as files.js has it
  #list = null;
  #of = null; // the task that the words are for; null: a new one
  #unsent = new Map(); // of other tasks
  #begun = false; // what is written while a task begins is for that task

  update({ t, connection, starting, current, liveRun, settings, route, question, isReplay, talks, attached, modelChoice }) {
    this.hidden = route === 'run' && (!talks || (Boolean(question) && !isReplay));
    if (this.#t !== t) this.#draw(t);
    if (this.#of !== current) this.#change(current);
    this.#ready = connection.state === 'open' && !starting;
    const fresh = route !== 'run' || !current;
    const key = fresh ? (settings?.planner === 'model' ? 'composer.goal' : 'composer.order') : liveRun?.outcome ? 'composer.again' : 'composer.more';
    this.#field.placeholder = t(key);
    setText(this.#hint, connection.state === 'open' ? t(!fresh && isActive(liveRun?.status) ? 'composer.keys' : 'composer.hint') : t('composer.offline'));
    this.#drawModel(settings, fresh, modelChoice);
    if (this.#attached !== attached) this.#listFiles(attached);
    this.#enable();
  }

  // Its width, and so its height, depends on where it stands.
  connectedCallback() {
    if (this.#field) requestAnimationFrame(() => this.#fit());
  }

  /** What was written and not sent, by task: [[run id or null, text]]. */
  get unsent() {
    const all = new Map(this.#unsent).set(this.#of, this.#field?.value ?? '');
    return [...all].filter(([, text]) => text.trim());
  }

  // Words stay with the task that they were meant for, as its files do.
  #change(current) {
    const own = this.#field.value;
    const next = this.#begun ? own : this.#unsent.get(current) ?? '';
    if (!this.#begun) this.#unsent.set(this.#of, own);
    this.#unsent.delete(current);
    [this.#of, this.#begun, this.#field.value] = [current, false, next];
    this.#fit();
  }

  /** Puts words back; those of a task that is not open are kept for it. */
  draft(text, of = this.#of) {
    if (of !== this.#of || !this.#field) return this.#unsent.set(of, text);
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
    const text = this.#field?.value ?? this.#unsent.get(this.#of) ?? '';
    const had = this.contains(document.activeElement);
    this.#field = h('textarea', { id: 'composer-input', rows: '1', 'aria-label': t('composer.label'), 'aria-describedby': 'composer-hint', data: { testid: 'composer' }, onkeydown: (event) => this.#key(event), oninput: () => { this.#fit(); this.#enable(); } });
    this.#field.value = text;
    this.#send = h('button', { type: 'submit', class: 'primary square', 'aria-label': t('composer.send'), title: t('composer.send'), data: { testid: 'send' } }, icon('send'));
    this.#hint = h('p', { id: 'composer-hint', class: 'composer-hint' });
    this.#list = h('ul', { class: 'attached', hidden: true, 'aria-label': t('composer.attached') });
    const chooser = h('input', { type: 'file', multiple: true, hidden: true, data: { testid: 'attach-input' }, onchange: () => { this.#attach([...chooser.files]); chooser.value = ''; } });
    const attach = h('button', { type: 'button', class: 'quiet square', 'aria-label': t('composer.attach'), title: t('composer.attach'), data: { testid: 'attach' }, onclick: () => chooser.click() }, icon('clip'));
    const form = h('form', { class: 'composer-box', onsubmit: (event) => this.#submit(event) }, this.#list, chooser, attach, this.#field, this.#send);
    this.#takeDrops(form);
    this.#attached = null;
    this.#model = h('select', { class: 'composer-model', hidden: true, 'aria-label': t('composer.model'), title: t('composer.model'), data: { testid: 'composer-model' }, onpointerenter: () => intent(this, 'nameModels'), onfocus: () => intent(this, 'nameModels'), onchange: () => intent(this, 'chooseModel', { name: this.#model.value }) });
    this.#models = null;
    this.replaceChildren(form, h('div', { class: 'composer-foot' }, this.#hint, this.#model));
    requestAnimationFrame(() => this.#fit());
    if (had) this.#field.focus();
  }

  // One for this task; the first is the one for all.
  #drawModel(settings, fresh, { names, chosen }) {
    this.#model.hidden = !fresh || settings?.planner !== 'model';
    const key = JSON.stringify([settings?.model, names, chosen]);
    if (this.#model.hidden || this.#models === key) return;
    this.#models = key;
    const others = (names ?? []).filter((name) => name !== settings.model);
    this.#model.replaceChildren(h('option', { value: '' }, settings.model), ...others.map((name) => h('option', { value: name }, name)));
    this.#model.value = chosen ?? '';
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
    intent(this, 'send', { text });
  }

  #attach(files) {
    intent(this, 'attach', { files });
    this.focus();
  }

  #listFiles(attached) {
    const t = this.#t;
    this.#attached = attached;
    this.#list.hidden = attached.length === 0;
    this.#list.replaceChildren(...attached.map(({ key, file, state, error }) => h('li', { data: { state } },
      state === 'sending' && h('span', { class: 'file-sending', role: 'img', 'aria-label': t('composer.file.sending', { name: file.name }) }, icon('spinner')),
      state === 'failed' && h('span', { class: 'file-failed', role: 'img', 'aria-label': t('composer.file.failed', { name: file.name, why: refusal(error, t).title }), title: refusal(error, t).title }, icon('alert')),
      h('span', { class: 'file-name' }, file.name), h('span', { class: 'file-size' }, fileSize(file.size, t)),
      h('button', { type: 'button', class: 'quiet square', 'aria-label': t('composer.remove', { name: file.name }), onclick: () => { intent(this, 'detach', { key }); this.focus(); } }, icon('cross')))));
  }

  #takeDrops(form) {
    const over = (event) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      form.toggleAttribute('data-over', event.type === 'dragover');
      if (event.type === 'drop') this.#attach([...event.dataTransfer.files]);
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
