// Intents about plans and background tasks: an edit in progress, its result, and requested cancellations.

import { TaskScope } from '../transport/task_scope.js';
import * as api from '../transport/api.js';
import * as edits from './plan_edit.js';
import { planOf } from './plan.js';

const { draftOf, faultsOf, isSame, rebaseDraft, toItems } = edits;
const OPS = { add: edits.add, remove: edits.remove, reword: edits.reword, moveBy: edits.moveBy, moveTo: edits.moveTo, toggleNeed: edits.toggleNeed };

// `asked`: question unfolded while the plan is edited. `saved`: plan as sent, until the run confirms it, after
// the running step.
const NONE = { saved: null, runId: null, draft: null, base: null, busy: false, changed: false, faults: {}, tried: false, approves: null, asked: null };

export class PlanActions {
  #state = NONE;
  #ending = new Set(); // ids of tasks with a requested cancellation
  #reported = null; // edited plan, as last received
  #on;

  #scope;

  /** `on`: { changed(), notice(error), answer(reference, fields) }; `scope`: scope of the open task. */
  constructor(on, scope = new TaskScope()) {
    this.#on = on;
    this.#scope = scope;
  }

  get view() {
    return { planning: this.#state, ending: this.#ending };
  }

  #set(fields) {
    this.#state = { ...this.#state, ...fields };
    this.#on.changed();
  }

  /** Opens an edit, with the version that it changes, so that concurrent changes are not overwritten. */
  async #open(runId, approves) {
    if (this.#state.draft && this.#state.runId === runId) return;
    const take = (plan) => { const draft = draftOf(plan); this.#set({ ...NONE, runId, draft, base: draft, approves }); };
    await this.#scope.read((signal) => api.plan(runId, signal), take, this.#on.notice);
  }

  #change({ op, args }) {
    const { draft, busy, tried } = this.#state;
    if (!draft || busy) return;
    const next = OPS[op](draft, ...args);
    this.#state = { ...this.#state, draft: next, faults: tried ? faultsOf(next) : {} };
  }

  async #save() {
    const { draft, base, runId, busy, approves } = this.#state;
    if (!draft || busy) return;
    const faults = faultsOf(draft);
    this.#state = { ...this.#state, faults, tried: true, changed: false };
    if (Object.keys(faults).length) return;
    this.#set({ busy: true });
    const [over, settle] = [this.#reported, this.#scope.bound((fields) => this.#set(fields))];
    try {
      // Saving and approval complete even if another task is open by then.
      const sent = isSame(draft, base) ? null : await api.savePlan(runId, toItems(draft), base.version);
      if (approves) this.#on.answer(approves, { confirmed: true });
      settle({ ...NONE, saved: sent?.items && over === this.#reported ? { runId, items: sent.items, over } : null });
    } catch (error) {
      await this.#refused(error, runId, draft, base, settle);
    }
  }

  // Handles a plan that changed meanwhile: the edit is applied to the current plan.
  async #refused(error, runId, wanted, base, settle) {
    if (error.code === 'changed') {
      const plan = await api.plan(runId).catch(() => null);
      if (plan) return settle({ busy: false, draft: rebaseDraft(wanted, base, plan), base: draftOf(plan), changed: true });
    }
    settle({ busy: false });
    return this.#on.notice(error);
  }

  async #end(id) {
    this.#mark(new Set([...this.#ending, id]));
    try {
      await api.cancelTask(id);
    } catch (error) {
      this.#mark(new Set([...this.#ending].filter((one) => one !== id)));
      if (error.status !== 409) this.#on.notice(error); // 409: it ended meanwhile
    }
  }

  #mark(ending) {
    this.#ending = ending;
    this.#on.changed();
  }

  /** Drops the edit of the previous task. */
  leave() {
    [this.#state, this.#reported] = [NONE, null];
  }

  /** Drops the edit of a plan that has ended. */
  update({ liveRun, current, question }) {
    const { runId, approves, saved } = this.#state;
    this.#reported = (runId ?? saved?.runId) && liveRun ? planOf(liveRun, runId ?? saved.runId)?.items ?? null : null;
    if (saved && saved.over !== this.#reported) this.#state = { ...this.#state, saved: null };
    if (!runId) return;
    const gone = !current || !liveRun || liveRun.outcome !== null || !planOf(liveRun, runId);
    if (gone || (approves && question?.reference !== approves && !this.#state.busy)) this.#state = NONE;
  }

  /** Intents of elements, by name. */
  intents = {
    editPlan: ({ run, approves = null }) => this.#open(run, approves),
    changePlan: (detail) => this.#change(detail),
    savePlan: () => this.#save(),
    dropPlan: () => { this.#state = NONE; },
    foldQuestion: ({ reference }) => { this.#state = { ...this.#state, asked: reference }; },
    endTask: ({ id }) => this.#end(id),
  };
}
