// A person's edit of a plan before it is sent: pure. Items know each other by ids of
// their own, so that they can be moved without their dependencies getting lost.
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

/** Whether an item waits for another one, directly or by way of others. */
function waitsFor(items, id, other, seen = new Set()) {
  if (seen.has(id)) return false;
  seen.add(id);
  const { needs = [] } = items.find((item) => item.id === id) ?? {};
  return needs.includes(other) || needs.some((need) => waitsFor(items, need, other, seen));
}

/** Whether `id` may be made to wait for `other`: not if that waits for it. */
export const mayNeed = (draft, id, other) => id !== other && !waitsFor(draft.items, other, id);

export function toggleNeed(draft, id, other) {
  if (!mayNeed(draft, id, other)) return draft;
  return change(draft, id, (item) => ({ ...item, needs: item.needs.includes(other) ? item.needs.filter((need) => need !== other) : [...item.needs, other] }));
}

/** A new, empty one at the end, or after another. */
export function add(draft, after = null) {
  const item = { id: `n${draft.next}`, position: null, description: '', criteria: '', needs: [], done: false };
  const at = after === null ? draft.items.length : draft.items.findIndex(({ id }) => id === after) + 1;
  return { ...draft, next: draft.next + 1, items: draft.items.toSpliced(at, 0, item) };
}

/** Whoever waited for it waits for what it waited for. */
export function remove(draft, id) {
  const gone = draft.items.find((item) => item.id === id);
  if (!gone || gone.done) return draft;
  const heirs = (needs) => [...new Set(needs.flatMap((need) => (need === id ? gone.needs : [need])))];
  return { ...draft, items: draft.items.filter((item) => item !== gone).map((item) => (item.needs.includes(id) ? { ...item, needs: heirs(item.needs) } : item)) };
}

/** To another place in the list, counted without it. */
export function moveTo(draft, id, place) {
  const from = draft.items.findIndex((item) => item.id === id);
  if (from < 0 || draft.items[from].done) return draft;
  const rest = draft.items.toSpliced(from, 1);
  return { ...draft, items: rest.toSpliced(Math.max(0, Math.min(rest.length, place)), 0, draft.items[from]) };
}

export const moveBy = (draft, id, by) => moveTo(draft, id, draft.items.findIndex((item) => item.id === id) + by);

/** What the service is sent. */
export function toItems(draft) {
  const place = new Map(draft.items.map(({ id }, at) => [id, at + 1]));
  return draft.items.map(({ position, description, criteria, needs }) => ({
    ...(position === null ? {} : { position }), description: description.trim(), acceptance_criteria: criteria.trim(),
    dependencies: needs.map((id) => place.get(id)).filter(Boolean).sort((a, b) => a - b),
  }));
}

// Characters of one text, as the service has it.
const TEXT = 1000;

/** What is wrong with it, by id: the end of a key. What was added and left empty is told, not dropped. What is done cannot be changed, so nothing is wrong with it. */
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
 * The same wishes for a plan that is another now. What was done meanwhile stays as it is done; what the person had
 * before them as it stood, and is not there any more, is gone; what they wrote or changed is kept.
 */
export function rebased(draft, base, plan) {
  const now = draftOf(plan);
  const before = new Map(base.items.map((item) => [item.id, item]));
  const found = new Map(); // id in the draft -> item now
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
  const mine = kept.map((item) => {
    const same = found.get(item.id);
    if (same?.done) return same;
    const needs = item.needs.map(idOf);
    return { ...item, id: idOf(item.id), position: same?.position ?? null, needs, done: false };
  });
  // What is new to the person stands where it stands now: after all that it comes after.
  const place = new Map(now.items.map(({ id }, at) => [id, at]));
  const all = extra.reduce((list, item) => list.toSpliced(1 + list.findLastIndex(({ id }) => place.get(id) < place.get(item.id)), 0, item), mine);
  const ids = new Set(all.map(({ id }) => id));
  return { version: now.version, next: draft.next, items: all.map((item) => ({ ...item, needs: item.needs.filter((id) => ids.has(id) && id !== item.id) })) };
}
