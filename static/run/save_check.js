// Knows if the open task could be saved as an agent: asks the service once the task has ended,
// and keeps its answer for as long as the task does not go on.

import * as api from '../transport/api.js';
import { isActive } from '../shared/run_status.js';

const AGAIN_MS = 5_000; // after a failure

export class SaveCheck {
  #key = '';
  #is = false;
  #changed;

  constructor(changed) {
    this.#changed = changed;
  }

  /** `talks`: only what was said in a conversation can be played again. */
  of(id, liveRun, talks) {
    if (!id || !liveRun?.endedAt || isActive(liveRun.status) || !talks) return false;
    const key = `${id} ${liveRun.endedAt}`;
    if (key !== this.#key) {
      // What was known of the same task stays until the new answer is there.
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

  /** It is asked with the next drawing, unless another task is open by now. */
  #again(id, key) {
    if (key !== this.#key) return;
    this.#key = `${id} `;
    this.#changed();
  }
}
