// Seeing inside of a run: what happened when, what each part of it holds, why it stands
// as it does, and two runs beside each other. It is read over HTTP, and again whenever
// facts say that something has happened.

import * as api from './transport/api.js';
import { Reasons } from './reasons.js';
import { firstOpen, isUnderWay, merged, noTimeline, treeOf } from './models/timeline.js';

const SOON_MS = 700; // a busy run tells many facts a second
const TICK_MS = 1000; // what is under way grows

const nothing = { id: null, root: null, run: null, timeline: noTimeline, tree: null, open: new Set(), picked: null, detail: null, why: null, folds: true, choosing: null, error: null, readAt: 0 };

export class Inside {
  inside = nothing;
  comparison = { id: null, other: null, found: null, error: null };
  #on;
  #route = {};
  #timer = null;
  #reading = null;
  #said = null; // the language of what was read
  #details = new Map();

  /** `on`: { changed(), follow(root id), notice(error), go(hash), locale() } */
  constructor(on) {
    this.#on = on;
    this.reasons = new Reasons(on.changed);
    setInterval(() => { if (!document.hidden && this.#route.route === 'inside' && isUnderWay(this.inside.timeline, this.inside.id)) on.changed(); }, TICK_MS);
  }

  get view() {
    // What the service says is in the language of the page.
    if (this.#said !== this.#on.locale() && this.inside.tree && this.#route.route === 'inside') this.#read();
    return { inside: this.inside, comparison: this.comparison };
  }

  show(route) {
    this.#route = route;
    if (route.route === 'inside') this.#open(route.id);
    if (route.route === 'compare') this.#compare(route.id, route.other);
  }

  /** Facts of the run that is looked into. */
  hear(facts) {
    if (this.#route.route !== 'inside' || !facts.some((fact) => (fact.root_run_id ?? fact.run_id) === this.inside.root)) return;
    this.#timer ??= setTimeout(() => { this.#timer = null; this.#read(); }, SOON_MS);
  }

  #set(change) {
    this.inside = { ...this.inside, ...change };
    this.#on.changed();
  }

  #open(id) {
    if (this.inside.id === id && !this.inside.error) return this.#read();
    this.#details.clear();
    this.inside = { ...nothing, id, folds: this.inside.folds };
    return this.#read();
  }

  /** One reading at a time; what comes meanwhile is read after it. */
  async #read() {
    const { id } = this.inside;
    if (this.#reading === id) return;
    this.#reading = id;
    this.#said = this.#on.locale();
    try {
      const { cursor } = this.inside.timeline;
      const [told, run, why] = await Promise.all([api.timeline(id, cursor), api.run(id), api.why(id, this.#on.locale()).catch(() => null)]);
      if (this.inside.id === id) this.#take(told, run, why);
    } catch (error) {
      // What was there stays; the lost line is told elsewhere.
      if (this.inside.id === id && !this.inside.tree) this.#set({ error });
    } finally {
      if (this.#reading === id) this.#reading = null;
    }
  }

  #take(told, run, why) {
    const isFirst = this.inside.tree === null;
    const timeline = merged(this.inside.timeline, told);
    const tree = treeOf(timeline, this.inside.id);
    const open = isFirst ? firstOpen(tree) : this.inside.open;
    // Children that have begun meanwhile are shown as those that were there.
    if (!isFirst) for (const child of Object.keys(tree.below)) if (!this.inside.tree.below[child] && Object.keys(tree.below).length <= 24) open.add(child);
    this.#set({ timeline, tree, run, why, open: new Set(open), root: told.root_run_id, readAt: Date.now(), error: null });
    if (isFirst) this.#on.follow(told.root_run_id);
    this.#detail(this.inside.picked ?? this.inside.id);
  }

  // ------------------------------------------------------------- the parts

  /** What a part holds is read when it is looked at, and again if it had not ended. */
  async #detail(key) {
    const span = this.inside.timeline.spans[key];
    const read = span && READ[span.kind]?.(span);
    if (!read) return this.#set({ detail: span ? { key, data: null, state: 'none' } : null });
    const known = this.#details.get(key);
    if (known) this.#set({ detail: { key, data: known.data, state: 'read' } });
    else if (this.inside.detail?.key !== key) this.#set({ detail: { key, data: null, state: 'reading' } });
    if (known?.final) return undefined;
    try {
      const data = await read();
      this.#details.set(key, { data, final: span.to !== null });
      if ((this.inside.picked ?? this.inside.id) === key) this.#set({ detail: { key, data, state: 'read' } });
    } catch (error) {
      if ((this.inside.picked ?? this.inside.id) === key && !known) this.#set({ detail: { key, data: null, state: 'failed', error } });
    }
    return undefined;
  }

  #pick(key) {
    this.#set({ picked: key });
    if (key === null || this.inside.timeline.spans[key]) this.#detail(key ?? this.inside.id);
  }

  #toggle(key) {
    const open = new Set(this.inside.open);
    if (!open.delete(key)) open.add(key);
    this.#set({ open });
  }

  // --------------------------------------------------------------- compare

  async #compare(id, other) {
    if (this.comparison.id === id && this.comparison.other === other && this.comparison.found) return;
    this.comparison = { id, other, found: null, error: null };
    this.#on.changed();
    try {
      const [found, runs] = await Promise.all([api.compare(id, other), Promise.all([api.run(id), api.run(other)])]);
      if (this.comparison.id === id && this.comparison.other === other) this.comparison = { id, other, found, runs, error: null };
    } catch (error) {
      if (this.comparison.id === id && this.comparison.other === other) this.comparison = { id, other, found: null, error };
    }
    this.#on.changed();
  }

  /** What it can be compared with: runs of the same agent first. */
  async #choose() {
    if (this.inside.choosing) return this.#set({ choosing: null });
    this.#set({ choosing: { items: null } });
    const { run, id } = this.inside;
    const [same, all] = await Promise.all([api.runsOf(run.agent), api.runs({ limit: 20 })]);
    const known = new Set([id]);
    const items = [...same.items, ...all.items].filter((one) => !known.has(one.run_id) && known.add(one.run_id));
    if (this.inside.choosing && this.inside.id === id) this.#set({ choosing: { items } });
    return undefined;
  }

  /** What elements ask for, by name. */
  intents = {
    inPick: ({ key }) => this.#pick(key),
    inToggle: ({ key }) => this.#toggle(key),
    inFold: () => this.#set({ folds: !this.inside.folds }),
    inRetry: () => (this.#route.route === 'compare' ? this.#compare(this.#route.id, this.#route.other) : this.#open(this.#route.id)),
    inDetail: () => this.#detail(this.inside.picked ?? this.inside.id),
    inChoose: () => this.#choose().catch((error) => { this.#set({ choosing: null }); this.#on.notice(error); }),
    inWith: ({ other }) => { this.#set({ choosing: null }); this.#on.go(`#/compare/${this.inside.id}/${other}`); },
  };
}

/** With the plan that it carries out, which a model may have made. */
async function orchestrated(id) {
  const [run, found] = await Promise.all([api.run(id), api.runState(id).catch(() => null)]);
  return { ...run, planned: found?.state?.plan?.steps ?? null };
}

const READ = {
  run: (span) => (span.program === 'orchestration' ? () => orchestrated(span.id) : () => api.run(span.id)),
  step: (span) => (span.to === null ? null : () => api.step(span.run_id, span.n)),
  call: (span) => (span.n === null ? null : () => api.modelCall(span.run_id, span.n)),
  action: (span) => (span.effect === null ? null : () => api.effect(span.run_id, span.effect)),
};
