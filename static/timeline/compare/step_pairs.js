// Pairs of steps of two runs: selection of those to show, and differences in usage.

const AROUND = 2; // equal steps shown around a difference
const FEWEST = 4; // fewer are not folded
const MOST = 400; // rows drawn at first

/** Returns the pairs to show: { at, pair } or, folded, { from, n }. `open` has the positions of unfolded ones. */
export function shownPairs(pairs, open = new Set()) {
  const near = pairs.map((_, at) => pairs.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ same }) => !same));
  const rows = [];
  for (let at = 0; at < pairs.length;) {
    let end = at;
    while (end < pairs.length && !near[end]) end += 1;
    if (end - at >= FEWEST && !open.has(at)) rows.push({ from: at, n: end - at });
    else for (let one = at; one < end; one += 1) rows.push({ at: one, pair: pairs[one] });
    at = end;
    for (; at < pairs.length && near[at]; at += 1) rows.push({ at, pair: pairs[at] });
  }
  return rows;
}

/** Returns the first rows, and the number of further ones. */
export const firstRows = (rows, all = false) => (all || rows.length <= MOST ? { rows, more: 0 } : { rows: rows.slice(0, MOST), more: rows.length - MOST });

/** Returns the change from a to b: { sign, part } as in "+25%"; null if it is undefined. */
export function change(a, b) {
  if (a === null || b === null || a === undefined || b === undefined || a === b) return null;
  return { more: b > a, part: a === 0 ? null : Math.abs(b - a) / a };
}

const ROWS = [['took_ms', 'took'], ['steps', 'steps'], ['model_calls', 'calls'], ['tokens', 'tokens'], ['cost', 'money']];

/** Returns usage of both runs: [{ name, a, b, change }], without what neither used. */
export const usedBy = ({ a, b }) => ROWS.filter(([field]) => a[field] || b[field]).map(([field, name]) => ({ name, a: a[field], b: b[field], change: change(a[field], b[field]) }));

/** Counts the differing pairs. */
export const countDifferent = (pairs) => pairs.filter(({ same }) => !same).length;
