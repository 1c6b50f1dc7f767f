// Content of a run's board: the lanes of the nearest run with lanes, from the run in view upwards. For a single
// step, its inputs and outputs. Null for a conversation.

import { hasLanes, isWithin } from './lane_progress.js';
import { isActive } from '../../shared/run_status.js';
import { kindOf } from '../../agents/spec/spec.js';
import { specOfItems } from './orchestration.js';

/**
 * `agentsState`: agents and their specs; `watched`: 'board', 'page' or null; `version`: agent version of the
 * task.
 */
export function boardOf(run, child, agentsState, watched, version = null) {
  const focus = run?.progress.runs[child] ? child : run?.runId;
  const runId = withLanes(run, focus, agentsState.agents.items ?? []);
  if (!runId) return run?.runId && !acceptsMessages(run, agentsState.agents.items) ? { runId: run.runId, focus: run.runId, spec: null, isSingle: true, progress: run.progress, watch: 'board', hasPage: false } : null;
  const hasPage = run.live.url !== null || run.live.shots.length > 0;
  const ofPage = focus !== runId && hasPage && pageIn(run, focus);
  const watch = hasPage ? watched ?? (ofPage ? 'page' : 'board') : 'board';
  return { runId, focus, spec: specOf(run.progress.runs[runId], agentsState, runId === run.runId ? version : null), progress: run.progress, watch, hasPage };
}

/** Reports whether the agent of the open run accepts messages: conversations do, lanes and single steps do not. */
export function acceptsMessages(run, agents) {
  const agent = (agents ?? []).find(({ name }) => name === run?.agent);
  return agent ? agent.converses ?? kindOf(agent) === 'browser' : !run || !hasLanes(run.progress, run.runId);
}

/** Returns the content beside the transcript: 'board', 'page', or 'none' for a conversation without a page. */
export function sideContent(board, run, agents) {
  if (board) return board.watch;
  const agent = (agents ?? []).find(({ name }) => name === run?.agent);
  if (run === null || run.live.url !== null || run.live.file !== null || run.live.shots.length > 0) return 'page';
  return (agent && kindOf(agent) !== 'browser') || (run.outcome && !isActive(run.status)) ? 'none' : 'page';
}

/** Returns the spec to draw. An orchestration has no file: each of its started steps is a lane. */
function specOf(found, agentsState, version) {
  const agent = (agentsState.agents.items ?? []).find(({ name }) => name === found.agent);
  return kindOf(agent) === 'orchestration' ? specOfItems(found) : agentsState.specOf(found.agent, version);
}

function withLanes(run, from, agents) {
  const { runs } = run?.progress ?? { runs: {} };
  for (let id = from; runs[id]; id = runs[id].parent) {
    const agent = agents.find(({ name }) => name === runs[id].agent);
    if (hasLanes(run.progress, id) || ['lanes', 'orchestration'].includes(kindOf(agent))) return id;
  }
  return null;
}

// Reports whether a run within `focus` has an observation.
const pageIn = (run, focus) => run.entries.some((entry) => entry.kind === 'observation' && isWithin(run.progress, entry.runId, focus));
