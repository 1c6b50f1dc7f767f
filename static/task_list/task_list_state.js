// State of the task list: search, selection, and actions on tasks. Without a search, the list is that of
// ServerLists.

import * as api from '../transport/api.js';
import { isActive } from '../shared/run_status.js';
import { queryOf, isNarrowed, lacksSecret, noFilter, errorsOf, startedWith, toggleId, withRow, withoutRows } from './list_filter.js';

const TYPING_MS = 150; // pause in typing before a search
const SOON_MS = 300; // joins several facts into one search
const AT_ONCE = 200; // limit of one deletion call
const LISTED = new Set(['run_started', 'status', 'run_ended', 'agent_message']);

export class TaskListState {
  filter = noFilter;
  found = null; // { items, cursor, error } while filtered
  picked = null; // ids while several are selected
  renaming = null; // id of the task being renamed
  #titles = new Map(); // id -> last title from the service
  #deleting = new Set();
  #turn = 0;
  #timer = null;
  #on;

  /** `on`: { changed(), notice(error), hint(key), say(text), go(hash), words(), draft(text), fill({ agent, input }), ask(question), current(), serverLists } */
  constructor(on) {
    this.#on = on;
  }

  get view() {
    return { filter: this.filter, found: this.found, picked: this.picked, renaming: this.renaming };
  }

  /** Returns the last title from the service, if there is one. */
  titleOf(id) {
    for (const { run_id: run, title } of [...(this.found?.items ?? []), ...(this.#on.serverLists.runs.items ?? [])]) if (run === id) this.#titles.set(id, title);
    return this.#titles.get(id) ?? null;
  }

  hear(facts) {
    if (isNarrowed(this.filter) && facts.some((fact) => LISTED.has(fact.type))) this.#soon(SOON_MS);
  }

  /** Handles a deletion by this or another window. Returns true if the person should be told. */
  gone(id) {
    this.#drop([id]);
    return !this.#deleting.has(id);
  }

  // ------------------------------------------------------------ search

  #narrow(change) {
    this.filter = { ...this.filter, ...change };
    this.picked &&= [];
    if (!isNarrowed(this.filter)) {
      clearTimeout(this.#timer);
      this.#turn += 1;
      this.found = null;
      return;
    }
    this.#soon('query' in change ? TYPING_MS : 0);
  }

  #soon(ms) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#search(), ms);
  }

  async #search() {
    const turn = ++this.#turn;
    let found;
    try {
      const { items, cursor } = await api.runs(queryOf(this.filter));
      found = { items, cursor, error: null };
    } catch (error) {
      found = { items: null, cursor: null, error };
    }
    if (turn !== this.#turn) return; // a newer search is under way
    const first = this.found === null || JSON.stringify(found) !== JSON.stringify(this.found);
    this.found = found;
    if (first && found.items) this.#on.say(this.#on.words()(found.cursor ? 'runs.found.more' : 'runs.found', { n: found.items.length }));
    this.#on.changed();
  }

  async #more() {
    if (!this.found) return this.#on.serverLists.more();
    const turn = this.#turn;
    const { items, cursor } = await api.runs({ ...queryOf(this.filter), cursor: this.found.cursor });
    if (turn !== this.#turn) return;
    const known = new Set(this.found.items.map(({ run_id: id }) => id));
    this.found = { ...this.found, items: [...this.found.items, ...items.filter(({ run_id: id }) => !known.has(id))], cursor };
  }

  // ------------------------------------------------------------ changes

  async #change(ids, patch, messageKey) {
    for (const id of ids) {
      const row = await api.changeRun(id, patch);
      this.#titles.set(id, row.title);
      this.#each((items) => withRow(items, row));
    }
    if ('archived' in patch) this.#drop(ids);
    this.picked = null;
    this.#on.say(this.#on.words()(messageKey, { n: ids.length }));
    this.#refresh();
  }

  async #rename(id, title) {
    if (this.renaming !== id) return; // Enter has ended it; leaving the field does nothing more
    this.renaming = null;
    if (title !== null && title.trim() !== (this.titleOf(id) ?? '')) await this.#change([id], { title: title.trim() || null }, 'runs.notice.renamed');
  }

  async #delete(ids) {
    const left = new Set(ids);
    ids.forEach((id) => this.#deleting.add(id));
    try {
      const refused = [];
      for (let at = 0; at < ids.length; at += AT_ONCE) {
        const answer = await api.deleteRuns(ids.slice(at, at + AT_ONCE));
        refused.push(...errorsOf(answer));
        const gone = answer.items.filter(({ deleted, code }) => deleted || code === 'unknown_run').map(({ run_id: id }) => id);
        this.#drop(gone);
        if (gone.includes(this.#on.current())) this.#on.go('#/new');
        gone.forEach((id) => left.delete(id));
      }
      this.picked = null;
      refused.forEach((error) => this.#on.notice(error));
      if (!refused.length) this.#on.say(this.#on.words()('runs.notice.deleted', { n: ids.length }));
    } finally {
      left.forEach((id) => this.#deleting.delete(id)); // tasks that were not deleted
      this.#refresh();
    }
  }

  /** Starts the same agent with the same inputs and files. */
  async #again(id) {
    const run = await api.run(id);
    if (lacksSecret(run.input)) {
      this.#on.hint('again.secret');
      if (typeof run.input.text !== 'string') return this.#on.fill({ agent: run.agent, input: run.input });
      this.#on.go('#/new');
      return this.#on.draft(run.input.text);
    }
    const { items } = await api.files(id);
    const names = startedWith(run, items);
    const files = await Promise.all(names.map(async (name) => (await api.stageFile(await api.readFile(id, name))).id));
    const { run_id: next } = await api.startRun(run.agent, run.input, files);
    return this.#on.go(`#/runs/${next}`);
  }

  // ------------------------------------------------------------ the lists

  #each(change) {
    const { serverLists } = this.#on;
    const [all, found] = [change(serverLists.runs.items), change(this.found?.items ?? null)];
    if (all !== serverLists.runs.items) serverLists.runs = { ...serverLists.runs, items: all };
    if (found && found !== this.found.items) this.found = { ...this.found, items: found };
  }

  #drop(ids) {
    this.#each((items) => withoutRows(items, ids));
    if (this.picked) this.picked = this.picked.filter((id) => !ids.includes(id));
    this.#on.changed();
  }

  #refresh() {
    this.#on.serverLists.reload();
    if (isNarrowed(this.filter)) this.#search();
    this.#on.changed();
  }

  #question(ids) {
    const rows = [...(this.found?.items ?? []), ...(this.#on.serverLists.runs.items ?? [])];
    const row = (id) => rows.find(({ run_id: run }) => run === id);
    const active = ids.filter((id) => isActive(row(id)?.status ?? '')).length;
    return { kind: 'runs', run: ids.join(), ids, title: ids.length === 1 ? this.titleOf(ids[0]) ?? '' : '', agent: row(ids[0])?.agent ?? null, active };
  }

  /** Intents of elements, by name. */
  get intents() {
    const reporting = (work) => work?.catch?.(this.#on.notice);
    return {
      searchTasks: ({ query }) => this.#narrow({ query }),
      showTasks: (change) => this.#narrow({ ...('query' in change ? { query: change.query } : {}), state: change.state }),
      reloadFound: () => this.#search(),
      moreRuns: () => reporting(this.#more()),
      pickTasks: ({ on }) => { this.picked = on ? [] : null; },
      pickTask: ({ id }) => { this.picked = toggleId(this.picked ?? [], id); },
      renameTask: ({ id }) => { this.renaming = id; },
      retitleTask: ({ id, title }) => reporting(this.#rename(id, title)),
      pinTask: ({ id, on }) => reporting(this.#change([id], { pinned: on }, on ? 'runs.notice.pinned' : 'runs.notice.unpinned')),
      archiveTasks: ({ ids, on }) => reporting(this.#change(ids, { archived: on }, on ? 'runs.notice.archived' : 'runs.notice.restored')),
      askDelete: ({ ids }) => this.#on.ask(this.#question(ids)),
      deleteTasks: ({ ids }) => reporting(this.#delete(ids)),
      runAgain: ({ run }) => reporting(this.#again(run)),
    };
  }
}
