// A past run, step by step: where one can stop, and what was known there.

import { isBlank } from './page_state.js';

const EVENT_STOPS = new Set(['observation', 'action_started', 'action_finished', 'user_message']);
const TYPE_STOPS = new Set(['run_started', 'agent_question', 'question_resolved', 'agent_message', 'run_ended']);

function isStop(fact) {
  if (fact.type !== 'event') return TYPE_STOPS.has(fact.type);
  return EVENT_STOPS.has(fact.event) && !(fact.event === 'observation' && isBlank(fact.data?.url));
}

// The first message is the run's input, told again.
const isOpening = (fact, before) => fact.event === 'user_message' && before?.type === 'run_started' && before.run_id === fact.run_id;

/** Seqs at which something worth looking at happened. */
export const stops = (facts) => facts.filter((fact, at) => isStop(fact) && !isOpening(fact, facts[at - 1])).map((fact) => fact.seq);

/** The stop `by` places away from `seq`; null stands for "now", the end. */
export function moveStop(all, seq, by) {
  if (all.length === 0) return null;
  const here = seq === null ? all.length - 1 : Math.max(0, all.findLastIndex((stop) => stop <= seq));
  return all[Math.min(all.length - 1, Math.max(0, here + by))];
}
