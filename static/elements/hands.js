// The person's hands on the live page while the lease is theirs: mouse, wheel,
// keys and text become `input` frames. Nothing is kept here.
//
// Letters arrive through a hidden text field, so that input methods and the
// keyboards of phones work; keys that write nothing go as key events.
// Shift+Escape leaves the page, so that a keyboard user is never trapped.
// A finger's tap is a click, its stroke turns the wheel.

const TAP = 8; // px that a finger may slip and still tap
const BUTTONS = ['left', 'middle', 'right'];
const MODIFIERS = [['altKey', 1], ['ctrlKey', 2], ['metaKey', 4], ['shiftKey', 8]];

export class Hands {
  #canvas;
  #keys;
  #send;
  #enabled = false;
  #move = null; // newest pointer place that waits for the next frame

  constructor(canvas, keys, send) {
    this.#canvas = canvas;
    this.#keys = keys;
    this.#send = send;
    const on = (target, types, handler) => types.forEach((type) => target.addEventListener(type, (event) => this.#enabled && handler(event)));
    on(canvas, ['pointermove', 'pointerdown', 'pointerup', 'pointercancel'], (event) => this.#pointer(event));
    on(canvas, ['contextmenu'], (event) => event.preventDefault());
    canvas.addEventListener('wheel', (event) => this.#enabled && this.#wheel(event), { passive: false });
    on(keys, ['keydown', 'keyup'], (event) => this.#key(event));
    on(keys, ['input', 'compositionend'], (event) => this.#text(event));
  }

  enable(on) {
    if (on === this.#enabled) return;
    this.#enabled = on;
    this.#keys.hidden = !on;
    if (on) this.#keys.focus({ preventScroll: true });
    else if (document.activeElement === this.#keys) this.#keys.blur();
  }

  #at(event) {
    const box = this.#canvas.getBoundingClientRect();
    const part = (value, start, size) => Math.min(1, Math.max(0, (value - start) / size));
    return { x: part(event.clientX, box.left, box.width), y: part(event.clientY, box.top, box.height) };
  }

  #pointer(event) {
    if (event.pointerType === 'touch') this.#touched(event);
    else if (event.type === 'pointermove') this.#moved(event);
    else this.#pressed(event);
  }

  #finger = null; // { x, y, strokes } since it came down

  #touched(event) {
    const finger = this.#finger;
    if (event.type === 'pointerdown') {
      this.#finger = { x: event.clientX, y: event.clientY, strokes: false };
    } else if (event.type === 'pointermove' && finger) {
      const [dx, dy] = [finger.x - event.clientX, finger.y - event.clientY];
      if (!finger.strokes && Math.hypot(dx, dy) < TAP) return;
      const scale = this.#canvas.width / this.#canvas.clientWidth;
      this.#send({ kind: 'wheel', ...this.#at(event), dx: dx * scale, dy: dy * scale });
      this.#finger = { x: event.clientX, y: event.clientY, strokes: true };
    } else {
      if (event.type === 'pointerup' && finger && !finger.strokes) this.#tap(event);
      this.#finger = null; // a cancelled one moved our own view, not the page
    }
  }

  #tap(event) {
    this.#keys.focus({ preventScroll: true });
    const at = { ...this.#at(event), button: 'left' };
    this.#send({ kind: 'mouse', event: 'move', ...at, count: 0 });
    for (const press of ['down', 'up']) this.#send({ kind: 'mouse', event: press, ...at, count: 1 });
  }

  #moved(event) {
    if (this.#move === null) requestAnimationFrame(() => this.#flushMove());
    this.#move = this.#at(event);
  }

  #flushMove() {
    if (this.#move && this.#enabled) this.#send({ kind: 'mouse', event: 'move', ...this.#move, button: 'left', count: 0 });
    this.#move = null;
  }

  #pressed(event) {
    event.preventDefault();
    this.#flushMove();
    const down = event.type === 'pointerdown';
    if (down) {
      this.#canvas.setPointerCapture(event.pointerId);
      this.#keys.focus({ preventScroll: true });
    }
    this.#send({ kind: 'mouse', event: down ? 'down' : 'up', ...this.#at(event), button: BUTTONS[event.button] ?? 'left', count: Math.max(1, this.#clicks(event, down)) });
  }

  // Pointer events bear no click count, so double clicks are told by time and place.
  #last = { at: -Infinity, x: 0, y: 0, count: 0 };

  #clicks(event, down) {
    if (!down) return this.#last.count;
    const near = Math.hypot(event.clientX - this.#last.x, event.clientY - this.#last.y) < 6;
    const count = near && event.timeStamp - this.#last.at < 400 ? this.#last.count + 1 : 1;
    this.#last = { at: event.timeStamp, x: event.clientX, y: event.clientY, count };
    return count;
  }

  #wheel(event) {
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    this.#send({ kind: 'wheel', ...this.#at(event), dx: event.deltaX * unit, dy: event.deltaY * unit });
  }

  #key(event) {
    if (event.key === 'Escape' && event.shiftKey) {
      if (event.type === 'keydown') this.#keys.blur();
      return event.preventDefault();
    }
    const writes = event.key.length === 1 && !event.ctrlKey && !event.metaKey;
    if (writes || event.isComposing || event.key === 'Process' || event.key === 'Unidentified' || event.key === 'Dead') return undefined;
    event.preventDefault();
    event.stopPropagation();
    const modifiers = MODIFIERS.reduce((sum, [flag, bit]) => (event[flag] ? sum + bit : sum), 0);
    return this.#send({ kind: 'key', event: event.type === 'keydown' ? 'down' : 'up', key: event.key, code: event.code, modifiers });
  }

  #text(event) {
    if (event.isComposing) return;
    const text = this.#keys.value;
    this.#keys.value = '';
    if (text) this.#send({ kind: 'text', text });
  }
}
