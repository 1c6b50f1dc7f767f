// Run trees known to this page: their facts in order, the run folded from them, and the number of facts still
// to come.
//
//   known[rootId] = { rootId, facts, feed, run, targetSeq, snapshot }

import { emptyOrder, insertEvent } from './event_order.js';
import { emptyRun, reduceRun } from './run.js';
import { addDraft } from '../chat/drafts.js';
import { addLocal } from '../chat/transcript.js';

export const rootOf = (fact) => fact.root_run_id ?? fact.run_id;

const fresh = (rootId) => ({ rootId, facts: [], feed: emptyOrder, run: emptyRun(), targetSeq: 0, snapshot: null });

/** Returns { known, gap: rootId or null, fresh: rootId or null, applied: [facts] }. */
export function takeFact(known, fact) {
  const rootId = rootOf(fact);
  const before = known[rootId] ?? fresh(rootId);
  const { feed, ready, gap } = insertEvent(before.feed, fact);
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
 * Handles the snapshot of a run in `welcome`. A server that has fewer facts than this page has lost its store:
 * all is discarded and requested again.
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

/** Shows a message while the model writes it. */
export function takeDraft(known, draft) {
  const entry = known[draft.root_run_id];
  if (!entry) return known;
  const run = { ...entry.run, entries: addDraft(entry.run.entries, draft) };
  return { ...known, [draft.root_run_id]: { ...entry, run } };
}

/** Shows the person's own message before the server has confirmed it. */
export function sayLocally(known, rootId, message) {
  const entry = known[rootId];
  if (!entry) return known;
  const run = { ...entry.run, entries: addLocal(entry.run.entries, { ...message, runId: rootId }) };
  return { ...known, [rootId]: { ...entry, run } };
}

export const caughtUp = (entry) => Boolean(entry) && entry.feed.lastSeq > 0 && entry.feed.lastSeq >= entry.targetSeq;

/** Returns the number of known facts still to come. */
export const pendingCount = (entry) => (entry ? entry.targetSeq - entry.feed.lastSeq : 0);

/**
 * Returns the lease of the page: from a fact if there is one, otherwise from the snapshot. Taking over is only
 * offered by a server that sends a lease. A page held by one of this window's `past` sessions is free, even
 * before the server says so. `lost`: session whose connection closed while it held the page, if the run waits
 * because of that.
 */
export function leaseOf(entry, sessionId, past = []) {
  const spoken = entry?.run.lease ?? entry?.snapshot?.lease ?? null;
  if (spoken === null || typeof spoken !== 'object') return { possible: false, holder: null, mine: false, lost: null };
  const gone = past.includes(spoken.holder);
  const holder = gone ? null : spoken.holder ?? null;
  const lost = gone ? spoken.holder : spoken.ending === 'lost' ? spoken.lastHolder : null;
  return { possible: spoken.possible !== false, holder, mine: holder !== null && holder === sessionId, lost };
}
