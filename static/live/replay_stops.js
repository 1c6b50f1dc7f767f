// Stops of a replay: the facts of a past run that can be shown step by step.

import { isBlank } from './page_state.js';

const EVENT_STOPS = new Set(['observation', 'action_started', 'action_finished', 'user_message']);
const TYPE_STOPS = new Set(['run_started', 'agent_question', 'question_resolved', 'agent_message', 'run_ended']);

function isStop(fact) {
  if (fact.type !== 'event') return TYPE_STOPS.has(fact.type);
  return EVENT_STOPS.has(fact.event) && !(fact.event === 'observation' && isBlank(fact.data?.url));
}

// Reports whether a message repeats the run's input.
const isOpening = (fact, before) => fact.event === 'user_message' && before?.type === 'run_started' && before.run_id === fact.run_id;

/** Returns the seqs of facts worth stopping at. */
export const stops = (facts) => facts.filter((fact, at) => isStop(fact) && !isOpening(fact, facts[at - 1])).map((fact) => fact.seq);

/** The stop `by` places away from `seq`; null stands for "now", the end. */
export function moveStop(all, seq, by) {
  if (all.length === 0) return null;
  const here = seq === null ? all.length - 1 : Math.max(0, all.findLastIndex((stop) => stop <= seq));
  return all[Math.min(all.length - 1, Math.max(0, here + by))];
}
