// Reader of a run's timeline, status and reason, in one language. One reading at a time.

import * as api from '../transport/api.js';

export class RunReader {
  locale = null; // language of the last reading
  #id = null;
  #asked = false; // true if another reading was requested during one

  /** Reports whether a reading was requested during the last one, which may have missed changes. */
  get isLate() { return this.#asked; }

  /** Returns { told, run, why }, with the changes since `cursor`; null while the same run is being read. */
  async of(id, cursor, locale, signal) {
    if (this.#id === id) {
      this.#asked = true;
      return null;
    }
    [this.#id, this.#asked] = [id, false];
    this.locale = locale;
    try {
      const [told, run, why] = await Promise.all([api.timeline(id, cursor, signal), api.run(id, signal), api.why(id, locale, signal).catch(() => null)]);
      return { told, run, why };
    } finally {
      if (this.#id === id) this.#id = null;
    }
  }
}
