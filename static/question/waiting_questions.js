// Open questions of all tasks. The service sends their number over the socket with every change; the list is
// read over HTTP, page by page.

import * as api from '../transport/api.js';

const PAGE = 20;
const MOST = 200; // limit of one request
const IDLE_MS = 30_000; // for a connection that died unnoticed

export class WaitingQuestions {
  list = { total: 0, items: [], cursor: null, tasks: {} }; // tasks by root run id: { title, agent }
  #turn = 0;
  #changed;

  constructor(changed) {
    this.#changed = changed;
    setInterval(() => document.hidden || this.reload(), IDLE_MS);
    addEventListener('focus', () => this.reload());
  }

  /** Returns the task of the only open question. */
  get alone() {
    return this.list.total === 1 ? this.list.items[0]?.root_run_id ?? null : null;
  }

  /** Handles the frame `waiting`: the number of open questions changed. */
  tell({ total }) {
    this.#set({ ...this.list, total });
    return this.reload();
  }

  async reload() {
    const turn = ++this.#turn;
    const limit = Math.min(MOST, Math.max(PAGE, this.list.items.length));
    const reply = await api.questions({ limit }).catch(() => null); // the old list stays; the lost connection is shown elsewhere
    if (reply && turn === this.#turn) this.#set({ total: reply.total, items: reply.items, cursor: reply.cursor, tasks: reply.tasks });
  }

  async more() {
    const turn = ++this.#turn;
    const reply = await api.questions({ limit: PAGE, cursor: this.list.cursor });
    if (turn !== this.#turn) return;
    const known = new Set(this.list.items.map(({ reference }) => reference));
    const items = [...this.list.items, ...reply.items.filter(({ reference }) => !known.has(reference))];
    this.#set({ total: reply.total, items, cursor: reply.cursor, tasks: { ...this.list.tasks, ...reply.tasks } });
  }

  #set(list) {
    if (JSON.stringify(list) === JSON.stringify(this.list)) return;
    this.list = list;
    this.#changed();
  }
}
