// Lease of a run tree's page, and how its last holder left it. The server only sends the current holder; the
// rest is derived from the facts around it.
//
//   holder       session that holds the page, or null
//   lastHolder   last session that held it
//   isRunPaused  true if the run is paused because of its holder
//   ending       null while it is held, otherwise the way in which it became free:
//                back   handed back, and the run continued
//                lost   the connection of its holder closed
//                free   handed back or lost, not known which
//                ended  the run had ended
//                over   no longer relevant
//
//   null -> held -> back | lost | free | ended -> over

import { isActive } from '../shared/run_status.js';

// Longest time between cause and effect: a run that continues, or pauses, so soon after a change of holder does
// so because of it. Persons and steps are slower.
const AT_ONCE_MS = 2000;

const atOnce = (before, after) => Math.abs(Date.parse(after) - Date.parse(before)) <= AT_ONCE_MS;

export function reduceLease(lease, fact, run) {
  if (fact.type === 'event' && fact.event === 'lease') return reduceHolder(lease, fact, run);
  if (lease?.ending !== 'lost' && lease?.ending !== 'free') return lease;
  if (fact.type === 'run_ended') return { ...lease, ending: 'over' };
  if (fact.type !== 'question_resolved' && !(fact.type === 'status' && fact.status === 'running')) return lease;
  return { ...lease, ending: atOnce(lease.at, fact.at) ? 'back' : 'over' };
}

function reduceHolder(lease, fact, run) {
  const holder = fact.data?.holder ?? null;
  if (holder !== null) {
    const paused = run.status === 'paused';
    return { holder, lastHolder: holder, at: fact.at, ending: null, isRunPaused: paused && (lease?.ending === 'lost' || atOnce(run.statusAt, fact.at)) };
  }
  const before = lease ?? { holder: null, lastHolder: null, isRunPaused: false, ending: 'over' };
  // Repeated while free: the run was paused, and somebody resumes or stops it.
  if (before.holder === null) return { ...before, ending: 'over' };
  return { ...before, holder, at: fact.at, ending: endingOf(before, run) };
}

function endingOf({ isRunPaused }, { status, questions }) {
  if (!isActive(status)) return 'ended';
  // The run waits for its holder: a pause ends at the hand-back, as does a question to do something by hand.
  const still = (isRunPaused && status === 'paused') || questions.some((open) => open.kind === 'manual');
  return still ? 'lost' : 'free';
}

/** Returns the end of a message key for the page's holder, if that adds to the status. */
export function holderKey({ mine, holder, lost }, status, windows) {
  if (mine) return 'yours';
  if (holder !== null) return windows.includes(holder) ? 'own' : 'other';
  return lost !== null && status === 'paused' ? 'lost' : null;
}
