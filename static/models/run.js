// What is known of one run: a pure fold over its facts.
//
//   facts.reduce(reduceRun, emptyRun()) is the same object for a live run,
//   for one that was resumed after a lost socket, and for a replay.
//
// Facts of child runs are part of the transcript; status, end and message of
// the tree are those of its root.

import { reduceTranscript } from './transcript.js';
import { reduceLive, emptyLive } from './live.js';
import { reduceUsage, emptyUsage } from './usage.js';
import { reduceQuestions } from './questions.js';

const ACTIVE = new Set(['queued', 'running', 'waiting', 'paused']);

export const isActive = (status) => ACTIVE.has(status);

export function emptyRun() {
  return {
    runId: null,
    agent: null,
    title: '',
    status: 'queued',
    node: null,
    startedAt: null,
    endedAt: null,
    outcome: null,
    finalResponse: null,
    vars: {},
    lease: null, // null = no lease fact yet; else { holder }
    entries: [],
    questions: [],
    live: emptyLive,
    usage: emptyUsage,
  };
}

export function reduceRun(run, fact) {
  const next = {
    ...run,
    entries: reduceTranscript(run.entries, fact),
    questions: reduceQuestions(run.questions, fact),
    live: reduceLive(run.live, fact),
    usage: reduceUsage(run.usage, fact),
  };
  const isRoot = fact.run_id === (run.runId ?? fact.root_run_id ?? fact.run_id);
  return isRoot ? reduceLifecycle(next, fact) : next;
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
        startedAt: fact.at,
      };
    case 'status':
      return isActive(fact.status)
        ? { ...run, status: fact.status, node: fact.node ?? run.node, outcome: null, endedAt: null }
        : { ...run, status: fact.status, node: fact.node ?? run.node };
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
      if (fact.event === 'lease') return { ...run, lease: { holder: fact.data?.holder ?? null } };
      return run;
    default:
      return run;
  }
}
