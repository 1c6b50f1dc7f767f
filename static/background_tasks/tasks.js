// Background tasks of a run tree: a pure fold over its facts, with an estimate of progress between them.
//
//   tasks[task id] = { taskId, runId, actionId, agent, status, progress, display, result, childRunId, startedAt, toldAt, at }

import { isActive } from '../shared/run_status.js';

export const noTasks = Object.freeze({});

export function reduceTasks(tasks, fact) {
  if (fact.type === 'run_ended') return stopTasks(tasks, fact);
  if (fact.type !== 'event' || fact.event !== 'task') return tasks;
  const data = fact.data ?? {};
  const old = tasks[data.task_id];
  const reported = Number.isFinite(data.progress) ? data.progress : null;
  const task = {
    taskId: data.task_id, runId: fact.run_id, actionId: data.action_id ?? old?.actionId ?? '', agent: data.agent ?? old?.agent ?? '',
    status: statusOf(data.status), progress: reported ?? old?.progress ?? null, display: data.display ?? old?.display ?? null,
    result: data.result ?? old?.result ?? null, childRunId: data.child_run_id ?? old?.childRunId ?? null,
    startedAt: data.started_at ?? old?.startedAt ?? null, toldAt: fact.at, at: old?.at ?? fact.at,
  };
  return { ...tasks, [data.task_id]: task };
}

const WORDS = { TASK_STARTED: 'running', EXECUTING: 'running', SUCCESS: 'succeeded', ERROR: 'failed' };
const statusOf = (status) => WORDS[status] ?? status ?? 'running';

// Stops all tasks of a run that has ended.
function stopTasks(tasks, fact) {
  const left = Object.values(tasks).filter((task) => task.runId === fact.run_id && isActive(task.status));
  if (left.length === 0) return tasks;
  return { ...tasks, ...Object.fromEntries(left.map((task) => [task.taskId, { ...task, status: 'cancelled', toldAt: fact.at }])) };
}

/** Returns active tasks, the oldest first. */
export const activeTasks = (tasks) => Object.values(tasks).filter(({ status }) => isActive(status));

/** Returns `progress_bar` or `status_message`, which also stands for any other value. */
export const displayOf = (task) => (task.display?.type === 'progress_bar' ? 'progress_bar' : 'status_message');

export const labelOf = (task, t) => task.display?.label || t.agent(task.agent ?? '') || task.taskId;

const AHEAD = 0.1; // maximum advance of the estimate over the reported progress
const MOST = 0.99; // maximum of the estimate; only the service reports completion

/** Returns progress from 0 to 1; null if unknown. */
export function progressOf(task, nowMs) {
  if (!isActive(task.status)) return task.status === 'succeeded' ? 1 : task.progress;
  const estimate = task.display?.estimated_duration_seconds;
  if (!(estimate > 0)) return task.progress === null ? null : Math.min(MOST, task.progress);
  if (task.status !== 'running') return Math.min(MOST, task.progress ?? 0);
  const since = Math.max(0, nowMs - Date.parse(task.toldAt)) / 1000;
  return Math.min(MOST, (task.progress ?? 0) + Math.min(AHEAD, since / estimate));
}

/** Returns the remaining seconds by its estimate; null without one or if it has passed. */
export function secondsToGo(task, nowMs) {
  const estimate = task.display?.estimated_duration_seconds;
  if (task.status !== 'running' || !(estimate > 0) || !task.startedAt) return null;
  const left = estimate - (nowMs - Date.parse(task.startedAt)) / 1000;
  return left > 0 ? Math.ceil(left) : null;
}

/** Returns the result: { text } or { error }. */
export function outcomeOf(task) {
  const { result } = task;
  if (result === null || typeof result !== 'object') return { value: result, error: null };
  const { error = null, success, tool, attempt, retries, error_type: type, ...rest } = result;
  return { value: Object.keys(rest).length ? rest : null, error: typeof error === 'string' ? error : error?.message ?? null };
}
