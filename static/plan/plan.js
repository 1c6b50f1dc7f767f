// The plans of a run tree: a pure fold over its facts. The newest of each run counts.
//
//   plans[run id] = { items, at, runId }

export const noPlans = Object.freeze({});

const WORDS = { PENDING: 'queued', pending: 'queued', COMPLETED: 'succeeded', completed: 'succeeded', FAILED: 'failed', SKIPPED: 'skipped' };

/** The words of document 002 are read as well. */
export const itemStatus = (item) => WORDS[item.status] ?? item.status ?? 'queued';

export function reducePlans(plans, fact) {
  if (fact.type !== 'event' || fact.event !== 'plan') return plans;
  const items = (fact.data?.items ?? []).map((item) => ({ ...item, status: itemStatus(item) }));
  return { ...plans, [fact.run_id]: { items, at: fact.at, runId: fact.run_id } };
}

/** The plan that is looked at: of the child in view, else of the root; null where there is none. */
export function planOf(run, child = null) {
  const plan = run?.plans[child ?? run.runId];
  return plan?.items.length ? plan : null;
}

/** What it says, whatever has been done for it: another one is another plan. */
export const wordsOf = (items) => JSON.stringify(items.map(({ description, acceptance_criteria: criteria, dependencies }) => [description, criteria, dependencies]));

export const isDone = (item) => item.status === 'succeeded' || item.status === 'skipped';

export const doneOf = (items) => items.filter((item) => item.status === 'succeeded').length;

/** What is worked at now: the item under way, else the one that is next by its dependencies and attempts. */
export function currentOf(items) {
  const at = new Map(items.map((item) => [item.position, item]));
  const free = ({ dependencies = [] }) => dependencies.every((position) => at.get(position)?.status === 'succeeded');
  const triable = (item) => item.status === 'queued' || (item.status === 'failed' && (item.attempts ?? 0) < (item.max_attempts ?? 3));
  return items.find((item) => item.status === 'running') ?? items.find((item) => triable(item) && free(item)) ?? null;
}

const ICONS = { queued: 'dot', running: 'spinner', succeeded: 'check', failed: 'cross', skipped: 'skip' };

/** Colours alone say nothing to some. */
export const itemIcon = (status) => ICONS[status] ?? 'dot';
