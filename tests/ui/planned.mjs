// Facts of a run with everything: plan with evidence, failed attempt, new plan, background task, thoughts,
// budget and summary.

import { ROOT, event, story } from './facts.mjs';

export const item = (position, description, fields = {}) => ({
  position, description, acceptance_criteria: `${description} is seen`, dependencies: position > 1 ? [position - 1] : [], status: 'queued',
  chosen_tool: null, tool_input: null, execution_result: null, attempts: 0, max_attempts: 3, evidence: null, ...fields,
});

const seen = { accepted: true, by: 'judge', why: 'the list shows twelve lamps', url: 'http://shop.test/lamps?sort=price', picture: `/api/runs/${ROOT}/pictures/1`, text: 'Lamps, sorted by price\nBlue lamp, ₴1,360' };
const refused = { accepted: false, by: 'predicates', why: 'the page does not show "In your cart"', url: 'http://shop.test/lamps/blue', picture: null, text: null };

const first = item(1, 'Open the list of lamps', { status: 'succeeded', attempts: 1, chosen_tool: 'click', execution_result: { url: 'http://shop.test/lamps' }, evidence: seen });
const second = item(2, 'Put the blue lamp into the cart', { status: 'failed', attempts: 2, chosen_tool: 'click', evidence: refused });

export const before = [item(1, 'Open the list of lamps'), item(2, 'Put the blue lamp into the cart'), item(3, 'Order it')];

export const after = [first, { ...second, status: 'running' }, item(3, 'Compare the price with another shop', { dependencies: [1] }), item(4, 'Fill in the address'), item(5, 'Place the order')];

const task = (status, fields = {}) => event('task', {
  task_id: 'build-1', action_id: 'a3', agent: 'build', status, display: { type: 'progress_bar', label: 'Building the report', estimated_duration_seconds: 100 }, child_run_id: 'c1', started_at: '2025-01-01T12:00:00.000Z', ...fields,
});

export const planned = story(
  { type: 'run_started', agent: 'browser', input: { text: 'Order a blue lamp' } },
  { type: 'status', status: 'running', node: 'plan_action' },
  event('plan', { items: before }),
  event('thought', { type: 'DECISION', content: 'The list is one click away.', step_ref: 1, expected_outcome: 'a list of lamps', confidence: 0.8 }),
  event('action_started', { action_id: 'a1', action: 'click', params: {}, target: { role: 'link', name: 'Lamps' } }),
  event('action_finished', { action_id: 'a1', action: 'click', ok: true, took_ms: 90, dropped: [] }),
  event('plan', { items: [first, ...before.slice(1)] }),
  event('plan', { items: [first, second, before[2]] }),
  event('plan', { items: after }),
  event('usage', { role: 'planner', model: 'm', input_tokens: 40_000, cached_tokens: 100, output_tokens: 1_000, cost: 0.12 }),
  event('budget', { limit: 'tokens', used: 41_000, most: 50_000 }),
  event('compacted', { entries: 40, summary: 'The person wants a blue lamp.' }),
  task('running', { progress: 0 }),
  event('task', { task_id: 'watch-1', action_id: 'a4', agent: 'watch', status: 'running', display: { type: 'status_message', label: 'Watching the price', estimated_duration_seconds: null } }),
  task('running', { progress: 0.4 }),
);

export const done = (result) => task('succeeded', { progress: 1, result });
