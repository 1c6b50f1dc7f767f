// Time axis: maps moments to positions from 0 to 1. Long times without work, such as waiting for a person, can
// be folded into narrow strips, so that they do not hide seconds of work.

const STRIP = 0.035; // width of a folded stretch
const LEAST_MS = 3_000; // shorter ones are not folded
const PART = 0.08; // minimum part of the whole time
const NICE = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000];

/**
 * Returns the merged stretches of work: [[from, to]] in order. A run that waits for another one works as far as
 * that one does.
 */
export function busyStretches(spans, now) {
  const calls = new Set(spans.filter(({ kind, to }) => kind === 'run' && to === null).map(({ parent }) => parent));
  const isWork = ({ kind, to, run_id: run }) => kind === 'call' || kind === 'action' || (kind === 'step' && !(to === null && calls.has(run)));
  const works = spans.filter(isWork).map(({ from, to }) => [from, to ?? now]).sort((one, other) => one[0] - other[0]);
  const joined = [];
  for (const [from, to] of works) {
    const last = joined.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

/** Returns the long gaps between stretches: [[from, to]]. */
export function longGaps(stretches, from, to) {
  const least = Math.max(LEAST_MS, (to - from) * PART);
  const ends = [from, ...stretches.map((one) => one[1])];
  const begins = [...stretches.map((one) => one[0]), to];
  return ends.map((end, at) => [Math.max(end, from), Math.min(begins[at], to)]).filter(([end, begin]) => begin - end >= least);
}

/** Returns { from, to, pieces: [{ from, to, x, w, folded }] }. */
export function axisOf(from, to, folded = []) {
  const end = Math.max(to, from + 1);
  const strip = folded.length ? Math.min(STRIP, 0.4 / folded.length) : 0;
  const hidden = folded.reduce((all, [a, b]) => all + b - a, 0);
  const scale = (1 - strip * folded.length) / Math.max(1, end - from - hidden);
  const pieces = [];
  let [at, x] = [from, 0];
  const add = (until, w, isFolded) => {
    if (until > at) pieces.push({ from: at, to: until, x, w, folded: isFolded });
    [at, x] = [Math.max(at, until), x + w];
  };
  for (const [a, b] of folded) {
    add(a, Math.max(0, a - at) * scale, false);
    add(b, strip, true);
  }
  add(end, Math.max(0, end - at) * scale, false);
  return { from, to: end, pieces };
}

/** Returns the position of a moment, from 0 to 1. */
export function placeOf(axis, moment) {
  const { pieces } = axis;
  if (moment <= axis.from) return 0;
  let [low, high] = [0, pieces.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pieces[middle].to < moment) low = middle + 1;
    else high = middle;
  }
  const { from, to, x, w } = pieces[low];
  return Math.min(1, x + (w * Math.min(1, (moment - from) / (to - from))));
}

/** Returns marks at even times since the beginning, about `most` of them: [{ x, ms }]. */
export function ticks(axis, most) {
  const open = axis.pieces.filter(({ folded }) => !folded);
  const shown = open.reduce((all, { from, to }) => all + to - from, 0);
  const every = NICE.find((step) => shown / step <= most) ?? NICE.at(-1) * Math.ceil(shown / most / NICE.at(-1));
  const found = [];
  for (const { from, to } of open) {
    for (let ms = Math.ceil((from - axis.from) / every) * every; axis.from + ms <= to; ms += every) {
      const x = placeOf(axis, axis.from + ms);
      if (found.length === 0 || x - found.at(-1).x > 0.6 / most) found.push({ x, ms });
    }
  }
  return found;
}

const GRAIN = 0.002; // width within which neighbours are merged

/** Returns bars of many spans on one line, with close ones merged: [{ x, w, state }]. */
export function bars(spans, axis, now, stateOf) {
  const found = [];
  for (const span of spans) {
    const x = placeOf(axis, span.from);
    const w = Math.max(GRAIN, placeOf(axis, span.to ?? now) - x);
    const state = stateOf(span);
    const last = found.at(-1);
    if (last && last.state === state && x - (last.x + last.w) < GRAIN) last.w = Math.max(last.w, x + w - last.x);
    else found.push({ x, w, state });
  }
  return found;
}
