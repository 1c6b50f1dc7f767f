// Lists read over HTTP: tasks, permissions, browsers. A list is replaced as a whole, so elements compare by
// identity.

import * as api from '../transport/api.js';
import { isActive, withWaiting } from '../shared/run_status.js';
import { placesOf } from '../browsers/browsers.js';
import { windows } from '../shared/preferences.js';

const SOON_MS = 300; // joins several facts into one reload
const IDLE_MS = 15_000; // other windows and clients start runs too
const LISTED = new Set(['run_started', 'status', 'run_ended', 'agent_question', 'question_resolved', 'agent_message']); // facts that change the list of tasks
const PAGE = 30;
const MOST = 200; // limit of one request
const BROWSERS_MS = 2_000; // no event reports a browser's memory

export class ServerLists {
  runs = { items: null, cursor: null, error: null, places: {} };
  grants = { items: null, error: null };
  audit = { items: null, cursor: null, error: null };
  browsers = { list: null, error: null };
  #route = null;
  #wanted = PAGE; // number of tasks that the person has asked for
  #changed;
  #timer = null;
  #turn = 0;

  constructor(changed) {
    this.#changed = changed;
    setInterval(() => document.hidden || this.reload(), IDLE_MS);
    setInterval(() => document.hidden || this.#route !== 'browsers' || this.loadBrowsers(), BROWSERS_MS);
    addEventListener('focus', () => this.reloadSoon());
  }

  reloadSoon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.reload(), SOON_MS);
  }

  hear(facts) {
    if (facts.some((fact) => LISTED.has(fact.type) || fact.event === 'lease' || fact.event === 'observation')) this.reloadSoon();
  }

  /** Intents of elements, by name; `onError` receives errors. */
  intents(onError) {
    return {
      reloadRuns: () => this.reload(),
      reloadGrants: () => this.loadGrants(),
      reloadAudit: () => this.loadAudit(),
      moreAudit: () => this.moreAudit().catch(onError),
      reloadBrowsers: () => this.loadBrowsers(),
      closeBrowser: ({ id }) => this.closeBrowser(id).catch(onError),
      revoke: ({ id }) => this.revoke(id).catch(onError),
    };
  }

  async reload() {
    const turn = ++this.#turn;
    try {
      const { items, cursor } = await this.#first(this.#wanted);
      const atWork = items.some((run) => isActive(run.status));
      const waiting = atWork ? await api.waitingRuns().catch(() => null) : null;
      const roots = withWaiting(items.filter((run) => !run.parent_run_id), waiting?.items);
      // The status of a run does not show the holder of its page, nor that it waits for a slot.
      const list = atWork ? await api.browsers().catch(() => null) : null;
      const runs = { items: roots, cursor, error: null, places: placesOf(list, windows()) };
      if (turn !== this.#turn || JSON.stringify(runs) === JSON.stringify(this.runs)) return; // a newer reading is under way
      this.runs = runs;
    } catch (error) {
      // After a failure the old list stays; the lost connection is shown elsewhere.
      this.runs = this.runs.items ? this.runs : { items: null, cursor: null, error, places: {} };
    }
    this.#changed();
  }

  /** Returns the task to open on a return: the last one open here, or the only one that waits. */
  leftOpen(id) {
    const open = (this.runs.items ?? []).filter((run) => isActive(run.status));
    const waiting = open.filter((run) => run.status === 'waiting');
    return open.find((run) => run.run_id === id) ?? (waiting.length === 1 ? waiting[0] : null);
  }

  /** Reads the first `count` tasks, and the cursor of the next. */
  async #first(count) {
    let [all, cursor] = [[], null];
    do {
      const part = await api.runs({ cursor, limit: Math.min(MOST, count - all.length) });
      [all, cursor] = [[...all, ...part.items], part.cursor];
    } while (cursor && all.length < count);
    return { items: all, cursor };
  }

  /** Reads another page. A reading begun before does not include it, and is ignored. */
  async more() {
    const turn = ++this.#turn;
    this.#wanted = this.runs.items.length + PAGE;
    const { items, cursor } = await api.runs({ cursor: this.runs.cursor, limit: PAGE });
    if (turn !== this.#turn) return; // a newer reading includes them
    const known = new Set(this.runs.items.map((run) => run.run_id));
    this.runs = { ...this.runs, items: [...this.runs.items, ...items.filter((run) => !run.parent_run_id && !known.has(run.run_id))], cursor, error: null };
    this.#changed();
  }

  async loadGrants() {
    try {
      this.grants = { items: (await api.grants()).items, error: null };
    } catch (error) {
      this.grants = { items: null, error };
    }
    this.#changed();
  }

  async loadAudit() {
    try {
      const { items, cursor } = await api.audit();
      this.audit = { items, cursor, error: null };
    } catch (error) {
      this.audit = { items: null, cursor: null, error };
    }
    this.#changed();
  }

  async moreAudit() {
    const before = this.audit;
    const { items, cursor } = await api.audit(before.cursor);
    if (this.audit !== before) return; // read again meanwhile
    this.audit = { items: [...before.items, ...items], cursor, error: null };
    this.#changed();
  }

  async revoke(id) {
    await api.revokeGrant(id);
    await this.loadGrants();
  }

  /** Reads the list of the opened page, and refreshes it while it is visible. */
  show({ route }) {
    this.#route = route;
    if (route === 'permissions') {
      this.loadGrants();
      this.loadAudit();
    }
    if (route === 'browsers') this.loadBrowsers();
  }

  async loadBrowsers() {
    try {
      const list = await api.browsers();
      if (JSON.stringify(list) === JSON.stringify(this.browsers.list) && !this.browsers.error) return;
      this.browsers = { list, error: null };
    } catch (error) {
      // After a failure the old list stays; the lost connection is shown elsewhere.
      this.browsers = this.browsers.list ? this.browsers : { list: null, error };
    }
    this.#changed();
  }

  async closeBrowser(id) {
    await api.closeBrowser(id);
    await this.loadBrowsers();
  }
}
