// Message field. Enter sends, Shift+Enter begins a new line.

import { h, icon, intent, setText, sendsOnEnter } from '../shared/ui/dom.js';
import { fileSize } from '../shared/text/format.js';
import { refusal } from '../shared/text/refusal.js';
import { isActive } from '../shared/run_status.js';

const TALLEST = 220; // maximum height in px; above it the field scrolls

class Composer extends HTMLElement {
  #t = null;
  #field = null;
  #send = null;
  #hint = null;
  #model = null; // model of the next task, if it is planned by a model
  #models = null; // state that its options were drawn from
  #ready = false;
  #list = null;
  #draft = null; // shown draft, from message_sender.js
  #words = ''; // text of the field as known to message_sender.js

  update({ t, connection, current, liveRun, settings, route, question, isReplay, talks, draft, modelChoice }) {
    this.hidden = route === 'run' && (!talks || (Boolean(question) && !isReplay));
    if (this.#t !== t) this.#draw(t);
    this.#show(draft);
    this.#ready = connection.state === 'open' && draft.state === 'writing';
    const fresh = route !== 'run' || !current;
    const key = fresh ? (settings?.planner === 'model' ? 'composer.goal' : 'composer.order') : liveRun?.outcome ? 'composer.again' : 'composer.more';
    this.#field.placeholder = t(key);
    setText(this.#hint, connection.state === 'open' ? t(!fresh && isActive(liveRun?.status) ? 'composer.keys' : 'composer.hint') : t('composer.offline'));
    this.#drawModel(settings, fresh, modelChoice.names, draft.model);
    this.#enable();
  }

  // The field's width, and so its height, depends on its place in the page.
  connectedCallback() {
    if (this.#field) requestAnimationFrame(() => this.#fit());
  }

  /** Passes the text of the field on, if it changed. */
  tell() {
    if (!this.#draft || this.#field.value === this.#words) return;
    this.#words = this.#field.value;
    intent(this, 'words', { key: this.#draft.key, text: this.#words });
  }

  focus() {
    this.#field?.focus();
  }

  #show(draft) {
    const before = this.#draft;
    if (before?.key !== draft.key) this.tell();
    this.#draft = draft;
    if (before?.files !== draft.files) this.#listFiles(draft.files);
    if (before?.key === draft.key && this.#words === draft.words) return;
    this.#words = draft.words;
    if (this.#field.value === draft.words) return;
    this.#field.value = draft.words;
    this.#fit();
  }

  #draw(t) {
    this.#t = t;
    const text = this.#field?.value ?? '';
    const had = this.contains(document.activeElement);
    this.#field = h('textarea', { id: 'composer-input', rows: '1', 'aria-label': t('composer.label'), 'aria-describedby': 'composer-hint', data: { testid: 'composer' }, onkeydown: (event) => this.#key(event), oninput: () => { this.tell(); this.#fit(); this.#enable(); } });
    this.#field.value = text;
    this.#send = h('button', { type: 'submit', class: 'primary square', 'aria-label': t('composer.send'), title: t('composer.send'), data: { testid: 'send' } }, icon('send'));
    this.#hint = h('p', { id: 'composer-hint', class: 'composer-hint' });
    this.#list = h('ul', { class: 'attached', hidden: true, 'aria-label': t('composer.attached') });
    const chooser = h('input', { type: 'file', multiple: true, hidden: true, data: { testid: 'attach-input' }, onchange: () => { this.#attach([...chooser.files]); chooser.value = ''; } });
    const attach = h('button', { type: 'button', class: 'quiet square', 'aria-label': t('composer.attach'), title: t('composer.attach'), data: { testid: 'attach' }, onclick: () => chooser.click() }, icon('clip'));
    const form = h('form', { class: 'composer-box', onsubmit: (event) => this.#submit(event) }, this.#list, chooser, attach, this.#field, this.#send);
    this.#takeDrops(form);
    if (this.#draft) this.#listFiles(this.#draft.files);
    this.#model = h('select', { class: 'composer-model', hidden: true, 'aria-label': t('composer.model'), title: t('composer.model'), data: { testid: 'composer-model' }, onpointerenter: () => intent(this, 'nameModels'), onfocus: () => intent(this, 'nameModels'), onchange: () => intent(this, 'chooseModel', { key: this.#draft.key, name: this.#model.value }) });
    this.#models = null;
    this.replaceChildren(form, h('div', { class: 'composer-foot' }, this.#hint, this.#model));
    requestAnimationFrame(() => this.#fit());
    if (had) this.#field.focus();
  }

  // A model for the next task only; the first option is the default model.
  #drawModel(settings, fresh, names, chosen) {
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
    if (!this.#ready || this.#field.value.trim() === '') return;
    this.tell();
    // Text typed before the next drawing is not part of this message.
    [this.#words, this.#field.value, this.#ready] = ['', '', false];
    this.#fit();
    this.#enable();
    intent(this, 'send', { key: this.#draft.key });
  }

  #attach(files) {
    intent(this, 'attach', { key: this.#draft.key, files });
    this.focus();
  }

  #listFiles(files) {
    const t = this.#t;
    this.#list.hidden = files.length === 0;
    this.#list.replaceChildren(...files.map(({ key, file, state, error }) => h('li', { data: { state } },
      state === 'sending' && h('span', { class: 'file-sending', role: 'img', 'aria-label': t('composer.file.sending', { name: file.name }) }, icon('spinner')),
      state === 'failed' && h('span', { class: 'file-failed', role: 'img', 'aria-label': t('composer.file.failed', { name: file.name, why: refusal(error, t).title }), title: refusal(error, t).title }, icon('alert')),
      h('span', { class: 'file-name' }, file.name), h('span', { class: 'file-size' }, fileSize(file.size, t)),
      h('button', { type: 'button', class: 'quiet square', 'aria-label': t('composer.remove', { name: file.name }), onclick: () => { intent(this, 'detach', { file: key }); this.focus(); } }, icon('cross')))));
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
    if (this.#field.scrollHeight === 0) return; // hidden
    this.#field.toggleAttribute('data-tall', this.#field.scrollHeight > TALLEST);
    this.#field.style.height = `${Math.min(TALLEST, this.#field.scrollHeight)}px`;
  }
}

customElements.define('af-composer', Composer);
