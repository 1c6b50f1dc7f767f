// Lanes of a composite agent and their edits. Pure: each edit returns a new spec, or the same one if nothing
// changes.

import { withFields } from './spec.js';

/** Stands for the agent's own inputs and locals, in place of an item's id. */
export const CONTEXT = '__CTX__';

export const lanesOf = (spec) => spec?.graph?.lanes ?? [];

/** Returns all items in order, with lane and position. */
export const itemsOf = (spec) => lanesOf(spec).flatMap((lane, at) => (lane.items ?? []).map((item, place) => ({ item, lane: at, place })));

export const find = (spec, id) => itemsOf(spec).find(({ item }) => item.id === id) ?? null;

const withLanes = (spec, lanes) => withPositions({ ...spec, graph: { ...spec.graph, lanes } });

/** Writes the editor position of each item into it (S0.14). */
export function withPositions(spec) {
  const lanes = lanesOf(spec).map((lane, at) => ({ ...lane, items: (lane.items ?? []).map((item, order) => {
    if (item.ui?.lane_index === at && item.ui?.order === order) return item;
    return { ...item, ui: { ...item.ui, lane_index: at, order } };
  }) }));
  return { ...spec, graph: { ...spec.graph, lanes } };
}

const mapItems = (spec, change) => lanesOf(spec).map((lane) => ({ ...lane, items: (lane.items ?? []).map(change) }));

// ------------------------------------------------------------------ lanes

export const addLane = (spec, at = lanesOf(spec).length) => withLanes(spec, lanesOf(spec).toSpliced(at, 0, { items: [] }));

export function removeLane(spec, at) {
  const gone = new Set((lanesOf(spec)[at]?.items ?? []).map((item) => item.id));
  return withLanes(spec, withoutItems({ ...spec, graph: { ...spec.graph, lanes: lanesOf(spec).toSpliced(at, 1) } }, gone));
}

export function moveLane(spec, from, to) {
  const lanes = lanesOf(spec);
  const place = Math.min(lanes.length - 1, Math.max(0, to));
  if (!lanes[from] || place === from) return spec;
  return withLanes(spec, lanes.toSpliced(from, 1).toSpliced(place, 0, lanes[from]));
}

// ------------------------------------------------------------------ items

/** Adds a call of `agent` to a lane, which is created if needed. */
export function addItem(spec, { id, agent }, lane, place = Infinity) {
  const ready = lane >= lanesOf(spec).length ? addLane(spec) : spec;
  const at = Math.min(lane, lanesOf(ready).length - 1);
  return withLanes(ready, insert(lanesOf(ready), at, place, { id, agent }));
}

const insert = (lanes, at, place, item) => lanes.with(at, { ...lanes[at], items: (lanes[at].items ?? []).toSpliced(Math.min(place, lanes[at].items?.length ?? 0), 0, item) });

/** Moves an item. `place` counts without the item itself. */
export function moveItem(spec, id, lane, place = Infinity) {
  const found = find(spec, id);
  if (!found || lane < 0) return spec;
  const ready = lane >= lanesOf(spec).length ? addLane(spec) : spec;
  const at = Math.min(lane, lanesOf(ready).length - 1);
  const lanes = lanesOf(ready).map((one) => ({ ...one, items: (one.items ?? []).filter((item) => item.id !== id) }));
  const to = Math.max(0, Math.min(place, lanes[at].items.length));
  if (at === found.lane && to === found.place) return spec;
  return withLanes(ready, insert(lanes, at, to, found.item));
}

export function removeItem(spec, id) {
  const lanes = lanesOf(spec).map((lane) => ({ ...lane, items: (lane.items ?? []).filter((item) => item.id !== id) }));
  return withLanes(spec, withoutItems({ ...spec, graph: { ...spec.graph, lanes } }, new Set([id])));
}

// Removes items with all bindings to their outputs.
function withoutItems(spec, gone) {
  return mapItems(spec, (item) => {
    const bindings = (item.bindings ?? []).filter((binding) => !gone.has(binding.from_agent_item_id));
    return bindings.length === (item.bindings ?? []).length ? item : { ...item, bindings };
  });
}

/** Sets fields of an item; `undefined` removes a field. */
export function setItem(spec, id, fields) {
  if (!find(spec, id)) return spec;
  return withLanes(spec, mapItems(spec, (item) => (item.id === id ? withFields(item, fields) : item)));
}

export const setGraph = (spec, fields) => ({ ...spec, graph: withFields(spec.graph ?? { lanes: [] }, fields) });

// --------------------------------------------------------------- bindings

/** Returns every binding as a pair of variables. */
export const bindingsOf = (spec) => itemsOf(spec).flatMap(({ item }) => (item.bindings ?? []).map((binding) => ({
  from: { item: binding.from_agent_item_id, name: binding.from_var },
  to: { item: item.id, name: binding.to_var },
})));

/** Binds an input, which has one source: a second binding replaces the first in its position. */
export function bind(spec, from, to) {
  const found = find(spec, to.item);
  if (!found) return spec;
  const fresh = { from_agent_item_id: from.item, from_var: from.name, to_agent_item_id: to.item, to_var: to.name };
  const bindings = found.item.bindings ?? [];
  const at = bindings.findIndex((binding) => binding.to_var === to.name);
  return setItem(spec, to.item, { bindings: at < 0 ? [...bindings, fresh] : bindings.with(at, fresh) });
}

export function unbind(spec, to) {
  const found = find(spec, to.item);
  if (!found?.item.bindings?.some((binding) => binding.to_var === to.name)) return spec;
  const bindings = found.item.bindings.filter((binding) => binding.to_var !== to.name);
  return setItem(spec, to.item, { bindings: bindings.length ? bindings : undefined });
}

/** Reports whether `to` waits for `from`, directly or through other items of its lane. */
export function waitsFor(spec, to, from, seen = new Set()) {
  if (to === from) return true;
  if (seen.has(to)) return false;
  seen.add(to);
  const found = find(spec, to);
  const sources = (found?.item.bindings ?? []).map((binding) => binding.from_agent_item_id);
  return sources.some((source) => find(spec, source)?.lane === found.lane && waitsFor(spec, source, from, seen));
}

/**
 * Reports whether an item can take outputs of another: one in an earlier lane, or one in the same lane that
 * does not wait for it.
 */
export function mayTake(spec, from, to) {
  if (from === CONTEXT) return true;
  const [source, target] = [find(spec, from), find(spec, to)];
  if (!source || !target || from === to || source.lane > target.lane) return false;
  return source.lane < target.lane || !waitsFor(spec, from, to);
}
