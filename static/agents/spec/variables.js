// Edits of inputs, locals and outputs. Renaming one also renames it in bindings, conditions and recursive
// calls.

import { CONTEXT, itemsOf, lanesOf } from './lanes.js';
import { freeName, withFields } from './spec.js';

/** First variable of each group of a spec. */
const FIRST = { inputs: { name: 'input', type: 'string' }, locals: { name: 'local', value: '' }, outputs: { name: 'output', type: 'string' } };

export function addVariable(spec, group, word = FIRST[group].name) {
  const list = spec[group] ?? [];
  return { ...spec, [group]: [...list, { ...FIRST[group], name: freeName(word, names(spec)) }] };
}

const names = (spec) => Object.keys(FIRST).flatMap((group) => (spec[group] ?? []).map((variable) => variable.name));

/** Sets fields of a variable; `undefined` removes a field. */
export function setVariable(spec, group, at, fields) {
  const list = spec[group] ?? [];
  if (!list[at]) return spec;
  const changed = { ...spec, [group]: list.with(at, withFields(list[at], fields)) };
  const [old, fresh] = [list[at].name, fields.name];
  return fresh === undefined || fresh === old ? changed : renamed(changed, group, old, fresh);
}

export function removeVariable(spec, group, at) {
  const list = spec[group] ?? [];
  if (!list[at]) return spec;
  const changed = { ...spec, [group]: list.toSpliced(at, 1) };
  const { name } = list[at];
  if (group === 'outputs' || !spec.graph || inContext(changed, name)) return changed;
  return eachItem(changed, (item) => {
    const bindings = (item.bindings ?? []).filter((binding) => !(binding.from_agent_item_id === CONTEXT && binding.from_var === name));
    return bindings.length === (item.bindings ?? []).length ? item : withFields(item, { bindings: bindings.length ? bindings : undefined });
  });
}

export function moveVariable(spec, group, at, to) {
  const list = spec[group] ?? [];
  if (!list[at] || to < 0 || to >= list.length) return spec;
  return { ...spec, [group]: list.toSpliced(at, 1).toSpliced(to, 0, list[at]) };
}

const inContext = (spec, name) => [...(spec.inputs ?? []), ...(spec.locals ?? [])].some((variable) => variable.name === name);

function eachItem(spec, change) {
  return { ...spec, graph: { ...spec.graph, lanes: lanesOf(spec).map((lane) => ({ ...lane, items: (lane.items ?? []).map(change) })) } };
}

function renamed(spec, group, old, fresh) {
  if (!spec.graph || itemsOf(spec).length === 0) return spec;
  const itself = (id) => itemsOf(spec).some(({ item }) => item.id === id && item.agent === spec.name);
  // While another variable has the old name, bindings may refer to that one.
  const outside = group !== 'outputs' && !inContext(spec, old);
  return eachItem(spec, (item) => {
    const bindings = (item.bindings ?? []).map((binding) => {
      const taken = outside && binding.from_agent_item_id === CONTEXT && binding.from_var === old;
      const given = group === 'outputs' && binding.from_var === old && itself(binding.from_agent_item_id);
      const passed = group === 'inputs' && binding.to_var === old && item.agent === spec.name;
      return { ...binding, ...(taken || given ? { from_var: fresh } : {}), ...(passed ? { to_var: fresh } : {}) };
    });
    const asks = outside && item.when?.var === old;
    return { ...item, ...(item.bindings ? { bindings } : {}), ...(asks ? { when: { ...item.when, var: fresh } } : {}) };
  });
}

/** Returns the text to edit a constant (S0.8): text as it is, other values as JSON. */
export const localText = (value) => (typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value));

/**
 * Parses an edited constant. Text stays text; a number, boolean or list keeps its type while the text parses as
 * one.
 */
export function localValue(text, before) {
  if (typeof before === 'string' || before === undefined || before === null) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
