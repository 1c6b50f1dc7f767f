// Connection states as a person sees them.
//
//   connecting ──open──> open ──lost──> waiting ──retry──> connecting
//
// `waiting` has the time of the next try. A run is only affected if the lost
// connection is that of its page's holder.

import { isActive } from '../shared/run_status.js';

const FIRST_MS = 400;
const LONGEST_MS = 15_000;

export const firstConnection = Object.freeze({ state: 'connecting', tries: 0, retryAt: null, everOpen: false });

/** Pause before try number `tries` (1, 2, …), with jitter from `random` in 0..1. */
export function backoff(tries, random = Math.random()) {
  const base = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, tries - 1));
  return Math.round(base * (0.75 + random * 0.5));
}

export function reduceConnection(connection, change) {
  switch (change.type) {
    case 'connecting':
      return { ...connection, state: 'connecting', retryAt: null };
    case 'open':
      return { state: 'open', tries: 0, retryAt: null, everOpen: true };
    case 'lost':
      return { ...connection, state: 'waiting', tries: connection.tries + 1, retryAt: change.retryAt };
    default:
      return connection;
  }
}

/** Returns the message key about the open task while the connection is lost. */
export function disconnectedKey({ route, liveRun, lease }) {
  if (route !== 'run' || !liveRun || !isActive(liveRun.status)) return 'lost.idle';
  if (lease.mine) return 'lost.held';
  return liveRun.status === 'running' || liveRun.status === 'queued' ? 'lost.lead' : 'lost.waits';
}
