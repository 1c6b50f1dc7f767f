// Edits of plans and cancellations of background tasks: requests, and reports of refusals.  // S2.1, S4.17
import test from 'node:test';
import assert from 'node:assert/strict';
import { PlanActions } from '../../static/plan/plan_actions.js';
import { isFolded } from '../../static/question/questions.js';
import { emptyRun, reduceRun } from '../../static/run_state/run.js';
import { ROOT } from './facts.mjs';
import { before, item, planned } from './planned.mjs';

/** Service that gives these replies in order; `sent` has the requests. */
function service(...answers) {
  const sent = [];
  globalThis.fetch = async (path, options) => {
    sent.push([options.method ?? 'GET', path, options.headers['if-match'] ?? null, options.body ? JSON.parse(options.body) : null]);
    const [status, body] = answers.shift();
    return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
  };
  return sent;
}

function planning() {
  const reported = { notices: [], answers: [] };
  return [new PlanActions({ changed() {}, notice: (error) => reported.notices.push(error.code), answer: (...answer) => reported.answers.push(answer) }), reported];
}

const change = ({ intents }, op, ...args) => intents.changePlan({ op, args });

test('a plan is changed with the version that was read, then approved', async () => {
  const sent = service([200, { items: before, version: 'v1' }], [202, {}]);
  const [plan, reported] = planning();
  await plan.intents.editPlan({ run: ROOT, approves: 'q1' });
  change(plan, 'reword', 'p2', { description: 'Put the red lamp into the cart' });
  await plan.intents.savePlan();
  assert.deepEqual(sent[1].slice(0, 3), ['PUT', `/api/runs/${ROOT}/plan`, '"v1"']);
  assert.deepEqual(sent[1][3].items.map(({ description }) => description), ['Open the list of lamps', 'Put the red lamp into the cart', 'Order it']);
  assert.deepEqual(reported, { notices: [], answers: [['q1', { confirmed: true }]] });
  assert.equal(plan.view.planning.draft, null);
});

test('an item that was added and left empty is told at its field, and the plan is not approved', async () => {
  const sent = service([200, { items: before, version: 'v1' }]);
  const [plan, reported] = planning();
  await plan.intents.editPlan({ run: ROOT, approves: 'q1' });
  change(plan, 'add');
  await plan.intents.savePlan();
  assert.deepEqual(plan.view.planning.faults, { n1: 'empty' });
  assert.equal(plan.view.planning.draft.items.length, before.length + 1);
  assert.deepEqual([sent.length, reported.answers], [1, []]);
});

test('while a plan is changed a question is folded to its heading, until it is unfolded', async () => {
  service([200, { items: before, version: 'v1' }]);
  const [plan] = planning();
  const question = { reference: 'q7' };
  const folded = (more) => isFolded({ planning: plan.view.planning, question, questionReadonly: false, ...more });
  assert.equal(folded(), false);
  await plan.intents.editPlan({ run: ROOT });
  assert.equal(folded(), true);
  assert.equal(folded({ questionReadonly: true }), false);
  plan.intents.foldQuestion({ reference: 'q7' });
  assert.equal(folded(), false);
  assert.equal(folded({ question: { reference: 'q8' } }), true, 'the next one takes no room either');
  plan.intents.foldQuestion({ reference: null });
  assert.equal(folded(), true);
  plan.intents.dropPlan();
  assert.equal(folded(), false);
});

test('nothing is sent where nothing was changed, and a plan with faults is not sent', async () => {
  const sent = service([200, { items: before, version: 'v1' }], [200, { items: before, version: 'v1' }]);
  const [plan] = planning();
  await plan.intents.editPlan({ run: ROOT });
  await plan.intents.savePlan();
  assert.equal(plan.view.planning.draft, null);
  await plan.intents.editPlan({ run: ROOT });
  change(plan, 'reword', 'p1', { description: ' ' });
  await plan.intents.savePlan();
  assert.deepEqual(plan.view.planning.faults, { p1: 'empty' });
  change(plan, 'reword', 'p1', { description: 'x' });
  assert.deepEqual(plan.view.planning.faults, {}, 'what was mended is told no more');
  assert.deepEqual(sent.map(([method]) => method), ['GET', 'GET']);
});

test('a plan that became another one meanwhile is told, and nothing that was written is lost', async () => {
  const now = [{ ...before[0], status: 'succeeded' }, item(2, 'Sign in'), { ...before[1], position: 3 }, { ...before[2], position: 4 }];
  const sent = service([200, { items: before, version: 'v1' }], [412, { code: 'changed', detail: '' }], [200, { items: now, version: 'v2' }], [202, {}]);
  const [plan, reported] = planning();
  await plan.intents.editPlan({ run: ROOT });
  change(plan, 'reword', 'p3', { description: 'Order two' });
  await plan.intents.savePlan();
  assert.equal(plan.view.planning.changed, true);
  assert.deepEqual(reported.notices, []);
  await plan.intents.savePlan();
  assert.equal(sent[3][2], '"v2"');
  assert.deepEqual(sent[3][3].items.map(({ position, description }) => [position, description]), [[1, 'Open the list of lamps'], [2, 'Sign in'], [3, 'Put the blue lamp into the cart'], [4, 'Order two']]);
  assert.equal(plan.view.planning.draft, null);
});

test('what is refused is told, and the edit stays', async () => {
  service([200, { items: before, version: 'v1' }], [409, { code: 'busy', detail: 'the run has ended' }]);
  const [plan, reported] = planning();
  await plan.intents.editPlan({ run: ROOT });
  change(plan, 'remove', 'p3');
  await plan.intents.savePlan();
  assert.deepEqual(reported.notices, ['busy']);
  assert.equal(plan.view.planning.draft.items.length, 2);
  const ended = [...planned, { type: 'run_ended', run_id: ROOT, root_run_id: ROOT, seq: 99, outcome: 'succeeded', vars: {} }].reduce(reduceRun, emptyRun());
  plan.update({ current: ROOT, liveRun: ended, question: null });
  assert.equal(plan.view.planning.draft, null, 'a run that has ended has nothing to change');
});

test('background work is ended once; that it has just ended by itself is no fault', async () => {
  const sent = service([202, {}], [409, { code: 'busy', detail: 'it has already ended' }], [404, { code: 'unknown_task', detail: '' }]);
  const [plan, reported] = planning();
  const ends = plan.intents.endTask({ id: 'build 1' });
  assert.ok(plan.view.ending.has('build 1'));
  await ends;
  await plan.intents.endTask({ id: 'b' });
  await plan.intents.endTask({ id: 'c' });
  assert.deepEqual(sent[0].slice(0, 2), ['POST', '/api/tasks/build%201/cancel']);
  assert.deepEqual(reported.notices, ['unknown_task']);
  assert.deepEqual([...plan.view.ending], ['build 1']);
});
