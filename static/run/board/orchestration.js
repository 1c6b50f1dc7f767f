// Plan of an orchestration with the state of each step: joins the plan with the timeline and, at the end, the
// outputs.

const ENDS = { success: 'succeeded', failed: 'failed', partial: 'partial', skipped: 'skipped' };

/**
 * Returns [{ id, agent, status, run, attempt, error }] or, for a block, { id, merge, quorum, status, children
 * }; null if the run is no orchestration.
 */
export function planOf(span, run, timeline) {
  if (span.program !== 'orchestration') return null;
  const known = { items: itemsOf(span.id, timeline), results: flat(run.vars.steps ?? []), over: run.ended_at !== null };
  return (run.planned ?? run.vars.steps ?? []).map((step) => stepOf(step, known));
}

function stepOf({ id, type, agent_id: agent, merge_strategy: merge, quorum, children }, known) {
  const [result, item] = [known.results[id], known.items[id]];
  const status = ENDS[result?.status] ?? item?.status ?? (known.over ? 'unreached' : 'idle');
  if (type === 'parallel') {
    const inner = children.map((child) => stepOf(child, known));
    return { id, merge, quorum: quorum ?? null, status: result ? status : blockStatus(inner, status), children: inner };
  }
  return { id, agent, status, run: result?.exec_id ?? item?.run ?? null, attempt: result?.attempt ?? item?.attempt ?? 1, error: result?.error?.message ?? null };
}

/** Derives the status of a block from its children. */
function blockStatus(children, otherwise) {
  const all = children.map(({ status }) => status);
  if (all.some((status) => ['running', 'waiting', 'queued', 'asks'].includes(status))) return 'running';
  return all.some((status) => status !== 'idle' && status !== 'unreached') ? 'running' : otherwise;
}

/** Returns by item id: { status, run, attempt } of the last attempt. */
function itemsOf(id, { spans }) {
  const found = {};
  const own = Object.values(spans).filter((span) => (span.kind === 'run' && span.parent === id && span.item) || (span.kind === 'item' && span.run_id === id));
  for (const span of own.sort((one, other) => one.from - other.from)) {
    const { item_id: item, attempt } = span.kind === 'run' ? span.item : span;
    found[item] = { status: span.status, run: span.kind === 'run' ? span.id : null, attempt };
  }
  return found;
}

function flat(steps) {
  const found = {};
  for (const step of steps) Object.assign(found, { [step.id]: step }, flat(step.children ?? []));
  return found;
}

/**
 * Returns the result of an orchestration: { errors: [{ step, path, message, run }], values: { "step.name":
 * value } }; null for another run.
 */
export function resultOf({ vars }) {
  if (!Array.isArray(vars?.steps) || typeof vars.success !== 'boolean') return null;
  const errors = (vars.errors ?? []).map((one) => ({ step: one.step_id ?? null, path: one.path ?? null, message: one.message, run: one.exec_id ?? null }));
  return { errors, values: Object.fromEntries(given(vars.steps)) };
}

const given = (steps) => steps.flatMap(({ id, outputs, children }) => (children ? given(children) : Object.entries(outputs ?? {}).map(([name, value]) => [`${id}.${name}`, value])));

const specs = new WeakMap();

/** Returns the steps as lanes of cards: the started ones or, at the end, all. The same object for the same run. */
export function specOfItems(run) {
  if (!specs.has(run)) {
    const card = ({ id, agent_id: agent }) => ({ id, agent, bindings: [] });
    const lanes = (resultOf(run) ? run.vars.steps : []).map((step) => ({ items: (step.children ?? [step]).map(card) }));
    for (const [id, item] of Object.entries(run.items)) if (!lanes.some(({ items }) => items.some((one) => one.id === id))) ((lanes[item.lane ?? 0] ??= { items: [] }).items).push({ id, agent: item.agent, bindings: [] });
    specs.set(run, { name: run.agent, isFound: true, inputs: [], outputs: [], graph: { lanes: Array.from(lanes, (lane) => lane ?? { items: [] }) } });
  }
  return specs.get(run);
}
