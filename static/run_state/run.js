// State of one run: a pure fold over its facts.
//
//   facts.reduce(reduceRun, emptyRun()) is equal for a live run, for one resumed
//   after a lost connection, and for a replay.
//
// Facts of child runs are part of the transcript; status, end and message of
// the tree are those of its root.

import { reduceTranscript, addLeaseEntry } from '../chat/transcript.js';
import { reduceLive, emptyLive } from '../live/page_state.js';
import { reduceUsage, emptyUsage } from '../run/usage.js';
import { reduceQuestions } from '../question/questions.js';
import { reduceLease } from '../live/lease.js';
import { reduceLine } from '../chat/service_messages.js';
import { isActive } from '../shared/run_status.js';
import { noProgress, reduceProgress } from '../run/board/lane_progress.js';
import { noPlans, reducePlans } from '../plan/plan.js';
import { noTasks, reduceTasks } from '../background_tasks/tasks.js';
import { noBudget, reduceBudget } from '../run/limit_meters.js';

export function emptyRun() {
  return {
    runId: null,
    agent: null,
    title: '',
    status: 'queued',
    statusAt: null, // time of the last status change
    node: null,
    startedAt: null,
    endedAt: null,
    outcome: null,
    finalResponse: null,
    vars: {},
    inLine: false, // waits for a browser slot
    lease: null, // null = no lease fact yet
    entries: [],
    questions: [],
    live: emptyLive,
    usage: emptyUsage,
    progress: noProgress, // progress of lanes
    plans: noPlans,
    tasks: noTasks,
    budget: noBudget,
  };
}

export function reduceRun(run, fact) {
  const isRoot = fact.run_id === (run.runId ?? fact.root_run_id ?? fact.run_id);
  const lease = reduceLease(run.lease, fact, run);
  const next = {
    ...run,
    lease,
    entries: addLeaseEntry(reduceTranscript(run.entries, fact), fact, run.lease, lease),
    questions: reduceQuestions(run.questions, fact),
    live: reduceLive(run.live, fact),
    usage: isRoot || fact.event !== 'state_updated' ? reduceUsage(run.usage, fact) : run.usage, // only steps of the root run count
    progress: reduceProgress(run.progress, fact),
    plans: reducePlans(run.plans, fact),
    tasks: reduceTasks(run.tasks, fact),
    budget: reduceBudget(run.budget, fact),
  };
  return isRoot ? reduceLifecycle({ ...next, inLine: reduceLine(run.inLine, fact) }, fact) : next;
}

function reduceLifecycle(run, fact) {
  switch (fact.type) {
    case 'run_started':
      return {
        ...run,
        runId: fact.run_id,
        agent: fact.agent,
        title: run.title || String(fact.input?.text ?? ''),
        status: 'running',
        statusAt: fact.at,
        startedAt: fact.at,
      };
    case 'status':
      return {
        ...run,
        status: fact.status,
        statusAt: fact.status === run.status ? run.statusAt : fact.at,
        node: fact.node ?? run.node,
        ...(isActive(fact.status) ? { outcome: null, endedAt: null } : {}),
      };
    case 'run_ended':
      return {
        ...run,
        status: fact.outcome,
        outcome: fact.outcome,
        finalResponse: fact.final_response ?? null,
        vars: fact.vars ?? {},
        endedAt: fact.at,
        questions: [],
      };
    case 'event':
      if (fact.event === 'node') return { ...run, node: fact.data?.node ?? run.node };
      return run;
    default:
      return run;
  }
}

/** Returns the run as of fact `seq`. */
export function runAt(facts, seq) {
  return facts.filter((fact) => fact.seq <= seq).reduce(reduceRun, emptyRun());
}
