// The run trees that this page has heard of: their facts in order, and the
// run folded from them. Also which facts are still to come.
//
//   known[rootId] = { rootId, facts, feed, run, targetSeq, snapshot }

import { emptyFeed, receive } from './event_order.js';
import { emptyRun, reduceRun } from './run.js';
import { addLocal } from '../chat/transcript.js';

export const rootOf = (fact) => fact.root_run_id ?? fact.run_id;

const fresh = (rootId) => ({ rootId, facts: [], feed: emptyFeed, run: emptyRun(), targetSeq: 0, snapshot: null });

/** -> { known, gap: rootId or null, fresh: rootId or null, applied: [facts] } */
export function takeFact(known, fact) {
  const rootId = rootOf(fact);
  const before = known[rootId] ?? fresh(rootId);
  const { feed, ready, gap } = receive(before.feed, fact);
  const after = feed === before.feed && known[rootId] ? before : {
    ...before,
    feed,
    facts: ready.length ? [...before.facts, ...ready] : before.facts,
    run: ready.reduce(reduceRun, before.run),
  };
  return {
    known: after === before ? known : { ...known, [rootId]: after },
    gap: gap ? rootId : null,
    fresh: known[rootId] ? null : rootId,
    applied: ready,
  };
}

/**
 * What `welcome` tells of a run. A server that knows fewer facts than we do
 * has lost its store: what we hold is void, and all is asked for anew.
 */
export function takeWelcome(known, welcome) {
  const snapshot = welcome.run;
  if (!snapshot) return { known, stale: null };
  const rootId = rootOf(snapshot);
  const before = known[rootId] ?? fresh(rootId);
  const targetSeq = welcome.seq ?? snapshot.last_seq ?? 0;
  const stale = before.feed.lastSeq > targetSeq;
  const kept = stale ? fresh(rootId) : before;
  return { known: { ...known, [rootId]: { ...kept, snapshot, targetSeq } }, stale: stale ? rootId : null };
}

/** Shows the person's own words before the server has confirmed them. */
export function sayLocally(known, rootId, message) {
  const entry = known[rootId];
  if (!entry) return known;
  const run = { ...entry.run, entries: addLocal(entry.run.entries, { ...message, runId: rootId }) };
  return { ...known, [rootId]: { ...entry, run } };
}

export const caughtUp = (entry) => Boolean(entry) && entry.feed.lastSeq > 0 && entry.feed.lastSeq >= entry.targetSeq;

/** How many facts are still to come, as far as we were told. */
export const behind = (entry) => (entry ? entry.targetSeq - entry.feed.lastSeq : 0);

/**
 * Who has the hands on the page: a fact where one is known, else the snapshot.
 * Taking over is offered only by a server that speaks of a lease at all.
 * What one of our `past` sessions held is free again, told or not.
 * `lost`: the session whose line broke while it had the page, where the run waits because of that.
 */
export function leaseOf(entry, sessionId, past = []) {
  const spoken = entry?.run.lease ?? entry?.snapshot?.lease ?? null;
  if (spoken === null || typeof spoken !== 'object') return { possible: false, holder: null, mine: false, lost: null };
  const gone = past.includes(spoken.holder);
  const holder = gone ? null : spoken.holder ?? null;
  const lost = gone ? spoken.holder : spoken.left === 'lost' ? spoken.last : null;
  return { possible: spoken.possible !== false, holder, mine: holder !== null && holder === sessionId, lost };
}
