// Reads of a run what happened when, how it stands and why, in one language. One reading at a time.

import * as api from '../transport/api.js';

export class RunReader {
  locale = null; // of what was read last
  #id = null;
  #asked = false; // for another one, while one was under way

  /** True if a reading was asked for during the last one, which may have come too early for it. */
  get isLate() { return this.#asked; }

  /** { told, run, why }, with what has changed since `cursor`; null while the same run is being read. */
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
