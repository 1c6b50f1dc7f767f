// Reader of a span's details: reads on selection, and again if the span had not ended.

import { TaskScope } from '../transport/task_scope.js';
import * as api from '../transport/api.js';

export class SpanReader {
  #known = new Map();
  #on;

  #scope;

  /**
   * `on`: { isPicked(key), shown(): current detail, show(detail) } with { key, data, state, error }; `scope`:
   * scope of the inspected run.
   */
  constructor(on, scope = new TaskScope()) {
    this.#on = on;
    this.#scope = scope;
  }

  clear() {
    this.#known.clear();
  }

  async show(key, span) {
    const read = span && READ[span.kind]?.(span);
    if (!read) return this.#on.show(span ? { key, data: null, state: 'none' } : null);
    const known = this.#known.get(key);
    if (known) this.#on.show({ key, data: known.data, state: 'read' });
    else if (this.#on.shown()?.key !== key) this.#on.show({ key, data: null, state: 'reading' });
    if (known?.final) return undefined;
    return this.#scope.read(read, (data) => {
      this.#known.set(key, { data, final: span.to !== null });
      if (this.#on.isPicked(key)) this.#on.show({ key, data, state: 'read' });
    }, (error) => {
      if (this.#on.isPicked(key) && !known) this.#on.show({ key, data: null, state: 'failed', error });
    });
  }
}

const READ = {
  run: (span) => (signal) => api.run(span.id, signal),
  step: (span) => (span.to === null ? null : (signal) => api.step(span.run_id, span.n, signal)),
  call: (span) => (span.n === null ? null : (signal) => api.modelCall(span.run_id, span.n, signal)),
  action: (span) => (span.effect === null ? null : (signal) => api.effect(span.run_id, span.effect, signal)),
};
