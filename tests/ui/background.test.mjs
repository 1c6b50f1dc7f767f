// Background tasks, and the used part of the budget.  // S4.12, S4.16, S4.25
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { named, within } from './page.mjs';
import { ROOT, event, story } from './facts.mjs';
import { done, planned } from './planned.mjs';
import { emptyRun, reduceRun } from '../../static/run_state/run.js';
import { displayOf, labelOf, activeTasks, progressOf, secondsToGo } from '../../static/background_tasks/tasks.js';
import { meters } from '../../static/run/limit_meters.js';
import { withoutTasks } from '../../static/run_state/view.js';
import { amount } from '../../static/shared/text/format.js';
import { isResting, withWaiting } from '../../static/shared/run_status.js';
import { drawEntry } from '../../static/chat/entry.js';
import { budgetCard } from '../../static/question/plan_cards.js';
import { translator } from '../../static/shared/text/locale.js';

const en = translator(JSON.parse(readFileSync(new URL('../../static/locales/en.json', import.meta.url), 'utf8')), 'en');
const later = (...facts) => story(...facts).map((fact, at) => ({ ...fact, seq: 50 + at, at: '2025-01-01T12:05:00.000Z' }));
const fold = (...facts) => [...planned, ...later(...facts)].reduce(reduceRun, emptyRun());

test('what goes on in the background is there with its id as soon as it has begun, and goes when it has ended', () => { // S4.16
  assert.deepEqual(activeTasks(fold().tasks).map(({ taskId }) => taskId), ['build-1', 'watch-1']);
  assert.deepEqual(activeTasks(fold(done({ success: true })).tasks).map(({ taskId }) => taskId), ['watch-1']);
  assert.deepEqual(activeTasks(fold({ type: 'run_ended', outcome: 'cancelled', final_response: null, vars: {} }).tasks), []);
});

test('a bar or a line, as the hint asks; whoever asks for neither gets a line', () => { // S4.12, S4.25
  const { 'build-1': build, 'watch-1': watch } = fold().tasks;
  assert.deepEqual([build, watch, { ...watch, display: null }, { ...watch, display: { type: 'confetti', label: '' } }].map(displayOf), ['progress_bar', 'status_message', 'status_message', 'status_message']);
  assert.equal(labelOf(build, en), 'Building the report');
  assert.equal(labelOf({ ...build, display: null }, { ...en, agent: (name) => name.toUpperCase() }), 'BUILD');
});

test('the estimate moves a bar between two facts, a little, and never to its end', () => { // S4.12
  const task = fold().tasks['build-1'];
  const reportedAt = Date.parse(task.toldAt);
  assert.equal(progressOf(task, reportedAt), 0.4);
  assert.equal(progressOf(task, reportedAt - 60_000), 0.4, 'a clock that goes wrong takes nothing back');
  assert.equal(progressOf(task, reportedAt + 5_000).toFixed(2), '0.45');
  assert.equal(progressOf(task, reportedAt + 3_600_000), 0.5);
  assert.equal(progressOf({ ...task, progress: 0.97 }, reportedAt + 3_600_000), 0.99);
  assert.equal(progressOf({ ...task, progress: null, display: null }, reportedAt), null);
  assert.equal(progressOf({ ...task, status: 'succeeded' }, reportedAt), 1);
  assert.equal(secondsToGo(task, Date.parse('2025-01-01T12:01:00.000Z')), 40);
  assert.equal(secondsToGo(task, Date.parse('2025-01-01T13:00:00.000Z')), null);
});

test('the talk tells of its beginning and of its end, with what came of it', () => {
  const line = (run) => { const entry = run.entries.find(({ key }) => key === 'task:build-1'); return [run.entries.indexOf(entry), drawEntry(entry, en)]; };
  const [at, begun] = line(fold());
  assert.equal(begun.textContent, 'Running in the background: Building the report');
  const [same, ended] = line(fold(done({ success: true, tool: 'build', attempt: 1, file: 'report.pdf' })));
  assert.equal(same, at);
  assert.ok(ended.textContent.startsWith('Finished in the background: Building the report'));
  assert.ok(ended.textContent.includes('report.pdf') && ended.textContent.includes('build-1') && !ended.textContent.includes('attempt'));
  const failed = event('task', { task_id: 'build-1', action_id: 'a3', agent: 'build', status: 'failed', result: { success: false, error: 'no such folder', error_type: 'io', retries: 3 } });
  assert.ok(line(fold(failed))[1].textContent.includes('no such folder'));
});

test('a call that goes on in the background is one line of the talk, and its inner steps are none', () => {
  const root = [
    event('action_started', { action_id: 'b1', action: 'build', params: { what: 'it' } }),
    event('task', { task_id: 'b1', action_id: 'b1', agent: 'build', status: 'running', child_run_id: 'c9', display: null }),
    { type: 'run_started', run_id: 'c9', parent_run_id: ROOT, root_run_id: ROOT, agent: 'build', input: { what: 'it' } },
    { type: 'agent_message', run_id: 'c9', root_run_id: ROOT, text: 'forty pages', final: true },
    { type: 'run_ended', run_id: 'c9', root_run_id: ROOT, outcome: 'succeeded', final_response: 'forty pages', vars: {} },
    event('action_finished', { action_id: 'b1', action: 'build', ok: true, took_ms: 9, dropped: [] }),
    event('task', { task_id: 'b1', action_id: 'b1', agent: 'build', status: 'succeeded', result: { success: true } }),
  ];
  const run = fold(...root);
  const shown = withoutTasks(run.entries, run.tasks, run.progress).filter(({ seq }) => seq >= 50);
  assert.deepEqual(shown.map(({ kind, task }) => [kind, task?.status]), [['task', 'succeeded']]);
  const plain = emptyRun();
  assert.equal(withoutTasks(plain.entries, plain.tasks, plain.progress), plain.entries, 'nothing is made anew where there is nothing to hide');
});

test('a run that waits for what it has begun waits for nobody', () => {
  assert.deepEqual([['waiting', false], ['waiting', true], ['running', false]].map(([status, asking]) => isResting(status, asking)), [true, false, false]);
  const roots = [{ run_id: 'a', status: 'waiting', question: null }, { run_id: 'b', status: 'waiting', question: 'q' }, { run_id: 'c', status: 'waiting', question: null }];
  assert.deepEqual(withWaiting(roots, [{ run_id: 'a', root_run_id: 'a', question: null }, { run_id: 'x', root_run_id: 'c', question: 'q2' }]).map(({ status }) => status), ['resting', 'waiting', 'waiting']);
});

test('tokens and money are counted against what may be used, with a warning at 80 %', () => {
  const limits = { tokens: 50_000, money: null };
  assert.deepEqual(meters(fold(), limits), { tokens: { used: 41_000, most: 50_000, part: 0.82, warns: true }, money: { used: 0.12, most: null, part: null, warns: false } });
  assert.equal(meters(fold(), { tokens: 90_000, money: 2 }).money.part, 0.06);
  const call = (cost) => event('usage', { role: 'planner', model: 'm', input_tokens: 0, cached_tokens: 0, output_tokens: 0, cost });
  const { usage } = fold(call(null), call(0.5));
  assert.deepEqual([usage.cost, usage.unpriced, usage.calls], [0.62, 1, 3], 'what nobody knows is not nothing');
  assert.deepEqual([amount('money', 1.5, { ...en, locale: 'en', currency: 'EUR' }), amount('money', 1.5, { ...en, locale: 'en', currency: 'credits' })], ['€1.50', '1.5 credits']);
  const budgetQuestion = { type: 'agent_question', reference: 'q9', kind: 'budget', text: 'May it go on?', payload: { limit: 'tokens', used: 50_100, most: 50_000 }, on_expire: 'exhausted' };
  const answer = (confirmed) => ({ type: 'question_resolved', reference: 'q9', by: 'user', answer: { confirmed } });
  assert.equal(meters(fold(budgetQuestion, answer(true)), limits).tokens.most, 100_000);
  assert.equal(meters(fold(budgetQuestion, answer(false)), limits).tokens.most, 50_000);
  const warned = fold().entries.find(({ kind }) => kind === 'budget');
  assert.equal(drawEntry(warned, en).textContent, '82% of the token limit used: 41K of 50K');
});

test('a budget that is used up is given again, or the run ends', () => {
  const question = { reference: 'q9', runId: ROOT, kind: 'budget', text: 'The tokens are used up.', reason: '', payload: { limit: 'money', used: 1.5, most: 1.5 }, remember: ['once'] };
  const answers = [];
  const card = within(budgetCard(question, en, { count: 1, readonly: false, answer: (fields) => answers.push(fields), status: null, countdown: null }));
  const meter = card.all.find(({ attributes }) => attributes.role === 'meter');
  assert.equal(meter.attributes['aria-label'], 'Spent: $1.50 of $1.50');
  assert.equal(meter.children[0].style.cssText, 'inline-size: 100.0%', 'as an attribute the policy would refuse it');
  for (const id of ['approve', 'deny']) named(card, id).dispatchEvent(new CustomEvent('click'));
  assert.deepEqual(answers, [{ confirmed: true }, { confirmed: false }]);
});

test('thoughts tell what they are about, what they expect and how sure they are', () => {
  const action = fold().entries.find(({ kind }) => kind === 'action');
  const words = drawEntry(action, en).textContent;
  for (const part of ['item 1', '80% confident', 'Expects: a list of lamps']) assert.ok(words.includes(part), `${part} in ${words}`);
});

test('a summary is one quiet line, and what it says unfolds', () => {
  const words = drawEntry(fold().entries.find(({ kind }) => kind === 'compacted'), en).textContent;
  assert.equal(words, '40 earlier entries were condensed into a summaryThe person wants a blue lamp.');
});
