// Ports of a board's cards: variables of called agents and of the context, and the bindings that are possible
// between them.

import { CONTEXT, find, itemsOf, mayTake } from './lanes.js';

/** Returns the agent that an item calls: the edited one, or one of the list; null if there is none. */
export const calleeOf = (spec, agents, item) => (item.agent === spec.name ? spec : (agents ?? []).find((agent) => agent.name === item.agent) ?? null);

/** Returns the inputs of an item with their sources, including bound inputs that the agent does not declare. */
export function inputsOf(spec, agents, item) {
  const declared = (calleeOf(spec, agents, item)?.inputs ?? []).map((variable) => ({ ...variable, isKnown: true }));
  const bound = new Map((item.bindings ?? []).map((binding) => [binding.to_var, { item: binding.from_agent_item_id, name: binding.from_var }]));
  const odd = [...bound.keys()].filter((name) => !declared.some((variable) => variable.name === name)).map((name) => ({ name, isKnown: false }));
  return [...declared, ...odd].map((variable) => ({ ...variable, from: bound.get(variable.name) ?? null }));
}

export const isRequired = (variable) => variable.required ?? variable.default === undefined;

export const outputsOf = (spec, agents, item) => calleeOf(spec, agents, item)?.outputs ?? [];

export const contextOf = (spec) => [...(spec.inputs ?? []), ...(spec.locals ?? [])];

/** Returns the possible sources for inputs of an item: [{ item: id or CONTEXT, agent, lane, names }]. */
export function sourcesFor(spec, agents, id) {
  const context = { item: CONTEXT, agent: null, lane: -1, names: contextOf(spec).map(({ name }) => name) };
  const items = itemsOf(spec).filter(({ item }) => mayTake(spec, item.id, id)).map(({ item, lane }) => ({
    item: item.id, agent: calleeOf(spec, agents, item) ?? { name: item.agent }, lane, names: outputsOf(spec, agents, item).map(({ name }) => name),
  }));
  return [context, ...items].filter(({ names }) => names.length > 0);
}

/** Returns the variables that a condition in this lane can test, each once, with its type if known. */
export function variablesAt(spec, agents, lane) {
  const earlier = itemsOf(spec).filter((one) => one.lane < lane).flatMap(({ item }) => outputsOf(spec, agents, item));
  const all = new Map(contextOf(spec).map((variable) => [variable.name, variable.type ?? null]));
  for (const variable of earlier) all.set(variable.name, variable.type ?? null);
  return [...all].map(([name, type]) => ({ name, type }));
}

/** Returns ids of items that provide an output of the agent, in order. */
export const outputSources = (spec, agents, name) =>
  itemsOf(spec).filter(({ item }) => outputsOf(spec, agents, item).some((variable) => variable.name === name)).map(({ item }) => item.id);

/** Returns the input meant by a drop on the card itself: the one of the same name, or the only free one. */
export function suggestedInput(spec, agents, id, name) {
  const inputs = find(spec, id) ? inputsOf(spec, agents, find(spec, id).item) : [];
  const free = inputs.filter(({ from }) => from === null);
  return (inputs.find((variable) => variable.name === name) ?? (free.length === 1 ? free[0] : null))?.name ?? null;
}

/** Returns the last characters of an id, enough to tell it from others. */
export const shortId = (id) => String(id ?? '').replaceAll('-', '').slice(-4);
