// Reader of the reason for the open run's status: reads again when the status changes. Of a run that should go on by itself it
// also asks now and then whether a service still works on it, since nobody would send an event of that.

import * as api from '../transport/api.js';
import { standsStill } from '../shared/run_status.js';
import { TaskScope } from '../transport/task_scope.js';

/** Statuses that need no explanation. */
const PLAIN = new Set(['running', 'succeeded', undefined]);
/** Statuses of a run that goes on by itself. */
const MOVING = new Set(['running', 'queued']);
const AGAIN_MS = 10_000;

export class WhyReader {
  #key = '';
  #why = null;
  #timer = null;
  #changed;
  #scope = new TaskScope();

  constructor(changed) {
    this.#changed = changed;
  }

  of(route, id, { liveRun, questionCount, isReplay, lease }, t) {
    const isPlain = PLAIN.has(liveRun?.status) && !liveRun?.inLine && !questionCount;
    const isMoving = MOVING.has(liveRun?.status);
    if (route !== 'run' || !id || !liveRun || isReplay || (isPlain && !isMoving)) {
      this.#enter('', null);
      return null;
    }
    const key = [id, liveRun.status, liveRun.statusAt, questionCount, liveRun.inLine, lease.holder, t.locale].join();
    if (key !== this.#key) {
      // The last reason for the same run stays until the next one arrives.
      this.#enter(key, this.#key.startsWith(id) && !isPlain ? this.#why : null);
      if (!isPlain) this.#ask(id, t.locale);
      if (isMoving) this.#timer = setInterval(() => document.hidden || this.#ask(id, t.locale), AGAIN_MS);
    }
    return isPlain && !standsStill(this.#why) ? null : this.#why;
  }

  #enter(key, why) {
    clearInterval(this.#timer);
    [this.#key, this.#why] = [key, why];
    this.#scope.enter(key || null);
  }

  #ask(id, locale) {
    const take = (why) => { this.#why = why; this.#changed(); };
    return this.#scope.read((signal) => api.why(id, locale, signal), take, () => take(null));
  }
}
