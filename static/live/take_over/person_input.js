// Input of the person during a take-over: events of pointer and keyboard become `input` frames. Nothing is
// stored.
//
// A hidden text field has the focus during the take-over; Shift+Escape leaves it,
// so that keyboard users are never trapped.

import { Keyboard } from './keyboard.js';
import { Pointer } from './pointer.js';

export class PersonInput {
  #keys;
  #keyboard;
  #pointer;
  #enabled = false;

  constructor(canvas, keys, send) {
    this.#keys = keys;
    const enabled = () => this.#enabled;
    this.#keyboard = new Keyboard(keys, send, enabled);
    this.#pointer = new Pointer(canvas, send, enabled, () => this.#keyboard.takeFocus());
  }

  enable(on) {
    if (on === this.#enabled) return;
    if (!on) {
      this.#pointer.releaseAll();
      this.#keyboard.releaseAll();
    }
    this.#enabled = on;
    this.#keys.hidden = !on;
    if (on) this.#keyboard.takeFocus();
    else if (document.activeElement === this.#keys) this.#keys.blur();
  }
}
