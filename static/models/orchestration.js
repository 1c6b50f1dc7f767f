// The plan of an orchestration with how each step stands: the plan as it was given or
// found, joined with what the timeline and, at the end, the outputs tell.

const ENDS = { success: 'succeeded', failed: 'failed', partial: 'partial', skipped: 'skipped' };

/** [{ id, agent, status, run, attempt, error }] or, of a block, { id, merge, status, children }; null: it is no orchestration. */
export function planOf(span, run, timeline) {
  if (span.program !== 'orchestration') return null;
  const items = itemsOf(span.id, timeline);
  const over = run.ended_at !== null;
  const results = flat(run.vars?.steps ?? []);
  const plan = run.planned ?? run.input?.plan?.steps ?? null;
  const steps = Array.isArray(plan) ? plan : run.vars?.steps ?? drawn(items);
  return steps.map((step) => stepOf(step, { items, results, over }));
}

function stepOf(step, known) {
  const [result, item] = [known.results[step.id], known.items[step.id]];
  const status = ENDS[result?.status] ?? item?.status ?? (known.over ? 'unreached' : 'idle');
  const children = step.children ?? step.steps ?? step.parallel?.children ?? null;
  if (Array.isArray(children) && (step.type === 'parallel' || children.length > 0)) {
    const inner = children.map((child) => stepOf(child, known));
    return { id: step.id, merge: mergeOf(step), quorum: step.merge?.quorum ?? step.merge_strategy?.quorum ?? step.quorum ?? null, status: result || item ? status : blockStatus(inner, status), children: inner };
  }
  return { id: step.id, agent: step.agent_id ?? step.agent ?? item?.agent ?? '', status, run: result?.exec_id ?? item?.run ?? null, attempt: result?.attempt ?? item?.attempt ?? 1, error: messageOf(result?.error) };
}

const messageOf = (error) => (error ? error.message ?? error.code ?? String(error) : null);

function mergeOf(step) {
  const named = step.merge_strategy ?? step.merge ?? 'collect';
  return typeof named === 'string' ? named : Object.keys(named)[0] ?? 'collect';
}

/** A block stands as those in it do. */
function blockStatus(children, otherwise) {
  const all = children.map(({ status }) => status);
  if (all.some((status) => ['running', 'waiting', 'queued', 'asks'].includes(status))) return 'running';
  return all.some((status) => status !== 'idle' && status !== 'unreached') ? 'running' : otherwise;
}

/** By the id of its item: { agent, status, run, attempt }; of several tries the last. */
function itemsOf(id, { spans }) {
  const found = {};
  const own = Object.values(spans).filter((span) => (span.kind === 'run' && span.parent === id && span.item) || (span.kind === 'item' && span.run_id === id));
  for (const span of own.sort((one, other) => one.from - other.from)) {
    const { item_id: item, attempt, lane } = span.kind === 'run' ? span.item : span;
    found[item] = { id: item, lane, agent: span.name, status: span.status, run: span.kind === 'run' ? span.id : null, attempt };
  }
  return found;
}

/** Where the plan is not at hand: by the places of its steps. */
const drawn = (items) => Object.values(items).sort((one, other) => one.lane - other.lane).map(({ id, agent }) => ({ id, agent }));

function flat(steps) {
  const found = {};
  for (const step of Array.isArray(steps) ? steps : []) Object.assign(found, { [step.id]: step }, flat(step.children ?? []));
  return found;
}

/** What an orchestration gave: { errors: [{ step, path, message, run }], values: { "step.name": value } }; null of another run. */
export function resultOf({ vars }) {
  if (!Array.isArray(vars?.steps) || typeof vars.success !== 'boolean') return null;
  const errors = (vars.errors ?? []).map((one) => ({ step: one.step_id ?? null, path: one.path ?? null, message: messageOf(one), run: one.exec_id ?? null }));
  return { errors, values: Object.fromEntries(given(vars.steps)) };
}

const given = (steps) => steps.flatMap(({ id, outputs, children }) => (children ? given(children) : Object.entries(outputs ?? {}).map(([name, value]) => [`${id}.${name}`, value])));

const specs = new WeakMap();

/** The steps of an orchestration as lanes of cards: those that have begun and, at its end, all; the same object for the same run. */
export function specOfItems(run) {
  if (!specs.has(run)) {
    const card = ({ id, agent_id: agent }) => ({ id, agent, bindings: [] });
    const lanes = (resultOf(run) ? run.vars.steps : []).map((step) => ({ items: (step.children ?? [step]).map(card) }));
    for (const [id, item] of Object.entries(run.items)) if (!lanes.some(({ items }) => items.some((one) => one.id === id))) ((lanes[item.lane ?? 0] ??= { items: [] }).items).push({ id, agent: item.agent, bindings: [] });
    specs.set(run, { name: run.agent, isFound: true, inputs: [], outputs: [], graph: { lanes: Array.from(lanes, (lane) => lane ?? { items: [] }) } });
  }
  return specs.get(run);
}
