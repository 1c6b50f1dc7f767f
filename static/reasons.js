// Why the open run stands as it does: asked anew when it stands otherwise.

import * as api from './transport/api.js';

/** Of a run that is at work or done there is nothing to explain. */
const PLAIN = new Set(['running', 'succeeded', undefined]);

export class Reasons {
  #key = '';
  #why = null;
  #changed;

  constructor(changed) {
    this.#changed = changed;
  }

  of(route, id, { liveRun, questionCount, isReplay, lease }, t) {
    if (route !== 'run' || !id || !liveRun || isReplay || (PLAIN.has(liveRun.status) && !liveRun.inLine && !questionCount)) {
      [this.#key, this.#why] = ['', null];
      return null;
    }
    const key = [id, liveRun.status, liveRun.statusAt, questionCount, liveRun.inLine, lease.holder, t.locale].join();
    if (key !== this.#key) {
      // What is known of the same run stays until the new words are there.
      if (!this.#key.startsWith(id)) this.#why = null;
      this.#key = key;
      this.#ask(id, key, t.locale);
    }
    return this.#why;
  }

  async #ask(id, key, locale) {
    const why = await api.why(id, locale).catch(() => null);
    if (key !== this.#key) return;
    this.#why = why;
    this.#changed();
  }
}
