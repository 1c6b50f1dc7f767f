// Orders the facts of a run tree: drops duplicates and holds back facts after a gap.
//
//   insertEvent(feed, fact) -> { feed, ready: [facts in order], gap: bool }
//
// `seq` counts 1, 2, 3 … for each run tree. An early fact is held
// until the missing ones arrive; `gap` tells the caller to request them.

export const emptyOrder = Object.freeze({ lastSeq: 0, held: Object.freeze({}) });

export function insertEvent(feed, fact) {
  const seq = fact.seq;
  if (!Number.isInteger(seq) || seq <= feed.lastSeq || feed.held[seq]) {
    return { feed, ready: [], gap: false };
  }
  if (seq > feed.lastSeq + 1) {
    return { feed: { ...feed, held: { ...feed.held, [seq]: fact } }, ready: [], gap: true };
  }
  const held = { ...feed.held };
  const ready = [fact];
  let last = seq;
  while (held[last + 1]) {
    last += 1;
    ready.push(held[last]);
    delete held[last];
  }
  return { feed: { lastSeq: last, held }, ready, gap: Object.keys(held).length > 0 };
}
