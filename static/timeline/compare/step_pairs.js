// Two runs beside each other: which pairs of steps are shown, and how much more or less
// one took than the other.

const AROUND = 2; // same steps that stay beside what differs
const FEWEST = 4; // fewer are not worth folding
const MOST = 400; // rows that are drawn at first

/** Pairs as they are shown: { at, pair } or, folded, { from, n }. `open` has the places of what was unfolded. */
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

/** The first of many rows, and how many there are besides. */
export const firstRows = (rows, all = false) => (all || rows.length <= MOST ? { rows, more: 0 } : { rows: rows.slice(0, MOST), more: rows.length - MOST });

/** How b stands to a: { sign, part } as in "+25%"; null where it cannot be said. */
export function change(a, b) {
  if (a === null || b === null || a === undefined || b === undefined || a === b) return null;
  return { more: b > a, part: a === 0 ? null : Math.abs(b - a) / a };
}

const ROWS = [['took_ms', 'took'], ['steps', 'steps'], ['model_calls', 'calls'], ['tokens', 'tokens'], ['cost', 'money']];

/** What each used: [{ name, a, b, change }], without what neither has. */
export const usedBy = ({ a, b }) => ROWS.filter(([field]) => a[field] || b[field]).map(([field, name]) => ({ name, a: a[field], b: b[field], change: change(a[field], b[field]) }));

/** How many of the pairs differ. */
export const apart = (pairs) => pairs.filter(({ same }) => !same).length;
