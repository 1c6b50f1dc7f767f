// Scope of the open task, for readings to show and for later navigation. Leaving the task aborts its readings
// and drops their results. Changes of a task are not bound to the scope: they complete under the id of their
// task.

export class TaskScope {
  #key = null;
  #left = new AbortController();

  get key() { return this.#key; }

  /** Signal that aborts when the open task is left. */
  get signal() { return this.#left.signal; }

  /** Opens another task; false if it is open already. */
  enter(key) {
    if (key === this.#key) return false;
    this.#left.abort();
    this.#left = new AbortController();
    this.#key = key;
    return true;
  }

  /**
   * Reads for the open task by `work(signal)`. `take` receives the result, `failed` the error, but only while
   * the task is open.
   */
  async read(work, take, failed = () => {}) {
    const { signal } = this;
    let answer;
    try {
      answer = await work(signal);
    } catch (error) {
      return signal.aborted ? undefined : failed(error);
    }
    return signal.aborted ? undefined : take(answer);
  }

  /** Wraps a function, which does nothing once the open task has been left. */
  bound(act) {
    const { signal } = this;
    return (...args) => (signal.aborted ? undefined : act(...args));
  }
}
