// View for elements: one object derived from the page's state. Expensive parts are cached by their inputs.

import { callsOf } from '../chat/agent_calls.js';
import { caughtUp, leaseOf } from './run_trees.js';
import { dialogOf } from '../live/take_over/page_dialog.js';
import { heldOf } from '../live/take_over/held_page.js';
import { emptyRun, runAt } from './run.js';
import { stops } from '../live/replay_stops.js';
import { isWithin, pathTo } from '../run/board/lane_progress.js';

export class View {
  #stops = last(stops);
  #past = last(runAt);
  #beside = last(withoutTasks);
  #calls = last(callsOf());
  #within = last((run, child) => run.entries.filter((entry) => isWithin(run.progress, entry.runId, child)));

  /** `state` is the workspace: connection, known, current, replaySeq, … */
  of(state) {
    const entry = state.known[state.current] ?? null;
    const isReplay = entry !== null && state.replaySeq !== null;
    const now = entry?.run ?? (state.current ? emptyRun() : null);
    const run = isReplay ? this.#past(entry.facts, state.replaySeq) : now;
    const pending = entry?.run.questions ?? [];
    const open = pending.find(({ reference }) => reference === state.wanted) ?? pending[0];
    const past = isReplay ? run.questions[0] ?? null : null;
    const pageLease = lease(state, entry);
    return {
      connection: state.connection, starting: state.starting !== null, answering: state.answers[open?.reference] ?? null, notices: state.notices,
      current: state.current, title: now?.title || entry?.snapshot?.title || '', version: entry?.snapshot?.version ?? null, limits: entry?.snapshot?.limits ?? null, child: state.child, entries: run ? this.#talk(run, state.child) : undefined, run, liveRun: now, isReplay, replaySeq: state.replaySeq,
      stops: entry ? this.#stops(entry.facts) : [],
      loading: entry ? !caughtUp(entry) : state.current !== null,
      lease: pageLease, dialog: pageLease.mine && !isReplay ? dialogOf(state.dialog, state.current) : null, held: pageLease.mine && !isReplay ? heldOf(state.held, state.current) : null, asked: state.pendingCommand.asked,
      question: open ?? past, questionCount: pending.length, questionReadonly: pending.length === 0,
    };
  }

  #talk(run, child) {
    const { runs } = run.progress;
    const entries = runs[child] ? this.#within(run, child) : this.#beside(run.entries, run.tasks, run.progress);
    return this.#calls(entries, runs, runs[child] ? child : run.runId);
  }
}

/** Removes inner steps of background tasks from the transcript, except their questions. */
export function withoutTasks(entries, tasks, progress) {
  const work = new Set(Object.values(tasks).map(({ childRunId }) => childRunId).filter(Boolean));
  if (work.size === 0) return entries;
  const hidden = new Map();
  const isHidden = (runId) => hidden.get(runId) ?? hidden.set(runId, pathTo(progress, runId).some((id) => work.has(id))).get(runId);
  return entries.filter((entry) => entry.kind === 'question' || !isHidden(entry.runId));
}

/** Returns the lease of the open page, with a pending command. */
export function lease({ pendingCommand, sessionId }, entry) {
  return { ...leaseOf(entry, sessionId, pendingCommand.past), asked: pendingCommand.asked === 'take_over' };
}

/** Makes a function that caches its last result. */
function last(make) {
  let had = null;
  return (...args) => {
    if (!had || had.args.some((arg, i) => arg !== args[i])) had = { args, made: make(...args) };
    return had.made;
  };
}
