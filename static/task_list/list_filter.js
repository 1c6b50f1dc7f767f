// Filter and selection of the task list. Pure.

/** Filters of the list, with the parameters of the service. */
export const STATES = {
  all: {},
  active: { status: 'queued,running,waiting,paused' },
  waiting: { status: 'waiting' },
  done: { status: 'succeeded,partial' },
  failed: { status: 'failed,denied,blocked,exhausted,cancelled,skipped' },
  archived: { archived: 'true' },
};

export const noFilter = { query: '', state: 'all' };

export const isNarrowed = ({ query, state }) => query.trim() !== '' || state !== 'all';

/** Returns the query for the service. */
export function queryOf({ query, state }) {
  const words = query.trim();
  return { ...STATES[state], ...(words ? { query: words } : {}) };
}

/** Replaces a changed row; returns the same list if it has no such row. */
export function withRow(items, row) {
  if (!items?.some(({ run_id: id }) => id === row.run_id)) return items;
  return items.map((old) => (old.run_id === row.run_id ? { ...old, ...row } : old));
}

/** Removes rows; returns the same list if it has none of them. */
export function withoutRows(items, ids) {
  const gone = new Set(ids);
  return items?.some(({ run_id: id }) => gone.has(id)) ? items.filter(({ run_id: id }) => !gone.has(id)) : items;
}

/** Adds an id to the selection, or removes it. */
export const toggleId = (picked, id) => (picked.includes(id) ? picked.filter((one) => one !== id) : [...picked, id]);

/** Placeholder of secrets. */
const MASK = '••••';

/** Reports whether a secret of this input was not stored, so that it must be entered again. */
export function lacksSecret(input) {
  return Object.values(input ?? {}).some((value) => typeof value === 'string' && value.includes(MASK));
}

/** Returns names of the files that a task was started with. `files`: { name, at }, `run`: { created_at }. */
export const startedWith = (run, files) => files.filter(({ at }) => at && Date.parse(at) <= Date.parse(run.created_at)).map(({ name }) => name);

/** Returns the errors of a call for several tasks, one for each code. */
export function errorsOf({ items }) {
  const found = new Map();
  for (const { deleted, code, detail } of items) if (!deleted && code !== 'unknown_run' && !found.has(code)) found.set(code, { code, message: detail });
  return [...found.values()];
}
