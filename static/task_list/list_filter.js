// The list of tasks as it is looked for and picked from: pure parts.

/** What the list can be narrowed to, with the words of the service for it. */
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

/** What is asked of the service. */
export function askedFor({ query, state }) {
  const words = query.trim();
  return { ...STATES[state], ...(words ? { query: words } : {}) };
}

/** Rows with the changed one in the place of the old; the same list where it is not in it. */
export function withRow(items, row) {
  if (!items?.some(({ run_id: id }) => id === row.run_id)) return items;
  return items.map((old) => (old.run_id === row.run_id ? { ...old, ...row } : old));
}

/** Rows without these; the same list where none of them is in it. */
export function withoutRows(items, ids) {
  const gone = new Set(ids);
  return items?.some(({ run_id: id }) => gone.has(id)) ? items.filter(({ run_id: id }) => !gone.has(id)) : items;
}

/** The picked ones with this one or without it. */
export const toggled = (picked, id) => (picked.includes(id) ? picked.filter((one) => one !== id) : [...picked, id]);

/** What stands in the place of a secret. */
const MASK = '••••';

/** Whether a secret of this input was not kept, so that it has to be given again. */
export function lacksSecret(input) {
  return Object.values(input ?? {}).some((value) => typeof value === 'string' && value.includes(MASK));
}

/** Names of the files that a task was started with. `files`: { name, at }, `run`: { created_at }. */
export const startedWith = (run, files) => files.filter(({ at }) => at && Date.parse(at) <= Date.parse(run.created_at)).map(({ name }) => name);

/** What went wrong of an answer about several, as errors: each code once. */
export function refusedOf({ items }) {
  const found = new Map();
  for (const { deleted, code, detail } of items) if (!deleted && code !== 'unknown_run' && !found.has(code)) found.set(code, { code, message: detail });
  return [...found.values()];
}
