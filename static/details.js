// What a part of a run holds: it is read when it is looked at, and again if it had not ended.

import * as api from './transport/api.js';

export class Details {
  #known = new Map();
  #on;

  /** `on`: { isPicked(key), shown(): what is shown, show(detail) } with { key, data, state, error }. */
  constructor(on) {
    this.#on = on;
  }

  clear() {
    this.#known.clear();
  }

  async look(key, span) {
    const read = span && READ[span.kind]?.(span);
    if (!read) return this.#on.show(span ? { key, data: null, state: 'none' } : null);
    const known = this.#known.get(key);
    if (known) this.#on.show({ key, data: known.data, state: 'read' });
    else if (this.#on.shown()?.key !== key) this.#on.show({ key, data: null, state: 'reading' });
    if (known?.final) return undefined;
    try {
      const data = await read();
      this.#known.set(key, { data, final: span.to !== null });
      if (this.#on.isPicked(key)) this.#on.show({ key, data, state: 'read' });
    } catch (error) {
      if (this.#on.isPicked(key) && !known) this.#on.show({ key, data: null, state: 'failed', error });
    }
    return undefined;
  }
}

const READ = {
  run: (span) => () => api.run(span.id),
  step: (span) => (span.to === null ? null : () => api.step(span.run_id, span.n)),
  call: (span) => (span.n === null ? null : () => api.modelCall(span.run_id, span.n)),
  action: (span) => (span.effect === null ? null : () => api.effect(span.run_id, span.effect)),
};
