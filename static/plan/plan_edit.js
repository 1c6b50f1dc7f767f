// Edit of a plan before it is sent. Pure. Items refer to each other by ids of the draft, so that moving one
// keeps its dependencies.
//
//   draft = { version, items: [{ id, position, description, criteria, needs: [ids], done }], next }

import { isDone } from './plan.js';

export function draftOf({ items, version = null }) {
  const idOf = (position) => `p${position}`;
  const known = new Set(items.map(({ position }) => position));
  return {
    version,
    next: 1,
    items: items.map((item) => ({
      id: idOf(item.position), position: item.position, description: item.description ?? '', criteria: item.acceptance_criteria ?? '',
      needs: (item.dependencies ?? []).filter((one) => known.has(one)).map(idOf), done: isDone(item),
    })),
  };
}

const change = (draft, id, how) => ({ ...draft, items: draft.items.map((item) => (item.id === id && !item.done ? how(item) : item)) });

export const reword = (draft, id, fields) => change(draft, id, (item) => ({ ...item, ...fields }));

/** Reports whether an item depends on another, directly or indirectly. */
function waitsFor(items, id, other, seen = new Set()) {
  if (seen.has(id)) return false;
  seen.add(id);
  const { needs = [] } = items.find((item) => item.id === id) ?? {};
  return needs.includes(other) || needs.some((need) => waitsFor(items, need, other, seen));
}

/** Reports whether `id` may depend on `other`, without a circle. */
export const mayNeed = (draft, id, other) => id !== other && !waitsFor(draft.items, other, id);

export function toggleNeed(draft, id, other) {
  if (!mayNeed(draft, id, other)) return draft;
  return change(draft, id, (item) => ({ ...item, needs: item.needs.includes(other) ? item.needs.filter((need) => need !== other) : [...item.needs, other] }));
}

/** Adds an empty item at the end, or after another. */
export function add(draft, after = null) {
  const item = { id: `n${draft.next}`, position: null, description: '', criteria: '', needs: [], done: false };
  const at = after === null ? draft.items.length : draft.items.findIndex(({ id }) => id === after) + 1;
  return { ...draft, next: draft.next + 1, items: draft.items.toSpliced(at, 0, item) };
}

/** Removes an item; its dependents inherit its dependencies. */
export function remove(draft, id) {
  const gone = draft.items.find((item) => item.id === id);
  if (!gone || gone.done) return draft;
  const heirs = (needs) => [...new Set(needs.flatMap((need) => (need === id ? gone.needs : [need])))];
  return { ...draft, items: draft.items.filter((item) => item !== gone).map((item) => (item.needs.includes(id) ? { ...item, needs: heirs(item.needs) } : item)) };
}

/** Moves an item to a position, counted without it. */
export function moveTo(draft, id, place) {
  const from = draft.items.findIndex((item) => item.id === id);
  if (from < 0 || draft.items[from].done) return draft;
  const rest = draft.items.toSpliced(from, 1);
  return { ...draft, items: rest.toSpliced(Math.max(0, Math.min(rest.length, place)), 0, draft.items[from]) };
}

export const moveBy = (draft, id, by) => moveTo(draft, id, draft.items.findIndex((item) => item.id === id) + by);

/** Returns the items as the service takes them. */
export function toItems(draft) {
  const place = new Map(draft.items.map(({ id }, at) => [id, at + 1]));
  return draft.items.map(({ position, description, criteria, needs }) => ({
    ...(position === null ? {} : { position }), description: description.trim(), acceptance_criteria: criteria.trim(),
    dependencies: needs.map((id) => place.get(id)).filter(Boolean).sort((a, b) => a - b),
  }));
}

// Characters of one text; limit of the service.
const TEXT = 1000;

/**
 * Returns errors by id, as ends of message keys. An empty new item is an error. Completed items cannot be
 * changed, so they have none.
 */
export function faultsOf(draft) {
  const faults = {};
  for (const { id, description, criteria } of draft.items.filter(({ done }) => !done)) {
    if (description.trim() === '') faults[id] = 'empty';
    else if ([description, criteria].some((text) => [...text.trim()].length > TEXT)) faults[id] = 'long';
  }
  return faults;
}

export const isSame = (one, other) => JSON.stringify(toItems(one)) === JSON.stringify(toItems(other));

/**
 * Applies an edit to a plan that has changed. Completed items stay as they are; items that the person left
 * unchanged and that no longer exist are dropped; written and changed ones are kept.
 */
export function rebaseDraft(draft, base, plan) {
  const now = draftOf(plan);
  const before = new Map(base.items.map((item) => [item.id, item]));
  const found = new Map(); // id in the draft -> current item
  for (const item of draft.items) {
    const was = before.get(item.id);
    const same = was && now.items.find(({ description }) => description === was.description);
    if (same) found.set(item.id, same);
  }
  const touched = (item) => { const was = before.get(item.id); return !was || was.description !== item.description || was.criteria !== item.criteria; };
  const kept = draft.items.filter((item) => found.has(item.id) || touched(item));
  const taken = new Set([...found.values()].map(({ id }) => id));
  const removed = new Set([...before.values()].filter(({ id }) => !draft.items.some((item) => item.id === id)).map(({ description }) => description));
  const extra = now.items.filter((item) => !taken.has(item.id) && (item.done || !removed.has(item.description)));
  const idOf = (id) => found.get(id)?.id ?? (before.has(id) ? `was-${id}` : id);
  const merged = kept.map((item) => {
    const same = found.get(item.id);
    if (same?.done) return same;
    const needs = item.needs.map(idOf);
    return { ...item, id: idOf(item.id), position: same?.position ?? null, needs, done: false };
  });
  // Items new to the person keep their position after all that precede them.
  const place = new Map(now.items.map(({ id }, at) => [id, at]));
  const all = extra.reduce((list, item) => list.toSpliced(1 + list.findLastIndex(({ id }) => place.get(id) < place.get(item.id)), 0, item), merged);
  const ids = new Set(all.map(({ id }) => id));
  return { version: now.version, next: draft.next, items: all.map((item) => ({ ...item, needs: item.needs.filter((id) => ids.has(id) && id !== item.id) })) };
}
