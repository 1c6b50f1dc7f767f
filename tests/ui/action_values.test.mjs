// Values and effects of actions, as the transcript and the timeline show them.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { make, named, within } from './page.mjs';
import { translator } from '../../static/shared/text/locale.js';
import { actionLine } from '../../static/shared/text/action_text.js';
import { actionValues } from '../../static/shared/text/action_values.js';
import { emptyRun, reduceRun } from '../../static/run_state/run.js';
import { story, event } from './facts.mjs';

const { drawEntry } = await import('../../static/chat/entry.js');
const { spanDetail } = await import('../../static/timeline/span_detail.js');
const { mergeSpans, noTimeline, treeOf } = await import('../../static/timeline/spans/spans.js');
const { Announcer } = await import('../../static/app/announcer.js');
await import('../../static/run/run_bar.js');

const [uk, en] = ['uk', 'en'].map((locale) => translator(JSON.parse(readFileSync(new URL(`../../static/locales/${locale}.json`, import.meta.url), 'utf8')), locale));
const done = (action, params, target = null, end = {}) => story(
  event('action_started', { action_id: 'a', action, params, target }),
  event('action_finished', { action_id: 'a', action, ok: true, dropped: [], ...end }),
).reduce(reduceRun, emptyRun()).entries[0];
const pairs = (entry, t) => actionValues(entry, t).map(({ name, value }) => `${name}: ${value}`);
const drawn = (entry, t) => within([drawEntry(entry, t)]);

const FORM = { eid: 3, role: 'textbox', name: 'Password', others: [{ eid: 1, role: 'textbox', name: 'Login' }, { eid: 2, role: 'combobox', name: '' }, { eid: 4, role: 'checkbox', name: 'Terms' }] };
const FIELDS = [{ eid: 1, text: 'olena' }, { eid: '[2]', option: ['A', 'B'] }, { eid: 4, checked: true }, { eid: 3, text: '••••' }, { eid: 9, text: '' }];

test('a fill names each field with what went into it, and shows no secret', () => {
  const entry = done('fill', { fields: FIELDS, submit: true }, FORM);
  assert.equal(actionLine(entry, en), 'Filled in 5 fields');
  assert.deepEqual(pairs(entry, en), ['Login: olena', 'dropdown: A, B', 'Terms: on', 'Password: ••••', 'element 9: (empty)', 'Then: Enter']);
  assert.deepEqual(pairs(entry, uk).slice(2), ['Terms: позначено', 'Password: ••••', 'елемент 9: (порожньо)', 'Потім: Enter']);
  assert.match(named(drawn(entry, en), 'action-values').textContent, /Loginolena.*Password••••/);
  // A model may write the list as text, and anything else is no reason to fail.
  assert.deepEqual(pairs(done('fill', { fields: JSON.stringify(FIELDS.slice(0, 1)) }, FORM), en), ['Login: olena']);
  for (const fields of [null, 'x', [null, 3], {}]) assert.deepEqual(pairs(done('fill', { fields }, FORM), en), []);
});

test('a tool of the page is told with its arguments, and a hidden character in them is written out', () => {
  const entry = done('page_tool', { name: 'search', arguments: { city: 'Ky\u202eiv', days: 3, filter: { stops: 0 } } });
  assert.equal(actionLine(entry, uk), 'Викликано інструмент сторінки «search»');
  assert.deepEqual(pairs(entry, en), ['city: Ky[U+202E]iv', 'days: 3', 'filter: {"stops":0}']);
  assert.deepEqual(pairs(done('page_tool', { name: 'search', arguments: '{"city": "Kyiv"}' }), en), ['city: Kyiv']);
});

test('a reading of rows names its columns and format, a search its kind, a reading of a file its pages', () => {
  const schema = { type: 'array', items: { type: 'object', properties: { name: {}, price: {} } } };
  const rows = done('extract', { schema, as: 'csv' });
  assert.deepEqual([actionLine(rows, en), actionLine(rows, uk)], ['Read rows', 'Рядки прочитано']);
  assert.deepEqual(pairs(rows, en), ['Columns: name, price', 'As: CSV']);
  assert.deepEqual(pairs(done('find', { text: 'Buy', role: 'button' }), uk), ['Шукати: кнопку']);
  assert.deepEqual(pairs(done('extract', { file: 'a.pdf', pages: '1-3', as: 'picture' }), en), ['Pages: 1-3', 'As: picture']);
  assert.deepEqual(pairs(done('click', { eid: 3 }), en), []);
});

test('a click tells its keys, length and button; points and both ends of a drag are told', () => {
  const target = { role: 'row', name: 'Report' };
  assert.equal(actionLine(done('click', { eid: 1, modifiers: ['Control', 'Shift'] }, target), en), 'Clicked row “Report”, holding Control+Shift');
  assert.equal(actionLine(done('click', { eid: 1, hold_ms: 1500 }, target), uk), 'Натиснуто рядок «Report», 1,5 с');
  assert.equal(actionLine(done('click', { eid: 1, button: 'right', count: 2 }, target), en), 'Clicked row “Report”, with the right button, twice');
  assert.equal(actionLine(done('click', { x: 120.4, y: 80 }), en), 'Clicked at 120, 80');
  assert.equal(actionLine(done('drag', { from: { x: 1, y: 2 }, to: { x: 30, y: 40 } }), uk), 'Перетягнуто від точки 1, 2 до точки 30, 40');
  assert.equal(actionLine(done('drag', { from_eid: 1, to_eid: 2 }, { role: 'list', name: 'Done', dragged: { eid: 1, role: 'listitem', name: 'Card' } }), en), 'Dragged list item “Card” onto list “Done”');
  assert.equal(actionLine(done('tab', { operation: 'new' }), en), 'Opened a tab');
  assert.equal(actionLine(done('dialog', { accept: false }), en), 'Dismissed the page’s dialog');
});

test('an effect is read in the language of its reader, and the planner’s English is not shown', () => {
  const both = done('click', { eid: 1 }, null, { summary: 'opened dialog "X"', summary_texts: { uk: 'Відкрилося: вікно «X»', en: 'Opened dialog “X”' } });
  const line = (entry, t) => named(drawn(entry, t), 'action-summary');
  assert.deepEqual([line(both, uk).textContent, line(both, en).textContent], ['Відкрилося: вікно «X»', 'Opened dialog “X”']);
  assert.doesNotMatch(drawn(done('click', { eid: 1 }, null, { summary: 'the page changed' }), uk).textContent, /the page changed/);
  assert.equal(actionLine({ action: 'extract', params: {}, target: null, state: 'failed' }, uk), 'Прочитати не вдалося'); // refused, so nothing is known of it
});

test('the timeline shows the same values and effect', () => {
  const begin = new Date(0).toISOString();
  const span = (kind, id, more) => ({ kind, id, parent: 'r1', run_id: 'r1', name: kind, status: 'ok', begin, end: begin, ...more });
  const spans = [span('run', 'r1', { parent: null, status: 'succeeded', item: null, version: null }), span('action', 'r1/a1', { name: 'fill', effect: null, about: {}, code: null, action_id: 'a' })];
  const timeline = mergeSpans(noTimeline, { at: begin, cursor: 'c', left_out: 0, spans });
  const entry = done('fill', { fields: FIELDS.slice(0, 1) }, FORM, { summary_texts: { uk: 'Є', en: 'Value now “olena”' } });
  const inside = { id: 'r1', root: 'r1', timeline, tree: treeOf(timeline, 'r1'), picked: 'r1/a1', detail: null, why: null };
  const text = within(spanDetail(en, inside, timeline.at, () => {}, [entry])).textContent;
  assert.match(text, /Values and result.*Loginolena.*Value now “olena”/);
});

test('a task of which nothing has been read yet is loading, and offers nothing', () => {
  const bar = make('af-runbar');
  const run = emptyRun();
  const view = { t: en, run, liveRun: run, lease: { possible: false, holder: null, mine: false }, asked: null, connection: { state: 'open' }, isReplay: false, mine: [], talks: true, board: null, beside: 'page', title: 'Buy', questionCount: 0, limits: null, why: null, child: null, savable: false };
  bar.update({ ...view, loading: true });
  assert.equal(named(bar, 'status').textContent, 'Loading…');
  assert.deepEqual(['stop', 'pause', 'again'].map((name) => named(bar, name).hidden), [true, true, true]);
  const title = (more) => new Announcer({}, {}).title({ t: en, route: 'run', liveRun: run, waitingCount: 0, title: 'Buy', ...more });
  assert.equal(title({ loading: true }), 'Loading…: Buy · Askfirst');
  bar.update({ ...view, loading: false });
  assert.equal(named(bar, 'status').textContent, 'Not started yet');
  assert.equal(named(bar, 'stop').hidden, false);
});
