// Plans of a run tree: a pure fold over its facts. The newest plan of each run counts.
//
//   plans[run id] = { items, at, runId }

export const noPlans = Object.freeze({});

const WORDS = { PENDING: 'queued', pending: 'queued', COMPLETED: 'succeeded', completed: 'succeeded', FAILED: 'failed', SKIPPED: 'skipped' };

/** Returns the status of an item; other names are accepted as aliases (C8). */
export const itemStatus = (item) => WORDS[item.status] ?? item.status ?? 'queued';

export function reducePlans(plans, fact) {
  if (fact.type !== 'event' || fact.event !== 'plan') return plans;
  const items = (fact.data?.items ?? []).map((item) => ({ ...item, status: itemStatus(item) }));
  return { ...plans, [fact.run_id]: { items, at: fact.at, runId: fact.run_id } };
}

/** Returns the plan in view: of the child, otherwise of the root; null if there is none. */
export function planOf(run, child = null) {
  const plan = run?.plans[child ?? run.runId];
  return plan?.items.length ? plan : null;
}

/** Returns the texts of a plan, to tell a changed plan from mere progress. */
export const wordsOf = (items) => JSON.stringify(items.map(({ description, acceptance_criteria: criteria, dependencies }) => [description, criteria, dependencies]));

export const isDone = (item) => item.status === 'succeeded' || item.status === 'skipped';

export const doneOf = (items) => items.filter((item) => item.status === 'succeeded').length;

/** Returns the current item: the running one, otherwise the next by dependencies and attempts. */
export function currentOf(items) {
  const at = new Map(items.map((item) => [item.position, item]));
  const free = ({ dependencies = [] }) => dependencies.every((position) => at.get(position)?.status === 'succeeded');
  const triable = (item) => item.status === 'queued' || (item.status === 'failed' && (item.attempts ?? 0) < (item.max_attempts ?? 3));
  return items.find((item) => item.status === 'running') ?? items.find((item) => triable(item) && free(item)) ?? null;
}

const ICONS = { queued: 'dot', running: 'spinner', succeeded: 'check', failed: 'cross', skipped: 'skip' };

/** Returns an icon, so that status does not depend on colour. */
export const itemIcon = (status) => ICONS[status] ?? 'dot';
