// Checks whether the open task can be saved as an agent: asks the service once the task has ended, and caches
// the answer until the task continues.

import * as api from '../transport/api.js';
import { isActive } from '../shared/run_status.js';

const AGAIN_MS = 5_000; // pause after a failure

export class SaveCheck {
  #key = '';
  #is = false;
  #changed;

  constructor(changed) {
    this.#changed = changed;
  }

  /** `talks`: true for a conversation, the only kind that can be replayed. */
  of(id, liveRun, talks) {
    if (!id || !liveRun?.endedAt || isActive(liveRun.status) || !talks) return false;
    const key = `${id} ${liveRun.endedAt}`;
    if (key !== this.#key) {
      // The last answer for the same task stays until the next one.
      if (!this.#key.startsWith(`${id} `)) this.#is = false;
      this.#key = key;
      this.#ask(id, key);
    }
    return this.#is;
  }

  async #ask(id, key) {
    const answer = await api.canSaveRun(id).catch(() => null);
    if (key !== this.#key) return;
    if (answer) this.#is = answer.savable;
    else setTimeout(() => this.#again(id, key), AGAIN_MS);
    if (answer) this.#changed();
  }

  /** Repeats the check with the next drawing, unless another task is open by then. */
  #again(id, key) {
    if (key !== this.#key) return;
    this.#key = `${id} `;
    this.#changed();
  }
}
