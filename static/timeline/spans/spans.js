// Spans of a run tree, as read over HTTP: merges them and makes the rows of the tree. Steps, model calls and
// actions of a run are one row each until they are unfolded, which keeps long runs short.

import { isActive } from '../../shared/run_status.js';

export const noTimeline = Object.freeze({ at: null, cursor: null, leftOut: 0, spans: Object.freeze({}) });

/** Number of rows that are unfolded at first. */
const FEW = 12;

/** Merges a further reading: changed spans replace older ones. */
export function mergeSpans(timeline, changes) {
  const spans = { ...timeline.spans };
  for (const span of changes.spans) spans[span.id] = timed(span);
  return { at: Date.parse(changes.at), cursor: changes.cursor, leftOut: changes.left_out, spans };
}

const timed = (span) => ({ ...span, from: Date.parse(span.begin), to: span.end === null ? null : Date.parse(span.end) });

/** Returns { top: span, below: { run id: { step: [], call: [], action: [], inner: [] } } }, each in order of time. */
export function treeOf({ spans }, id) {
  const below = {};
  const of = (run) => (below[run] ??= { step: [], call: [], action: [], inner: [] });
  const works = new Set(Object.values(spans).filter(({ kind }) => kind === 'run').map((span) => span.id));
  const ordered = Object.values(spans).sort((one, other) => one.from - other.from || (one.n ?? 0) - (other.n ?? 0));
  for (const span of ordered) {
    if (span.kind === 'run') { if (span.id !== id) of(span.parent ?? id).inner.push(span); }
    else if (span.kind === 'task' && works.has(span.child_run_id)) continue; // the child run represents it
    else (of(span.run_id)[span.kind] ?? of(span.run_id).inner).push(withStage(span, spans));
  }
  return { top: spans[id] ?? null, below, labels: labelsOf(ordered), done: doneIn(ordered) };
}

/** Adds to a model call the stage in which it was made. */
export const withStage = (span, spans) => (span?.kind === 'call' ? { ...span, node: spans[span.parent]?.name ?? null } : span);

/** Returns for each step its action, if it had exactly one. */
function doneIn(spans) {
  const done = {};
  for (const span of spans) if (span.kind === 'action') done[span.parent] = span.parent in done ? null : span;
  return done;
}

/** Returns titles of tasks by the runs that do their work. */
const labelsOf = (spans) => Object.fromEntries(spans.filter(({ kind, label, child_run_id: run }) => kind === 'task' && label && run).map((span) => [span.child_run_id, span.label]));

const GROUPS = ['step', 'call', 'action'];

/**
 * Returns all rows by key: { key, level, span } or { key, level, group, of, spans }; `unfolds` if there are
 * rows below.
 */
export function rowsOf(tree, open) {
  const rows = [];
  if (tree.top) addRun(rows, tree, tree.top, 1, [1, 1], open);
  return rows;
}

function addRun(rows, tree, run, level, [place, size], open) {
  const entries = entriesOf(tree, run.id);
  rows.push({ key: run.id, level, place, size, span: run, label: tree.labels[run.id] ?? null, unfolds: entries.length > 0, isOpen: open.has(run.id) });
  if (!open.has(run.id)) return;
  entries.forEach((entry, at) => {
    const spot = [at + 1, entries.length];
    if (entry.group) addGroup(rows, entry, level + 1, spot, open);
    else if (entry.kind === 'run') addRun(rows, tree, entry, level + 1, spot, open);
    else rows.push({ key: entry.id, level: level + 1, place: spot[0], size: spot[1], span: entry, unfolds: false, isOpen: false });
  });
}

/** Returns groups first, then questions, children and tasks by time. A single span has no group. */
function entriesOf(tree, id) {
  const own = tree.below[id];
  if (!own) return [];
  const groups = GROUPS.filter((group) => own[group].length > 0).map((group) => (own[group].length === 1 ? own[group][0] : { group, of: id, spans: own[group] }));
  return [...groups, ...own.inner];
}

function addGroup(rows, { group, of, spans }, level, [place, size], open) {
  const key = `${of}/${group}`;
  rows.push({ key, level, place, size, group, of, spans, unfolds: true, isOpen: open.has(key) });
  if (!open.has(key)) return;
  spans.forEach((span, at) => rows.push({ key: span.id, level: level + 1, place: at + 1, size: spans.length, span, unfolds: false, isOpen: false }));
}

/** Returns the initially unfolded keys: all of a small tree; of a larger one runs, up to a limit. */
export function firstOpen(tree) {
  const runs = Object.keys(tree.below);
  const all = Object.values(tree.below).flatMap(({ step, call, action, inner }) => [...step, ...call, ...action, ...inner]);
  const groups = all.length <= FEW ? runs.flatMap((run) => GROUPS.map((group) => `${run}/${group}`)) : [];
  const shown = all.length <= FEW ? runs : runs.filter((run) => run === tree.top?.id || runs.length <= 24);
  return new Set([...(tree.top ? [tree.top.id] : []), ...shown, ...groups]);
}

/** Returns the effect of a key on the rows: { pick } or { toggle }; null for none. */
export function stepTo(rows, at, key) {
  const row = rows[at];
  switch (key) {
    case 'ArrowDown': return { pick: Math.min(rows.length - 1, at + 1) };
    case 'ArrowUp': return { pick: Math.max(0, at - 1) };
    case 'Home': return { pick: 0 };
    case 'End': return { pick: rows.length - 1 };
    case 'PageDown': return { pick: Math.min(rows.length - 1, at + 12) };
    case 'PageUp': return { pick: Math.max(0, at - 12) };
    case 'ArrowRight': return row?.unfolds && !row.isOpen ? { toggle: row.key } : row?.unfolds ? { pick: Math.min(rows.length - 1, at + 1) } : null;
    case 'ArrowLeft': return row?.isOpen ? { toggle: row.key } : above(rows, at);
    default: return null;
  }
}

function above(rows, at) {
  const found = rows.slice(0, Math.max(0, at)).findLastIndex((row) => row.level < rows[at].level);
  return found < 0 ? null : { pick: found };
}

/** Returns the usage of the tree: { steps, calls, tokens, cost (null if none is known), unpriced, ms }. */
export function totals({ spans, at }, id) {
  const runs = Object.values(spans).filter(({ kind }) => kind === 'run');
  const sum = (name) => runs.reduce((all, run) => all + (run[name] ?? 0), 0);
  const [calls, unpriced] = [sum('model_calls'), sum('unpriced_calls')];
  const top = spans[id];
  return { steps: sum('steps'), calls, tokens: sum('input_tokens') + sum('output_tokens'), cost: calls > unpriced ? sum('cost') : null, unpriced, runs: runs.length, ms: top ? (top.to ?? at) - top.from : 0 };
}

/** Returns the spans within this one: of a step its calls and actions. */
export const partsOf = ({ spans }, id) => Object.values(spans).filter((span) => span.parent === id && span.kind !== 'run').sort((one, other) => one.from - other.from);

export const isUnderWay = (timeline, id) => isActive(timeline.spans[id]?.status);
