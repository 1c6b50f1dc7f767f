// Keys and text for the live page, through a hidden text field: so input
// methods, dead keys, the keyboards of phones and the clipboard all work.
//
// The field always holds a mark and nothing else, so that also a keyboard which
// only edits text has something to delete. What is composed goes when it is
// whole, once; what is typed goes letter by letter; other keys go as keys.

import { inputMeans, keyMeans, modifiersOf, pieces } from './input_events.js';

const MARK = '\u200b\u200b';
const MAC = /Mac|iPhone|iPad/.test(navigator.platform ?? '');

export class Keyboard {
  #field;
  #send;
  #composed = null; // what is being composed; null when nothing is
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
    on(['blur'], () => this.letGo());
  }

  /** Takes the focus; what was being composed is whole by that, and goes first. */
  settle() {
    if (this.#composed !== null) {
      this.#whole(this.#composed);
      this.#field.blur();
    }
    this.#reset();
    this.#field.focus({ preventScroll: true });
  }

  /** Nothing stays pressed. */
  letGo() {
    for (const [code, key] of this.#down) this.#send({ kind: 'key', event: 'up', key, code, modifiers: 0 });
    this.#down.clear();
  }

  #pressed(event) {
    const means = keyMeans(event, MAC);
    if (means === 'leave') {
      event.preventDefault();
      event.stopPropagation();
      return this.#field.blur();
    }
    // Letters that are text, here, must not answer a question either.
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

  // What could not be prevented: some keyboards of phones tell only what came of it.
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
    if (this.#composed === null) return; // it has been sent
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
