// Progress of the lanes of a run tree: a pure fold over its facts.
//
//   progress.runs[run id] = { agent, parent, input, status, vars, response, error, items }
//   items[item id] = { status, runId, attempt, error, agent, at }

export const noProgress = Object.freeze({ runs: Object.freeze({}) });

export function reduceProgress(progress, fact) {
  const step = fact.type === 'event' ? EVENTS[fact.event] : TYPES[fact.type];
  if (!step) return progress;
  const before = progress.runs[fact.run_id] ?? null;
  const after = step(before, fact, fact.data ?? {});
  return after === before || after === null ? progress : { runs: { ...progress.runs, [fact.run_id]: after } };
}

const TYPES = {
  run_started: (run, fact) => ({
    items: {}, ...run, agent: fact.agent, parent: fact.parent_run_id ?? null, input: fact.input ?? {}, status: 'running', outcome: null, startedAt: run?.startedAt ?? fact.at,
  }),
  status: (run, fact) => (run ? { ...run, status: fact.status } : run),
  error: (run, fact) => (run ? { ...run, error: { code: fact.code, message: fact.message ?? '' } } : run),
  run_ended: (run, fact) => (run ? { ...run, status: fact.outcome, outcome: fact.outcome, vars: fact.vars ?? {}, response: fact.final_response ?? null, endedAt: fact.at } : run),
};

const EVENTS = {
  item(run, fact, data) {
    if (!run || !data.item_id) return run;
    const old = run.items[data.item_id];
    const item = { ...old, status: data.status, runId: data.run_id ?? old?.runId ?? null, attempt: data.attempt ?? old?.attempt ?? null, error: data.error ?? null, agent: data.agent ?? null, lane: data.lane ?? old?.lane ?? 0, at: fact.at };
    return { ...run, lane: Math.max(run.lane ?? 0, data.lane ?? 0), items: { ...run.items, [data.item_id]: item } };
  },
};

/** Reports whether a run executes lanes, as far as its facts show. */
export const hasLanes = (progress, runId) => Object.keys(progress.runs[runId]?.items ?? {}).length > 0;

/**
 * State of an item for its card. Besides statuses of runs: `idle` (its turn has not come), `waiting` (its lane
 * has started, and it waits for others), `asks` (its run asks the person), `unreached` (the run ended before).
 */
export function itemState(progress, runId, itemId, lane = null) {
  const run = progress.runs[runId];
  const item = run?.items[itemId];
  // In a started lane, the remaining items wait.
  const entered = run?.outcome === null && lane !== null && lane === run.lane && Object.keys(run.items).length > 0;
  const over = run?.outcome !== null && run?.outcome !== undefined;
  if (!item) return { status: entered ? 'waiting' : over ? 'unreached' : 'idle', runId: null, attempt: null, error: null, input: null, vars: null, response: null };
  const child = progress.runs[item.runId] ?? null;
  const live = item.status === 'running' ? { waiting: 'asks', paused: 'paused', queued: 'running' }[child?.status] : null;
  return {
    status: live ?? item.status, runId: item.runId, attempt: item.attempt,
    error: item.error ?? child?.error ?? null, input: child?.input ?? null, vars: child?.vars ?? null, response: child?.response ?? null,
    startedAt: child?.startedAt ?? null, endedAt: child?.endedAt ?? null,
  };
}

/** Returns the run and its ancestors, the root first. */
export function pathTo(progress, runId) {
  const path = [];
  for (let id = runId; id && progress.runs[id] && !path.includes(id); id = progress.runs[id].parent) path.unshift(id);
  return path;
}

/** Reports whether a run is another one or below it. */
export const isWithin = (progress, runId, above) => runId === above || pathTo(progress, runId).includes(above);
