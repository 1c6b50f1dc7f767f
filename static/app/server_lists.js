// The lists that come over HTTP: tasks, permissions and browsers. A list is replaced as
// a whole, so elements can tell by identity whether to draw again.

import * as api from '../transport/api.js';
import { isActive, withAsked } from '../shared/run_status.js';
import { placesOf } from '../browsers/browsers.js';
import { windows } from '../shared/preferences.js';

const SOON_MS = 300; // several facts in a row ask for one reload
const IDLE_MS = 15_000; // other windows and callers start runs, too
const LISTED = new Set(['run_started', 'status', 'run_ended', 'agent_question', 'question_resolved', 'agent_message']); // what the list of tasks shows
const PAGE = 30;
const MOST = 200; // of one request
const BROWSERS_MS = 2_000; // no event tells of what a browser takes

export class ServerLists {
  runs = { items: null, cursor: null, error: null, places: {} };
  grants = { items: null, error: null };
  browsers = { list: null, error: null };
  #route = null;
  #wanted = PAGE; // so many tasks the person has asked for
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

  /** What elements ask for, by name; `told` is told of what was refused. */
  intents(told) {
    return {
      reloadRuns: () => this.reload(),
      reloadGrants: () => this.loadGrants(),
      reloadBrowsers: () => this.loadBrowsers(),
      closeBrowser: ({ id }) => this.closeBrowser(id).catch(told),
      revoke: ({ id }) => this.revoke(id).catch(told),
    };
  }

  async reload() {
    const turn = ++this.#turn;
    try {
      const { items, cursor } = await this.#first(this.#wanted);
      const atWork = items.some((run) => isActive(run.status));
      const waiting = atWork ? await api.waitingRuns().catch(() => null) : null;
      const roots = withAsked(items.filter((run) => !run.parent_run_id), waiting?.items);
      // Their status does not tell whose hands their page is in, nor that they wait for a browser.
      const list = atWork ? await api.browsers().catch(() => null) : null;
      const runs = { items: roots, cursor, error: null, places: placesOf(list, windows()) };
      if (turn !== this.#turn || JSON.stringify(runs) === JSON.stringify(this.runs)) return; // a newer one is on its way
      this.runs = runs;
    } catch (error) {
      // A list that was there stays; the lost line is told elsewhere.
      this.runs = this.runs.items ? this.runs : { items: null, cursor: null, error, places: {} };
    }
    this.#changed();
  }

  /** The task that a person comes back to: the one that was open here, or the only one that waits for them. */
  leftOpen(id) {
    const open = (this.runs.items ?? []).filter((run) => isActive(run.status));
    const waiting = open.filter((run) => run.status === 'waiting');
    return open.find((run) => run.run_id === id) ?? (waiting.length === 1 ? waiting[0] : null);
  }

  /** The first `count` tasks, and where the next ones begin. */
  async #first(count) {
    let [all, cursor] = [[], null];
    do {
      const part = await api.runs({ cursor, limit: Math.min(MOST, count - all.length) });
      [all, cursor] = [[...all, ...part.items], part.cursor];
    } while (cursor && all.length < count);
    return { items: all, cursor };
  }

  /** Another page. A reading that has begun before knows nothing of it, and is passed over. */
  async more() {
    const turn = ++this.#turn;
    this.#wanted = this.runs.items.length + PAGE;
    const { items, cursor } = await api.runs({ cursor: this.runs.cursor, limit: PAGE });
    if (turn !== this.#turn) return; // a newer reading brings them, too
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

  async revoke(id) {
    await api.revokeGrant(id);
    await this.loadGrants();
  }

  /** The page that is open now: its list is read anew, and kept fresh for as long as it is seen. */
  show({ route }) {
    this.#route = route;
    if (route === 'permissions') this.loadGrants();
    if (route === 'browsers') this.loadBrowsers();
  }

  async loadBrowsers() {
    try {
      const list = await api.browsers();
      if (JSON.stringify(list) === JSON.stringify(this.browsers.list) && !this.browsers.error) return;
      this.browsers = { list, error: null };
    } catch (error) {
      // A list that was there stays; the lost line is told elsewhere.
      this.browsers = this.browsers.list ? this.browsers : { list: null, error };
    }
    this.#changed();
  }

  async closeBrowser(id) {
    await api.closeBrowser(id);
    await this.loadBrowsers();
  }
}
