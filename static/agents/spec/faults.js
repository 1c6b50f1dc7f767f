// Faults of an agent file, by place. A fault is bound to the item or variable at its path when the file was
// checked, so it moves along with its card.

import { inputOf } from '../../shared/text/fault_text.js';
import { lanesOf } from './lanes.js';

/** 'graph.lanes[0].items[1].agent' -> ['graph', 'lanes', 0, 'items', 1, 'agent'] */
export const pathSteps = (path) => [...String(path ?? '').matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map(([, word, number]) => (number === undefined ? word : Number(number)));

/** Adds to each fault its subject: `item`, `input`, `field`, `lane`, or `group` and `index`. */
export const withSubjects = (faults, spec) => (faults ?? []).map((fault) => ({ severity: 'error', ...fault, ...placeOf(pathSteps(fault.path), spec, fault.message) }));

const GROUPS = new Set(['inputs', 'locals', 'outputs']);

function placeOf([head, ...rest], spec, message) {
  if (GROUPS.has(head) && typeof rest[0] === 'number') return { group: head, index: rest[0], field: rest[1] ?? '' };
  if (head !== 'graph' || rest[0] !== 'lanes' || typeof rest[1] !== 'number') return { field: [head, ...rest].filter((step) => step !== undefined).join('.') };
  const [, lane, , place, field, at] = rest;
  const item = lanesOf(spec)[lane]?.items?.[place];
  if (!item) return { lane, field: '' };
  if (field !== 'bindings') return { item: item.id, field: field ?? '', input: inputOf(message) };
  return { item: item.id, field: 'bindings', input: typeof at === 'number' ? item.bindings?.[at]?.to_var ?? null : typeof at === 'string' ? at : null };
}

export const errors = (faults) => faults.filter(({ severity }) => severity !== 'warning');

export const ofItem = (faults, id) => faults.filter((fault) => fault.item === id);

/** Returns the faults of an item, except those of the inputs that its card shows. */
export const ofCard = (faults, id, inputs) => ofItem(faults, id).filter(({ input }) => !inputs.some(({ name }) => name === input));

export const ofInput = (faults, id, name) => faults.filter((fault) => fault.item === id && fault.input === name);

export const ofVariable = (faults, group, index) => faults.filter((fault) => fault.group === group && fault.index === index);

export const ofLane = (faults, lane) => faults.filter((fault) => fault.lane === lane);

/** Returns the faults of one field of the agent itself, such as 'title_ua' or 'llm.prompt'. */
export const ofField = (faults, field) => faults.filter((fault) => !fault.item && fault.group === undefined && fault.lane === undefined && (fault.field === field || fault.field?.startsWith(`${field}.`)));

/** Groups faults by line number. */
export function byLine(faults) {
  const lines = new Map();
  for (const fault of faults) if (Number.isInteger(fault.line)) lines.set(fault.line, [...(lines.get(fault.line) ?? []), fault]);
  return lines;
}
