// What goes on in the background: a pure fold over the facts of a run tree, and
// how far a task is between two of them.
//
//   tasks[task id] = { taskId, runId, actionId, agent, status, progress, display, result, childRunId, startedAt, toldAt, at }

import { isActive } from '../shared/run_status.js';

export const noTasks = Object.freeze({});

export function reduceTasks(tasks, fact) {
  if (fact.type === 'run_ended') return stopped(tasks, fact);
  if (fact.type !== 'event' || fact.event !== 'task') return tasks;
  const data = fact.data ?? {};
  const old = tasks[data.task_id];
  const told = Number.isFinite(data.progress) ? data.progress : null;
  const task = {
    taskId: data.task_id, runId: fact.run_id, actionId: data.action_id ?? old?.actionId ?? '', agent: data.agent ?? old?.agent ?? '',
    status: statusOf(data.status), progress: told ?? old?.progress ?? null, display: data.display ?? old?.display ?? null,
    result: data.result ?? old?.result ?? null, childRunId: data.child_run_id ?? old?.childRunId ?? null,
    startedAt: data.started_at ?? old?.startedAt ?? null, toldAt: fact.at, at: old?.at ?? fact.at,
  };
  return { ...tasks, [data.task_id]: task };
}

const WORDS = { TASK_STARTED: 'running', EXECUTING: 'running', SUCCESS: 'succeeded', ERROR: 'failed' };
const statusOf = (status) => WORDS[status] ?? status ?? 'running';

// Whatever a run began is over when the run is.
function stopped(tasks, fact) {
  const left = Object.values(tasks).filter((task) => task.runId === fact.run_id && isActive(task.status));
  if (left.length === 0) return tasks;
  return { ...tasks, ...Object.fromEntries(left.map((task) => [task.taskId, { ...task, status: 'cancelled', toldAt: fact.at }])) };
}

/** Those that are under way, the oldest first. */
export const living = (tasks) => Object.values(tasks).filter(({ status }) => isActive(status));

/** `progress_bar` or `status_message`; whatever else is asked for is shown as the latter. */
export const displayOf = (task) => (task.display?.type === 'progress_bar' ? 'progress_bar' : 'status_message');

export const labelOf = (task, t) => task.display?.label || t.agent(task.agent ?? '') || task.taskId;

const AHEAD = 0.1; // the estimate moves the bar on from what was told, so far and no further
const MOST = 0.99; // done is what is told to be done

/** How far it is, 0 to 1; null where nobody can say. */
export function progressOf(task, nowMs) {
  if (!isActive(task.status)) return task.status === 'succeeded' ? 1 : task.progress;
  const estimate = task.display?.estimated_duration_seconds;
  if (!(estimate > 0)) return task.progress === null ? null : Math.min(MOST, task.progress);
  if (task.status !== 'running') return Math.min(MOST, task.progress ?? 0);
  const since = Math.max(0, nowMs - Date.parse(task.toldAt)) / 1000;
  return Math.min(MOST, (task.progress ?? 0) + Math.min(AHEAD, since / estimate));
}

/** Seconds that it takes still, by its estimate; null where there is none or it has run out. */
export function secondsToGo(task, nowMs) {
  const estimate = task.display?.estimated_duration_seconds;
  if (task.status !== 'running' || !(estimate > 0) || !task.startedAt) return null;
  const left = estimate - (nowMs - Date.parse(task.startedAt)) / 1000;
  return left > 0 ? Math.ceil(left) : null;
}

/** What came of it, apart: { text } or { error }. */
export function outcomeOf(task) {
  const { result } = task;
  if (result === null || typeof result !== 'object') return { value: result, error: null };
  const { error = null, success, tool, attempt, retries, error_type: type, ...rest } = result;
  return { value: Object.keys(rest).length ? rest : null, error: typeof error === 'string' ? error : error?.message ?? null };
}
