// Mouse and touch on the live picture, in fractions of its size.
//
// Touch: a tap clicks, a swipe turns the wheel; holding is the right button, and
// holding before moving drags.

import { clicksAt, modifiersOf, partOf, wheelOf } from './input_events.js';

const SLIP = 8; // px that a held finger may move
const LONG_MS = 500;
const BUTTONS = ['left', 'middle', 'right'];

export class Pointer {
  #canvas;
  #send;
  #takeFocus;
  #move = null; // newest position, sent with the next frame
  #wheel = null; // wheel movement, sent with the next frame
  #down = new Map(); // button -> position of its press or last move
  #clicks = null;
  #finger = null; // { x, y, mode: 'still' | 'strokes' | 'long' | 'drags', timer }

  /** `takeFocus` focuses the keyboard field and sends composed text first. */
  constructor(canvas, send, enabled, takeFocus) {
    this.#canvas = canvas;
    this.#send = send;
    this.#takeFocus = takeFocus;
    const on = (types, handler, options) => types.forEach((type) => canvas.addEventListener(type, (event) => enabled() && handler(event), options));
    on(['pointerdown', 'pointermove', 'pointerup', 'pointercancel'], (event) => this.#pointer(event));
    on(['contextmenu', 'dragstart'], (event) => event.preventDefault());
    on(['wheel'], (event) => this.#turned(event), { passive: false });
  }

  /** Releases all buttons when the page is handed back. */
  releaseAll() {
    clearTimeout(this.#finger?.timer);
    this.#finger = null;
    this.#move = null;
    for (const [button, at] of this.#down) this.#send({ kind: 'mouse', event: 'up', ...at, button, count: 1 });
    this.#down.clear();
  }

  #at(event) {
    return partOf(event, this.#canvas.getBoundingClientRect());
  }

  #pointer(event) {
    if (event.pointerType === 'touch') this.#touched(event);
    else if (event.type === 'pointermove') this.#moved(event);
    else if (event.type === 'pointercancel') this.releaseAll();
    else this.#pressed(event);
  }

  // ----------------------------------------------------------------- mouse

  #mouse(event, at, button, count, modifiers = 0) {
    if (event === 'down') this.#down.set(button, at);
    if (event === 'up') this.#down.delete(button);
    if (event === 'move') for (const held of this.#down.keys()) this.#down.set(held, at);
    this.#send({ kind: 'mouse', event, ...at, button, count, modifiers });
  }

  #moved(event) {
    if (this.#move === null) requestAnimationFrame(() => this.#flush());
    this.#move = { at: this.#at(event), modifiers: modifiersOf(event) };
  }

  #flush() {
    if (this.#move) this.#mouse('move', this.#move.at, 'none', 0, this.#move.modifiers);
    this.#move = null;
  }

  #pressed(event) {
    event.preventDefault();
    this.#flush();
    const down = event.type === 'pointerdown';
    if (down) {
      this.#canvas.setPointerCapture(event.pointerId);
      this.#takeFocus();
      this.#clicks = clicksAt(this.#clicks, { at: event.timeStamp, x: event.clientX, y: event.clientY });
    }
    this.#mouse(down ? 'down' : 'up', this.#at(event), BUTTONS[event.button] ?? 'left', this.#clicks?.count ?? 1, modifiersOf(event));
  }

  #turned(event) {
    event.preventDefault();
    if (event.ctrlKey) return; // zoom of the browser itself
    const turn = wheelOf(event, this.#canvas.width / this.#canvas.clientWidth);
    if (this.#wheel === null) requestAnimationFrame(() => this.#flushWheel());
    const { dx = 0, dy = 0 } = this.#wheel ?? {};
    this.#wheel = { ...this.#at(event), dx: dx + turn.dx, dy: dy + turn.dy };
  }

  #flushWheel() {
    if (this.#wheel) this.#send({ kind: 'wheel', ...this.#wheel });
    this.#wheel = null;
  }

  // ---------------------------------------------------------------- finger

  #touched(event) {
    if (!event.isPrimary) return;
    if (event.type === 'pointerdown') return this.#fingerDown(event);
    const finger = this.#finger;
    if (!finger) return;
    if (event.type === 'pointermove') return this.#fingerMoved(finger, event);
    clearTimeout(finger.timer);
    this.#finger = null;
    // A cancelled touch scrolled this view, not the page.
    if (event.type === 'pointercancel') this.releaseAll();
    else if (finger.mode === 'drags') this.#mouse('up', this.#at(event), 'left', 1);
    else if (finger.mode === 'still') this.#tapped(event, 'left');
    else if (finger.mode === 'long') this.#tapped(event, 'right');
  }

  #fingerDown(event) {
    const finger = { x: event.clientX, y: event.clientY, mode: 'still' };
    finger.timer = setTimeout(() => {
      finger.mode = 'long';
      navigator.vibrate?.(12);
    }, LONG_MS);
    this.#finger = finger;
  }

  #fingerMoved(finger, event) {
    const [dx, dy] = [finger.x - event.clientX, finger.y - event.clientY];
    if ((finger.mode === 'still' || finger.mode === 'long') && Math.hypot(dx, dy) < SLIP) return;
    if (finger.mode === 'long') {
      finger.mode = 'drags';
      const from = this.#at({ clientX: finger.x, clientY: finger.y });
      this.#mouse('move', from, 'none', 0);
      this.#mouse('down', from, 'left', 1);
    }
    if (finger.mode === 'drags') return this.#moved(event);
    clearTimeout(finger.timer);
    finger.mode = 'strokes';
    const scale = this.#canvas.width / this.#canvas.clientWidth;
    this.#send({ kind: 'wheel', ...this.#at(event), dx: dx * scale, dy: dy * scale });
    [finger.x, finger.y] = [event.clientX, event.clientY];
  }

  #tapped(event, button) {
    this.#takeFocus();
    this.#clicks = clicksAt(this.#clicks, { at: event.timeStamp, x: event.clientX, y: event.clientY });
    const at = this.#at(event);
    this.#mouse('move', at, 'none', 0);
    for (const press of ['down', 'up']) this.#mouse(press, at, button, this.#clicks.count);
  }
}
