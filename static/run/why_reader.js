// Reader of the reason for the open run's status: reads again when the status changes.

import * as api from '../transport/api.js';
import { TaskScope } from '../transport/task_scope.js';

/** Statuses that need no explanation. */
const PLAIN = new Set(['running', 'succeeded', undefined]);

export class WhyReader {
  #key = '';
  #why = null;
  #changed;
  #scope = new TaskScope();

  constructor(changed) {
    this.#changed = changed;
  }

  of(route, id, { liveRun, questionCount, isReplay, lease }, t) {
    if (route !== 'run' || !id || !liveRun || isReplay || (PLAIN.has(liveRun.status) && !liveRun.inLine && !questionCount)) {
      [this.#key, this.#why] = ['', null];
      this.#scope.enter(null);
      return null;
    }
    const key = [id, liveRun.status, liveRun.statusAt, questionCount, liveRun.inLine, lease.holder, t.locale].join();
    if (key !== this.#key) {
      // The last reason for the same run stays until the next one arrives.
      if (!this.#key.startsWith(id)) this.#why = null;
      this.#key = key;
      this.#scope.enter(key);
      this.#ask(id, t.locale);
    }
    return this.#why;
  }

  #ask(id, locale) {
    const take = (why) => { this.#why = why; this.#changed(); };
    return this.#scope.read((signal) => api.why(id, locale, signal), take, () => take(null));
  }
}
