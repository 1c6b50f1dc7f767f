// Scope of the task that is open, for what is read to be shown and for what would lead elsewhere.
// Readings for a task that has been left are called off, and an answer that comes all the same
// reaches nobody. What changes a task is not bound by it: it goes on, under the id of its task.

export class TaskScope {
  #key = null;
  #left = new AbortController();

  get key() { return this.#key; }

  /** Aborts when the open task is left. */
  get signal() { return this.#left.signal; }

  /** Opens another task; false where it is open already. */
  enter(key) {
    if (key === this.#key) return false;
    this.#left.abort();
    this.#left = new AbortController();
    this.#key = key;
    return true;
  }

  /** Reads something for the open task by `work(signal)`. `take` gets the answer, `failed` the error, only while it is open. */
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

  /** The function as it is for as long as the open task stays open; afterwards it does nothing. */
  bound(act) {
    const { signal } = this;
    return (...args) => (signal.aborted ? undefined : act(...args));
  }
}
