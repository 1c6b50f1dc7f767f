// The questions of all tasks that wait for a person. How many there are is the service's
// own number, told by its socket whenever one is asked or answered in any task; the list
// comes over HTTP, a page at a time.

import * as api from '../transport/api.js';

const PAGE = 20;
const MOST = 200; // of one request
const IDLE_MS = 30_000; // for a line that has died unnoticed

export class WaitingQuestions {
  list = { total: 0, items: [], cursor: null, tasks: {} }; // tasks by root run id: { title, agent }
  #turn = 0;
  #changed;

  constructor(changed) {
    this.#changed = changed;
    setInterval(() => document.hidden || this.reload(), IDLE_MS);
    addEventListener('focus', () => this.reload());
  }

  /** The task of the only question that waits. */
  get alone() {
    return this.list.total === 1 ? this.list.items[0]?.root_run_id ?? null : null;
  }

  /** The frame `waiting`: something was asked or answered, and so many wait now. */
  tell({ total }) {
    this.#set({ ...this.list, total });
    return this.reload();
  }

  async reload() {
    const turn = ++this.#turn;
    const limit = Math.min(MOST, Math.max(PAGE, this.list.items.length));
    const told = await api.questions({ limit }).catch(() => null); // what is known stays; the lost line is told elsewhere
    if (told && turn === this.#turn) this.#set({ total: told.total, items: told.items, cursor: told.cursor, tasks: told.tasks });
  }

  async more() {
    const turn = ++this.#turn;
    const told = await api.questions({ limit: PAGE, cursor: this.list.cursor });
    if (turn !== this.#turn) return;
    const known = new Set(this.list.items.map(({ reference }) => reference));
    const items = [...this.list.items, ...told.items.filter(({ reference }) => !known.has(reference))];
    this.#set({ total: told.total, items, cursor: told.cursor, tasks: { ...this.list.tasks, ...told.tasks } });
  }

  #set(list) {
    if (JSON.stringify(list) === JSON.stringify(this.list)) return;
    this.list = list;
    this.#changed();
  }
}
