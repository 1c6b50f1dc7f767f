// Whose hands the page of a run tree was in, and how it left them. The server
// tells only who has it now; the rest is read off what stood before and came after.
//
//   holder  the session that has the page, or null
//   last    the session that had it last
//   waits   whether the run stands still for the sake of its holder
//   left    null while somebody has it; else how it came back:
//           back   handed back, and the run went on
//           lost   not handed back: the line of whoever had it broke
//           free   one of both, and nothing tells which
//           ended  the run had ended
//           over   it does not matter any more
//
//   null -> held -> back | lost | free | ended -> over

import { isActive } from '../shared/run_status.js';

// A run that goes on so soon goes on because of what has just happened, and stands
// still for the hands that take it so soon. No person is as quick, no step as slow.
const AT_ONCE_MS = 2000;

const atOnce = (before, after) => Math.abs(Date.parse(after) - Date.parse(before)) <= AT_ONCE_MS;

export function reduceLease(lease, fact, run) {
  if (fact.type === 'event' && fact.event === 'lease') return told(lease, fact, run);
  if (lease?.left !== 'lost' && lease?.left !== 'free') return lease;
  if (fact.type === 'run_ended') return { ...lease, left: 'over' };
  if (fact.type !== 'question_resolved' && !(fact.type === 'status' && fact.status === 'running')) return lease;
  return { ...lease, left: atOnce(lease.at, fact.at) ? 'back' : 'over' };
}

function told(lease, fact, run) {
  const holder = fact.data?.holder ?? null;
  if (holder !== null) {
    const paused = run.status === 'paused';
    return { holder, last: holder, at: fact.at, left: null, waits: paused && (lease?.left === 'lost' || atOnce(run.statusAt, fact.at)) };
  }
  const before = lease ?? { holder: null, last: null, waits: false, left: 'over' };
  // Told again: it was parked, and somebody has it go on or end.
  if (before.holder === null) return { ...before, left: 'over' };
  return { ...before, holder, at: fact.at, left: howLeft(before, run) };
}

function howLeft({ waits }, { status, questions }) {
  if (!isActive(status)) return 'ended';
  // What was paused for them goes on when they hand back, and what they were asked to do is done then.
  const still = (waits && status === 'paused') || questions.some((open) => open.kind === 'manual');
  return still ? 'lost' : 'free';
}

/** Whose hands the page is in, where that says more than the status: the end of a key. */
export function handsWord({ mine, holder, lost }, status, windows) {
  if (mine) return 'yours';
  if (holder !== null) return windows.includes(holder) ? 'own' : 'other';
  return lost !== null && status === 'paused' ? 'lost' : null;
}
