// Reader of a run's timeline, status and reason, in one language. One reading at a time.

import * as api from '../transport/api.js';

export class RunReader {
  locale = null; // language of the last reading
  #id = null;
  #isRepeated = false; // true if another reading was requested during one

  /** Reports whether a reading was requested during the last one, which may have missed changes. */
  get isLate() { return this.#isRepeated; }

  /** Returns { changes, run, why }, with the changes since `cursor`; null while the same run is being read. */
  async read(id, cursor, locale, signal) {
    if (this.#id === id) {
      this.#isRepeated = true;
      return null;
    }
    [this.#id, this.#isRepeated] = [id, false];
    this.locale = locale;
    try {
      const [changes, run, why] = await Promise.all([api.timeline(id, cursor, signal), api.run(id, signal), api.why(id, locale, signal).catch(() => null)]);
      return { changes, run, why };
    } finally {
      if (this.#id === id) this.#id = null;
    }
  }
}
