// Task list: requests, effects of replies, and drawing of rows.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { within } from './page.mjs';
import { translator } from '../../static/shared/text/locale.js';
import { STATES, queryOf, isNarrowed, lacksSecret, errorsOf, toggleId, withRow, withoutRows } from '../../static/task_list/list_filter.js';
import { TaskListState } from '../../static/task_list/task_list_state.js';

const { runRow } = await import('../../static/task_list/task_row.js');

const en = translator(JSON.parse(readFileSync(new URL('../../static/locales/en.json', import.meta.url), 'utf8')), 'en');
const STATUSES = ['queued', 'running', 'waiting', 'paused', 'succeeded', 'partial', 'failed', 'skipped', 'cancelled', 'denied', 'blocked', 'exhausted'];

test('what is looked for is asked in the words of the service', () => {
  assert.deepEqual(queryOf({ query: '', state: 'all' }), {});
  assert.deepEqual(queryOf({ query: ' lamp ', state: 'done' }), { status: 'succeeded,partial', query: 'lamp' });
  assert.deepEqual(queryOf({ query: '', state: 'archived' }), { archived: 'true' });
  assert.deepEqual([isNarrowed({ query: ' ', state: 'all' }), isNarrowed({ query: '', state: 'failed' })], [false, true]);
  // Each status is in a state, and two states overlap only if one contains the other.
  const statuses = ['active', 'done', 'failed'].flatMap((state) => STATES[state].status.split(','));
  assert.deepEqual(statuses.toSorted(), STATUSES.toSorted());
});

test('rows are changed, taken out and picked without touching what is not theirs', () => {
  const rows = [{ run_id: 'a', title: '1' }, { run_id: 'b', title: '2' }];
  assert.deepEqual(withRow(rows, { run_id: 'b', title: '3' })[1], { run_id: 'b', title: '3' });
  assert.equal(withRow(rows, { run_id: 'c' }), rows);
  assert.deepEqual(withoutRows(rows, ['a', 'x']).map(({ run_id: id }) => id), ['b']);
  assert.equal(withoutRows(rows, ['x']), rows);
  assert.deepEqual([withRow(null, rows[0]), withoutRows(null, ['a'])], [null, null]);
  assert.deepEqual([toggleId(['a'], 'b'), toggleId(['a', 'b'], 'a')], [['a', 'b'], ['b']]);
});

test('a secret that was not kept has to be given again', () => {
  assert.equal(lacksSecret({ text: 'type •••• into Password' }), true);
  assert.equal(lacksSecret({ text: 'buy a lamp', n: 2, list: ['x'] }), false);
});

test('of several that could not be deleted each reason is told once', () => {
  const items = [{ deleted: true }, { deleted: false, code: 'busy', detail: 'd' }, { deleted: false, code: 'busy', detail: 'e' }, { deleted: false, code: 'unknown_run' }];
  assert.deepEqual(errorsOf({ items }), [{ code: 'busy', message: 'd' }]);
});

/** List with a service that gives these replies in order; `asked` has the requests. */
function started(context, answers, current = null) {
  const [asked, reported] = [[], { notices: [], messages: [], went: [], drafts: [], hints: [], filled: [] }];
  context.mock.method(globalThis, 'fetch', async (path, { method = 'GET', body } = {}) => {
    asked.push([method, path, body ? JSON.parse(body) : null]);
    const answer = answers.shift();
    return { ok: !answer?.code, status: answer?.code ? 409 : 200, headers: new Map(), json: async () => answer };
  });
  const serverLists = { runs: { items: [{ run_id: 'a', title: 'one', status: 'running' }, { run_id: 'b', title: 'two', status: 'succeeded' }], cursor: null, error: null, places: {} }, reload() {} };
  const list = new TaskListState({
    changed() {}, notice: (error) => reported.notices.push(error.code), hint: (key) => reported.hints.push(key), say: (text) => reported.messages.push(text), go: (hash) => reported.went.push(hash),
    words: () => en, draft: (text) => reported.drafts.push(text), fill: (given) => reported.filled.push(given), ask: (question) => { reported.asks = question; }, current: () => current, serverLists,
  });
  return { list, serverLists, asked, reported };
}

const settled = () => new Promise((done) => setImmediate(() => setImmediate(() => setImmediate(done))));

test('deleting leaves the task that is open, and takes it out of the list', async (context) => {
  const { list, serverLists, asked, reported } = started(context, [{ items: [{ run_id: 'a', deleted: true }] }], 'a');
  list.intents.askDelete({ ids: ['a'] });
  assert.deepEqual([reported.asks.ids, reported.asks.title, reported.asks.active], [['a'], 'one', 1]);
  list.intents.deleteTasks({ ids: ['a'] });
  await settled();
  assert.deepEqual(asked[0], ['POST', '/api/runs/delete', { ids: ['a'] }]);
  assert.deepEqual([serverLists.runs.items.map(({ run_id: id }) => id), reported.went, reported.messages], [['b'], ['#/new'], ['1 task deleted']]);
  // The socket reports it as well, but the person knows.
  assert.equal(list.gone('a'), false);
  assert.equal(list.gone('b'), true);
  assert.deepEqual(serverLists.runs.items, []);
});

test('a task that was not deleted is not left when it is archived', async (context) => {
  const { list, reported } = started(context, [{ items: [{ run_id: 'a', deleted: false, code: 'busy', detail: 'd' }] }, { run_id: 'a', title: 'one', archived: true }], 'a');
  list.intents.deleteTasks({ ids: ['a'] });
  await settled();
  list.intents.archiveTasks({ ids: ['a'], on: true });
  await settled();
  assert.deepEqual([reported.notices, reported.went], [['busy'], []]);
  assert.equal(list.gone('a'), true, 'another window deletes it');
});

test('a title that was written changes the rows, and Escape changes nothing', async (context) => {
  const { list, serverLists, asked } = started(context, [{ run_id: 'b', title: 'Birthday', own_title: true }]);
  list.intents.renameTask({ id: 'b' });
  list.intents.retitleTask({ id: 'b', title: null });
  assert.deepEqual([list.view.renaming, asked], [null, []]);
  list.intents.renameTask({ id: 'b' });
  list.intents.retitleTask({ id: 'b', title: ' Birthday ' });
  list.intents.retitleTask({ id: 'b', title: 'two' }); // the field loses the focus
  await settled();
  assert.deepEqual(asked.map(([method, , body]) => [method, body]), [['PATCH', { title: 'Birthday' }]]);
  assert.deepEqual([serverLists.runs.items[1].title, list.titleOf('b')], ['Birthday', 'Birthday']);
});

test('run again is the same agent with the same input, and a lost secret is asked for', async (context) => {
  const { list, asked, reported } = started(context, [
    { agent: 'browser', input: { text: 'buy', locale: 'en' } }, { items: [] }, { run_id: 'c' },
    { agent: 'browser', input: { text: 'type •••• into Password' } },
    { agent: 'login', input: { password: '••••' } },
  ]);
  for (const run of ['a', 'b', 'd']) {
    list.intents.runAgain({ run });
    await settled();
  }
  assert.deepEqual(asked[2], ['POST', '/api/runs', { agent: 'browser', input: { text: 'buy', locale: 'en' }, files: [] }]);
  assert.deepEqual([reported.went, reported.drafts, reported.filled], [['#/runs/c', '#/new'], ['type •••• into Password'], [{ agent: 'login', input: { password: '••••' } }]]);
  assert.deepEqual(reported.hints, ['again.secret', 'again.secret']);
});

test('a row is a link with a menu, a field while it is renamed, a box while several are picked', () => {
  const run = { run_id: 'a', title: 'buy a lamp', agent: 'browser', status: 'succeeded', pinned: true, updated_at: '2026-01-31T12:00:00Z' };
  const row = (more) => within([runRow({}, run, { t: en, current: null, place: undefined, picked: null, renaming: null, ...more })]).all;
  const tags = (more) => row(more).map(({ tag }) => tag).filter((tag) => ['a', 'button', 'input'].includes(tag));
  assert.deepEqual([tags({}), tags({ renaming: 'a' }), tags({ picked: [] })], [['a', 'button'], ['input'], ['input']]);
  assert.equal(row({}).find(({ tag }) => tag === 'button').attributes['aria-label'], 'Actions for “buy a lamp”');
  assert.equal(row({ picked: ['a'] }).find(({ tag }) => tag === 'input').checked, true);
  assert.match(row({})[0].textContent, /Pinned:buy a lamp/);
});
