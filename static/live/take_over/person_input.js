// The person's hands on the live page while the lease is theirs: what their
// pointer and their keyboard do there becomes `input` frames. Nothing is kept.
//
// A hidden text field has the focus while they hold the page; Shift+Escape
// leaves it, so that a keyboard user is never trapped.

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
    this.#pointer = new Pointer(canvas, send, enabled, () => this.#keyboard.settle());
  }

  enable(on) {
    if (on === this.#enabled) return;
    if (!on) {
      this.#pointer.letGo();
      this.#keyboard.letGo();
    }
    this.#enabled = on;
    this.#keys.hidden = !on;
    if (on) this.#keyboard.settle();
    else if (document.activeElement === this.#keys) this.#keys.blur();
  }
}
