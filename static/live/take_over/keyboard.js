// Keys and text for the live page, through a hidden text field, which supports input methods, dead keys, phone
// keyboards and the clipboard.
//
// The field contains only a mark, so that a keyboard that only edits text has
// something to delete. Composed text is sent once, when it is complete; typed
// text letter by letter; other keys as keys.

import { inputMeans, keyMeans, modifiersOf, pieces } from './input_events.js';

const MARK = '\u200b\u200b';
const MAC = /Mac|iPhone|iPad/.test(navigator.platform ?? '');

export class Keyboard {
  #field;
  #send;
  #composed = null; // text being composed, or null
  #down = new Map(); // code -> key

  constructor(field, send, enabled) {
    this.#field = field;
    this.#send = send;
    const on = (types, handler) => types.forEach((type) => field.addEventListener(type, (event) => enabled() && handler(event)));
    on(['keydown'], (event) => this.#pressed(event));
    on(['keyup'], (event) => this.#released(event));
    on(['beforeinput'], (event) => this.#before(event));
    on(['input'], (event) => this.#changed(event));
    on(['compositionstart'], () => { this.#composed = ''; });
    on(['compositionupdate'], (event) => { this.#composed = event.data ?? ''; });
    on(['compositionend'], (event) => this.#whole(event.data ?? ''));
    on(['paste'], (event) => this.#pasted(event));
    on(['copy', 'cut', 'drop'], (event) => event.preventDefault());
    on(['blur'], () => this.releaseAll());
  }

  /** Takes the focus; text being composed is sent first. */
  takeFocus() {
    if (this.#composed !== null) {
      this.#whole(this.#composed);
      this.#field.blur();
    }
    this.#reset();
    this.#field.focus({ preventScroll: true });
  }

  /** Releases all keys. */
  releaseAll() {
    for (const [code, key] of this.#down) this.#send({ kind: 'key', event: 'up', key, code, modifiers: 0 });
    this.#down.clear();
  }

  #pressed(event) {
    const means = keyMeans(event, MAC);
    if (means === 'leave') {
      event.preventDefault();
      event.stopPropagation();
      this.#field.blur();
      return document.getElementById('composer-input')?.focus({ preventScroll: true });
    }
    // Letters typed here must not answer a question.
    event.stopPropagation();
    if (means !== 'key') return undefined;
    event.preventDefault();
    this.#down.set(event.code, event.key);
    return this.#send({ kind: 'key', event: 'down', key: event.key, code: event.code, modifiers: modifiersOf(event) });
  }

  #released(event) {
    if (!this.#down.delete(event.code)) return;
    event.preventDefault();
    event.stopPropagation();
    this.#send({ kind: 'key', event: 'up', key: event.key, code: event.code, modifiers: modifiersOf(event) });
  }

  #before(event) {
    if (event.isComposing || this.#composed !== null) return;
    const means = inputMeans(event);
    if (!means) return;
    event.preventDefault();
    this.#mean(means);
  }

  // Sends changes that could not be prevented: some phone keyboards only report the result.
  #changed(event) {
    if (event.isComposing || this.#composed !== null) return;
    const value = this.#field.value;
    if (value === MARK) return;
    const text = value.replaceAll('\u200b', '');
    if (text && !event.inputType?.includes('omposition')) this.#text(text);
    else if (!text && value.length < MARK.length) this.#mean({ key: 'Backspace', modifiers: 0 });
    this.#reset();
  }

  #whole(text) {
    if (this.#composed === null) return; // already sent
    this.#composed = null;
    if (text) this.#text(text);
    this.#reset();
  }

  #pasted(event) {
    event.preventDefault();
    this.#text(event.clipboardData?.getData('text/plain') ?? '');
  }

  #mean({ key, modifiers, text }) {
    if (text) return this.#text(text);
    for (const press of ['down', 'up']) this.#send({ kind: 'key', event: press, key, code: key, modifiers });
    return undefined;
  }

  #text(text) {
    for (const piece of pieces(text.replaceAll('\u200b', ''))) this.#send({ kind: 'text', text: piece });
  }

  #reset() {
    this.#field.value = MARK;
    this.#field.setSelectionRange(MARK.length, MARK.length);
  }
}
