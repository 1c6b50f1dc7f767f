// Dragging with mouse, pen or finger: an element with `data-drag` is taken after a few pixels and follows the
// pointer until the release. Escape cancels. The caller defines drop targets and effects.

const FAR = 5; // px of movement that begins a drag
const EDGE = 48; // px from an edge of the view within which it scrolls
const SPEED = 14; // px per frame

export class Drag {
  #taken = null; // { node, kind, data, start, ghost, pointer }
  #point = null;
  #frame = 0;

  /** `on`: { start(drag) -> ghost node or null, over(drag, point, under), drop(drag), end(), tap(node) }; `view` scrolls. */
  constructor(root, view, on) {
    this.view = view;
    this.on = on;
    root.addEventListener('pointerdown', (event) => this.#down(event));
    // A touch that begins a drag does not scroll the page.
    root.addEventListener('touchstart', (event) => this.#handle(event.target, true) && event.preventDefault(), { passive: false });
    root.addEventListener('dragstart', (event) => event.preventDefault());
    addEventListener('selectstart', (event) => this.#taken && event.preventDefault());
  }

  // Returns the handle. A finger takes elements by their handle only; elsewhere it scrolls.
  #handle(target, finger) {
    const handle = (finger ? target.closest?.('.grip, .port') : target)?.closest('[data-drag]');
    const control = target.closest?.('button, a, input, select, textarea, label, summary');
    return handle && (!control || control.contains(handle) || control.matches('.port')) ? handle : null;
  }

  #down(event) {
    const node = event.button === 0 ? this.#handle(event.target, event.pointerType === 'touch') : null;
    if (!node || this.#taken) return;
    const start = { x: event.clientX, y: event.clientY };
    this.#taken = { node, kind: node.dataset.drag, data: { ...node.dataset }, start, ghost: null, pointer: event.pointerId };
    this.#listen('addEventListener');
  }

  #listen(how) {
    for (const type of ['pointermove', 'pointerup', 'pointercancel']) window[how](type, this);
    window[how]('keydown', this, true);
  }

  handleEvent(event) {
    if (event.type === 'keydown') return event.key === 'Escape' && this.#escape(event);
    if (event.pointerId !== this.#taken?.pointer) return undefined;
    if (event.type === 'pointermove') return this.#move(event);
    return this.#end(event.type === 'pointerup' ? event : null);
  }

  #escape(event) {
    if (this.#taken?.ghost === null) return;
    event.preventDefault();
    event.stopPropagation();
    this.#end(null);
  }

  #move(event) {
    const taken = this.#taken;
    this.#point = { x: event.clientX, y: event.clientY };
    if (taken.ghost === null) {
      if (Math.hypot(this.#point.x - taken.start.x, this.#point.y - taken.start.y) < FAR) return;
      if (!this.#begin(taken)) return;
    }
    event.preventDefault();
    this.#show();
  }

  #begin(taken) {
    const ghost = this.on.start(taken);
    if (!ghost) {
      this.#end(null);
      return false;
    }
    taken.ghost = ghost;
    ghost.classList.add('ghost');
    document.body.append(ghost);
    document.body.dataset.dragging = taken.kind;
    this.#frame = requestAnimationFrame(() => this.#scroll());
    return true;
  }

  #show() {
    const { x, y } = this.#point;
    this.#taken.ghost.style.transform = `translate(${x + 10}px, ${y + 10}px)`;
    this.on.over(this.#taken, this.#point, document.elementFromPoint(x, y));
  }

  // Scrolls the view while the drag is near an edge.
  #scroll() {
    if (!this.#taken?.ghost) return;
    const { left, right, top, bottom } = this.view.getBoundingClientRect();
    const { x, y } = this.#point;
    const push = (at, low, high) => (at < low + EDGE ? -SPEED : at > high - EDGE ? SPEED : 0);
    if (x > left - EDGE && y > top - EDGE && x < right + EDGE && y < bottom + EDGE) {
      const before = [this.view.scrollLeft, this.view.scrollTop];
      this.view.scrollBy(push(x, left, right), push(y, top, bottom));
      if (before[0] !== this.view.scrollLeft || before[1] !== this.view.scrollTop) this.#show();
    }
    this.#frame = requestAnimationFrame(() => this.#scroll());
  }

  #end(event) {
    const taken = this.#taken;
    this.#listen('removeEventListener');
    cancelAnimationFrame(this.#frame);
    this.#taken = null;
    delete document.body.dataset.dragging;
    taken.ghost?.remove();
    if (!taken.ghost && event) this.on.tap(taken.node);
    if (taken.ghost) {
      // Suppresses the click at the end of a drag.
      addEventListener('click', (click) => { click.stopPropagation(); click.preventDefault(); }, { capture: true, once: true, signal: AbortSignal.timeout(50) });
      if (event) this.on.drop(taken);
      this.on.end();
    }
  }
}
