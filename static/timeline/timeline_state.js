// State of the inspection page: run, unfolded rows, selection. Reads again when facts report changes.

import { CompareState, comparable } from './compare/compare_state.js';
import { SpanReader } from './span_reader.js';
import { RunReader } from './run_reader.js';
import { WhyReader } from '../run/why_reader.js';
import { TaskScope } from '../transport/task_scope.js';
import { firstOpen, isUnderWay, mergeSpans, noTimeline, treeOf } from './spans/spans.js';

const SOON_MS = 700; // joins the many facts of a busy run
const TICK_MS = 1000; // running spans grow

const nothing = { id: null, root: null, run: null, timeline: noTimeline, tree: null, open: new Set(), picked: null, detail: null, why: null, folds: true, choosing: null, error: null, readAt: 0 };

export class TimelineState {
  inside = nothing;
  #on;
  #route = {};
  #timer = null;
  #reading = new RunReader();
  #scope = new TaskScope(); // scope of the inspected run
  #comparing;
  #details;

  /** `on`: { changed(), follow(root id), notice(error), go(hash), locale() } */
  constructor(on) {
    this.#on = on;
    this.reasons = new WhyReader(on.changed);
    this.#comparing = new CompareState(on.changed);
    this.#details = new SpanReader({ isPicked: (key) => this.#picked === key, shown: () => this.inside.detail, show: (detail) => this.#set({ detail }) }, this.#scope);
    setInterval(() => { if (!document.hidden && this.#route.route === 'inside' && isUnderWay(this.inside.timeline, this.inside.id)) on.changed(); }, TICK_MS);
  }

  get view() {
    // Texts of the service are read again in the language of the page.
    if (this.#reading.locale !== this.#on.locale() && this.inside.tree && this.#route.route === 'inside') this.#read();
    return { inside: this.inside, comparison: this.#comparing.comparison };
  }

  show(route) {
    this.#route = route;
    if (route.route === 'inside') this.#open(route.id);
    if (route.route === 'compare') this.#comparing.open(route.id, route.other);
  }

  /** Reads again if facts of the inspected run arrived. */
  hear(facts) {
    if (this.#route.route !== 'inside' || !facts.some((fact) => (fact.root_run_id ?? fact.run_id) === this.inside.root)) return;
    this.#timer ??= setTimeout(() => { this.#timer = null; this.#read(); }, SOON_MS);
  }

  get #picked() {
    return this.inside.picked ?? this.inside.id;
  }

  #set(change) {
    this.inside = { ...this.inside, ...change };
    this.#on.changed();
  }

  #open(id) {
    this.#scope.enter(id);
    if (this.inside.id === id && !this.inside.error) return this.#read();
    this.#details.clear();
    this.inside = { ...nothing, id, folds: this.inside.folds };
    return this.#read();
  }

  #read() {
    const { id, timeline: { cursor } } = this.inside;
    const take = (read) => {
      if (read === null) return;
      this.#take(read);
      if (this.#reading.isLate) this.#read();
    };
    // After a failure the old data stays; the lost connection is shown elsewhere.
    return this.#scope.read((signal) => this.#reading.read(id, cursor, this.#on.locale(), signal), take, (error) => { if (!this.inside.tree) this.#set({ error }); });
  }

  #take({ changes, run, why }) {
    const isFirst = this.inside.tree === null;
    const timeline = mergeSpans(this.inside.timeline, changes);
    const tree = treeOf(timeline, this.inside.id);
    const open = isFirst ? firstOpen(tree) : this.inside.open;
    // New child runs are unfolded like the earlier ones.
    if (!isFirst) for (const child of Object.keys(tree.below)) if (!this.inside.tree.below[child] && Object.keys(tree.below).length <= 24) open.add(child);
    this.#set({ timeline, tree, run, why, open: new Set(open), root: changes.root_run_id, readAt: Date.now(), error: null });
    if (isFirst) this.#on.follow(changes.root_run_id);
    this.#showDetail();
  }

  #showDetail() {
    this.#details.show(this.#picked, this.inside.timeline.spans[this.#picked]);
  }

  #pick(key) {
    this.#set({ picked: key });
    if (key === null || this.inside.timeline.spans[key]) this.#showDetail();
  }

  #toggle(key) {
    const open = new Set(this.inside.open);
    if (!open.delete(key)) open.add(key);
    this.#set({ open });
  }

  async #choose() {
    if (this.inside.choosing) return this.#set({ choosing: null });
    this.#set({ choosing: { items: null } });
    const { run, id } = this.inside;
    return this.#scope.read((signal) => comparable(run, id, signal), (items) => { if (this.inside.choosing) this.#set({ choosing: { items } }); }, (error) => { this.#set({ choosing: null }); this.#on.notice(error); });
  }

  /** Intents of elements, by name. */
  intents = {
    inPick: ({ key }) => this.#pick(key),
    inToggle: ({ key }) => this.#toggle(key),
    inFold: () => this.#set({ folds: !this.inside.folds }),
    inRetry: () => (this.#route.route === 'compare' ? this.#comparing.open(this.#route.id, this.#route.other) : this.#open(this.#route.id)),
    inDetail: () => this.#showDetail(),
    inChoose: () => this.#choose(),
    inWith: ({ other }) => { this.#set({ choosing: null }); this.#on.go(`#/compare/${this.inside.id}/${other}`); },
  };
}
