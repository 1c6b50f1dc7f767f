// Plan of a run: display and edits.  // S2.1, S2.7
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { make, named, within } from './page.mjs';
import { ROOT, event, story } from './facts.mjs';
import { after, before, item, planned } from './planned.mjs';
import { emptyRun, reduceRun } from '../../static/run_state/run.js';
import { currentOf, doneOf, planOf } from '../../static/plan/plan.js';
import * as edit from '../../static/plan/plan_edit.js';
import { drawEntry } from '../../static/chat/entry.js';
import { approveCard } from '../../static/question/plan_cards.js';
import { planItem } from '../../static/plan/plan_item.js';
import { translator } from '../../static/shared/text/locale.js';

const load = (locale) => translator(JSON.parse(readFileSync(new URL(`../../static/locales/${locale}.json`, import.meta.url), 'utf8')), locale);
const [en, uk] = ['en', 'uk'].map(load);
const fold = (facts) => facts.reduce(reduceRun, emptyRun());

test('a fresh plan takes the place of the older one, and the talk has a line for each other plan', () => {
  const run = fold(planned);
  assert.deepEqual(planOf(run).items.map(({ description }) => description), after.map(({ description }) => description));
  const lines = run.entries.filter(({ kind }) => kind === 'plan').map((entry) => drawEntry(entry, en).textContent);
  assert.deepEqual(lines, ['Made a plan with 3 items', 'Changed the plan: 5 items']); // S2.13
  assert.equal(planOf(fold([...planned, ...story(event('plan', { items: [] })).map((fact) => ({ ...fact, seq: 99 }))])), null);
  assert.equal(planOf(emptyRun()), null);
});

test('the plan of a child is its own', () => {
  const child = { ...story(event('plan', { items: before }))[0], run_id: 'c1', seq: 99 };
  const run = fold([...planned, child]);
  assert.equal(planOf(run).items.length, 5);
  assert.equal(planOf(run, 'c1').items.length, 3);
});

test('what is worked at is under way, or next by its dependencies and attempts', () => {
  assert.equal(currentOf(after).position, 2);
  assert.equal(doneOf(after), 1);
  assert.equal(currentOf([item(1, 'a', { status: 'failed', attempts: 3 }), item(2, 'b'), item(3, 'c', { dependencies: [] })]).position, 3);
  assert.equal(currentOf([item(1, 'a', { status: 'failed', attempts: 2 })]).position, 1);
  assert.equal(currentOf([item(1, 'a', { status: 'succeeded' })]), null);
});

test('statuses in capitals are read as well', () => {
  const run = fold(story({ type: 'run_started', agent: 'a', input: {} }, event('plan', { items: [{ position: 1, description: 'x', status: 'COMPLETED' }, { position: 2, description: 'y' }] })));
  assert.deepEqual(planOf(run).items.map(({ status }) => status), ['succeeded', 'queued']);
});

test('an item tells what it was judged by, and why', () => {
  const draw = (one, t = en) => planItem(t, one, { current: false, live: true, all: after });
  const good = draw(after[0]).textContent;
  for (const words of ['Accepted by the judging model', 'the list shows twelve lamps', 'shop.test/lamps?sort=price', 'Lamps, sorted by price', 'Done when', 'click']) assert.ok(good.includes(words), `${words} in ${good}`);
  const picture = draw(after[0]).all.find(({ tag }) => tag === 'img');
  assert.equal(picture.attributes.src, `/api/runs/${ROOT}/pictures/1`);
  const bad = draw({ ...after[1], status: 'failed' }, uk).textContent;
  for (const words of ['Не прийнято перевірками сервісу', 'спроба 2 з 3', 'Чекає на']) assert.ok(bad.includes(words), `${words} in ${bad}`);
  const sly = draw(item(1, 'x', { evidence: { accepted: true, by: 'judge', why: '', url: 'javascript:alert(1)' } }));
  assert.equal(sly.all.some(({ tag }) => tag === 'a'), false, 'only pages can be opened');
});

const open = (items = after) => edit.draftOf({ items, version: 'v1' });
const words = (draft) => edit.toItems(draft).map(({ description, dependencies }) => [description, dependencies]);

test('a plan is reworded, added to, shortened and put in another order, and what waits for what goes along', () => {
  let draft = open(before);
  draft = edit.reword(draft, 'p2', { description: 'Put the red lamp into the cart ' });
  draft = edit.add(draft);
  draft = edit.reword(draft, 'n1', { description: 'Ask for a receipt' });
  draft = edit.moveTo(draft, 'n1', 1);
  draft = edit.toggleNeed(draft, 'p3', 'n1');
  assert.deepEqual(words(draft), [['Open the list of lamps', []], ['Ask for a receipt', []], ['Put the red lamp into the cart', [1]], ['Order it', [2, 3]]]);
  assert.deepEqual(edit.toItems(draft).map(({ position }) => position ?? null), [1, null, 2, 3]);
  draft = edit.remove(draft, 'p2');
  assert.deepEqual(words(draft).at(-1), ['Order it', [1, 2]], 'it waits for what that had waited for');
  assert.deepEqual(words(edit.moveBy(draft, 'p3', -9))[0][0], 'Order it');
  assert.ok(!edit.isSame(open(before), edit.add(open(before))), 'a line that was begun is a change');
  assert.ok(!edit.isSame(open(before), draft));
});

test('what is done stays as it is, and nothing waits in a circle', () => {
  const draft = open();
  for (const same of [edit.reword(draft, 'p1', { description: 'x' }), edit.remove(draft, 'p1'), edit.moveBy(draft, 'p1', 1)]) assert.ok(edit.isSame(same, draft));
  assert.deepEqual([['p2', 'p4'], ['p3', 'p5'], ['p4', 'p4']].map(([id, other]) => edit.mayNeed(draft, id, other)), [true, false, false]);
});

test('what is missing or too long is told at its place', () => {
  let draft = edit.reword(open(before), 'p1', { description: ' ' });
  draft = edit.reword(draft, 'p2', { criteria: 'x'.repeat(1001) });
  assert.deepEqual(edit.faultsOf(edit.add(draft)), { p1: 'empty', p2: 'long', n1: 'empty' });
  // Texts up to the limit of the service; completed items are not checked.
  draft = edit.reword(open(before), 'p1', { description: 'ї'.repeat(1000) });
  assert.deepEqual(edit.faultsOf(draft), {});
  draft = open();
  draft = { ...draft, items: draft.items.map((item) => ({ ...item, description: 'x'.repeat(1001) })) };
  const all = draft.items.filter(({ done }) => !done).map(({ id }) => [id, 'long']);
  assert.ok(all.length < draft.items.length);
  assert.deepEqual(edit.faultsOf(draft), Object.fromEntries(all));
});

test('wishes for a plan that has become another one meanwhile are kept and lose nothing that is done', () => {
  const base = open(before);
  let draft = edit.reword(base, 'p3', { description: 'Order two of them' });
  draft = edit.reword(edit.add(draft), 'n1', { description: 'Ask for a receipt' });
  draft = edit.toggleNeed(draft, 'n1', 'p3');
  draft = edit.remove(draft, 'p2');
  const now = [{ ...before[0], status: 'succeeded' }, item(2, 'Sign in', { dependencies: [] }), { ...before[1], position: 3 }, { ...before[2], position: 4, dependencies: [3] }];
  const mine = edit.rebaseDraft(draft, base, { items: now, version: 'v2' });
  assert.equal(mine.version, 'v2');
  assert.deepEqual(edit.toItems(mine), [
    { position: 1, description: 'Open the list of lamps', acceptance_criteria: 'Open the list of lamps is seen', dependencies: [] },
    { position: 2, description: 'Sign in', acceptance_criteria: 'Sign in is seen', dependencies: [] },
    { position: 4, description: 'Order two of them', acceptance_criteria: 'Order it is seen', dependencies: [1] },
    { description: 'Ask for a receipt', acceptance_criteria: '', dependencies: [3] },
  ]);
});

test('a plan is approved, changed first, or declined with words', () => {
  const question = { reference: 'q1', runId: ROOT, kind: 'approve_plan', text: 'Shall it be done like this?', reason: '', payload: { items: before }, remember: ['once'] };
  const answers = [];
  const parts = { count: 1, readonly: false, answer: (fields) => answers.push(fields), status: null, countdown: null };
  const card = within(approveCard(question, en, parts));
  for (const { description } of before) assert.ok(card.textContent.includes(description));
  const asked = [];
  named(card, 'plan-change').addEventListener('intent', ({ detail }) => asked.push(detail));
  for (const id of ['approve', 'deny', 'plan-change']) named(card, id).dispatchEvent(new CustomEvent('click'));
  assert.deepEqual(answers, [{ confirmed: true }, { confirmed: false }]);
  assert.deepEqual(asked, [{ name: 'editPlan', run: ROOT, approves: 'q1' }]);
  assert.equal(named(card, 'approve').attributes['aria-keyshortcuts'], 'a');
  assert.ok(named(card, 'instead-text'));
  assert.equal(named(within(approveCard(question, en, { ...parts, readonly: true })), 'approve'), null);
});
