// Timeline: rows of the tree, their common axis, and moves by keys.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { axisOf, bars, busyStretches, placeOf, ticks, longGaps } from '../../static/timeline/spans/time_axis.js';
import { firstOpen, mergeSpans, noTimeline, partsOf, rowsOf, stepTo, totals, treeOf } from '../../static/timeline/spans/spans.js';
import { countDifferent, firstRows, shownPairs, usedBy } from '../../static/timeline/compare/step_pairs.js';
import { planOf, specOfItems } from '../../static/run/board/orchestration.js';
import { noProgress, reduceProgress } from '../../static/run/board/lane_progress.js';
import { sharesOf } from '../../static/timeline/spans/time_shares.js';
import { spanAside, spanIcon, spanState, spanTitle, spanWord, formatDuration } from '../../static/timeline/spans/span_text.js';
import { translator } from '../../static/shared/text/locale.js';
import { routeOf } from '../../static/app/route.js';

const load = (locale) => translator(JSON.parse(readFileSync(new URL(`../../static/locales/${locale}.json`, import.meta.url), 'utf8')), locale);
const [en, uk] = ['en', 'uk'].map(load);

const iso = (ms) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();
const span = (kind, id, begin, end, more = {}) => ({ kind, id, parent: 'r', run_id: 'r', name: kind, status: end === null ? 'running' : 'ok', begin: iso(begin), end: end === null ? null : iso(end), ...more });
const run = (id, begin, end, more = {}) => span('run', id, begin, end, { run_id: id, name: 'browser', status: end === null ? 'running' : 'succeeded', program: 'conversation', item: null, steps: 2, model_calls: 1, unpriced_calls: 0, input_tokens: 10, output_tokens: 5, cost: 0.01, ...more });
const answer = (spans, at = 9000) => ({ at: iso(at), cursor: 'c', left_out: 0, spans });

const whole = answer([
  run('r', 0, null, { parent: null }),
  span('step', 'r/s1', 0, 1000, { n: 1, name: 'plan_action', status: 'Planned' }),
  span('call', 'r/c1', 100, 900, { parent: 'r/s1', n: 1, name: 'planner', model: 'm', estimated: false }),
  span('step', 'r/s2', 1000, 1500, { n: 2, name: 'execute_action', status: 'Failed' }),
  span('action', 'r/a9', 1100, 1400, { parent: 'r/s2', name: 'click', effect: 1, about: { role: 'button', name: 'Order' } }),
  span('question', 'q', 1500, 8000, { name: 'confirm', status: 'user', question: 'Order it?', client: { id: 'w1', kind: 'page', name: null, you: true }, answer: { confirmed: true } }),
  span('task', 'r/t/build', 8000, null, { child_run_id: 'k', label: 'Building', status: 'running' }),
  run('k', 8000, null, { parent: 'r' }),
  span('step', 'k/s1', 8000, null, { run_id: 'k', parent: 'k', n: 1, name: 'execute', status: 'running' }),
]);

const timeline = mergeSpans(noTimeline, whole);
const tree = treeOf(timeline, 'r');
const keys = (open) => rowsOf(tree, new Set(open)).map((row) => `${row.level} ${row.key} ${row.place}/${row.size}`);

test('steps and calls of a run are one row each until they are unfolded, its children and questions are always there', () => {
  assert.deepEqual(keys([]), ['1 r 1/1']);
  // A single call or action needs no group; a task is shown by its run.
  assert.deepEqual(keys(['r']), ['1 r 1/1', '2 r/step 1/5', '2 r/c1 2/5', '2 r/a9 3/5', '2 q 4/5', '2 k 5/5']);
  assert.deepEqual(keys(['r', 'r/step', 'k']), ['1 r 1/1', '2 r/step 1/5', '3 r/s1 1/2', '3 r/s2 2/2', '2 r/c1 2/5', '2 r/a9 3/5', '2 q 4/5', '2 k 5/5', '3 k/s1 1/1']);
  assert.equal(rowsOf(tree, new Set(['r'])).at(-1).label, 'Building');
  assert.deepEqual([...firstOpen(tree)].filter((key) => !key.includes('/')), ['r', 'k']);
});

test('a further part takes the place of what was known and adds what is new', () => {
  const later = mergeSpans(timeline, answer([run('k', 8000, 8800, { parent: 'r' }), span('step', 'k/s1', 8000, 8700, { run_id: 'k', parent: 'k', n: 1 }), span('step', 'k/s2', 8700, 8800, { run_id: 'k', parent: 'k', n: 2 })], 12_000));
  assert.deepEqual([later.spans.k.to - later.spans.k.from, later.spans['k/s1'].to - later.spans['k/s1'].from, Object.keys(later.spans).length], [800, 700, whole.spans.length + 1]);
  assert.equal(timeline.spans.k.to, null); // ended spans are unchanged
  assert.deepEqual(totals(timeline, 'r'), { steps: 4, calls: 2, tokens: 30, cost: 0.02, unpriced: 0, runs: 2, ms: 9000 });
  assert.equal(totals(mergeSpans(noTimeline, answer([run('r', 0, 5, { parent: null, unpriced_calls: 1, cost: null })])), 'r').cost, null);
  assert.deepEqual(partsOf(timeline, 'r/s2').map(({ id }) => id), ['r/a9']);
});

test('keys lead through the tree as through any other', () => {
  const rows = rowsOf(tree, new Set(['r', 'r/step']));
  const at = (key) => rows.findIndex((row) => row.key === key);
  const leads = (key, press) => stepTo(rows, at(key), press);
  assert.deepEqual(leads('r', 'ArrowDown'), { pick: 1 });
  assert.deepEqual(leads('r', 'ArrowUp'), { pick: 0 });
  assert.deepEqual(leads('r/s2', 'ArrowLeft'), { pick: at('r/step') });
  assert.deepEqual(leads('r/step', 'ArrowLeft'), { toggle: 'r/step' });
  assert.deepEqual(leads('k', 'ArrowRight'), { toggle: 'k' }); // still folded
  assert.deepEqual(leads('r/step', 'ArrowRight'), { pick: at('r/s1') });
  assert.deepEqual(leads('r', 'End'), { pick: rows.length - 1 });
  assert.equal(leads('q', 'ArrowRight'), null);
  assert.equal(leads('q', 'x'), null);
});

test('time in which nothing was at work is folded to a narrow strip, and order is kept', () => {
  const spans = Object.values(timeline.spans);
  const [from, to] = [timeline.spans.r.from, timeline.at];
  const long = longGaps(busyStretches(spans, timeline.at), from, to);
  assert.deepEqual(long.map(([a, b]) => [a - from, b - from]), [[1500, 8000]]);
  const [plain, folded] = [axisOf(from, to), axisOf(from, to, long)];
  const position = (axis, ms) => Number(placeOf(axis, from + ms).toFixed(3));
  assert.deepEqual([0, 4500, 9000, 20_000, -5].map((ms) => position(plain, ms)), [0, 0.5, 1, 1, 0]);
  assert.deepEqual([0, 1500, 8000, 9000].map((ms) => position(folded, ms)), [0, 0.579, 0.614, 1]);
  const marks = ticks(folded, 6).map(({ ms }) => ms);
  assert.deepEqual(marks, [0, 500, 1000, 1500, 8500, 9000]);
  assert.ok(ticks(plain, 6).length <= 7);
  assert.deepEqual(axisOf(5, 5).pieces.length, 1); // a run that has just begun
});

test('whoever waits for a child is at work as far as that one is', () => {
  const spans = mergeSpans(noTimeline, answer([run('r', 0, null, { parent: null }), span('step', 'r/s1', 0, null, { n: 1 }), run('k', 0, null, { parent: 'r' }), span('step', 'k/s1', 0, 500, { run_id: 'k', n: 1 })])).spans;
  assert.deepEqual(busyStretches(Object.values(spans), spans.r.from + 9000).map(([a, b]) => b - a), [500]);
});

test('bars that touch are one, so thousands of steps are few', () => {
  const steps = Array.from({ length: 5000 }, (_, n) => ({ kind: 'step', status: n % 1000 === 999 ? 'Failed' : 'Ok', from: n * 10, to: n * 10 + 10 }));
  const drawn = bars(steps, axisOf(0, 50_000), 50_000, spanState);
  assert.ok(drawn.length < 12, String(drawn.length));
  assert.ok(drawn.some(({ state }) => state === 'bad'));
  const apart = bars([{ from: 0, to: 10 }, { from: 500, to: null }], axisOf(0, 1000), 1000, () => 'good');
  assert.deepEqual(apart.map(({ x, w }) => [x, Number(w.toFixed(3))]), [[0, 0.01], [0.5, 0.5]]);
});

test('rows of five thousand steps are made in no time', () => {
  const spans = [run('r', 0, 50_000, { parent: null }), ...Array.from({ length: 5000 }, (_, n) => span('step', `r/s${n}`, n * 10, n * 10 + 9, { n, status: 'Done' }))];
  const began = performance.now();
  const big = treeOf(mergeSpans(noTimeline, answer(spans)), 'r');
  assert.equal(rowsOf(big, firstOpen(big)).length, 2);
  assert.equal(rowsOf(big, new Set(['r', 'r/step'])).length, 5002);
  assert.ok(performance.now() - began < 1000);
});

test('every kind of span has its words, icon and state in both languages', () => {
  const sprite = readFileSync(new URL('../../static/index.html', import.meta.url), 'utf8');
  for (const t of [en, uk]) {
    for (const one of Object.values(timeline.spans)) {
      assert.ok(spanTitle(one, t).length > 1, one.id);
      assert.ok(!spanTitle(one, t).includes('node.') && spanWord(one, t).length > 1, one.id);
      assert.ok(sprite.includes(`id="i-${spanIcon(one)}"`), one.id);
    }
  }
  const of = (id) => timeline.spans[id];
  assert.deepEqual(['r', 'r/s1', 'r/s2', 'r/c1', 'q', 'k/s1'].map((id) => spanState(of(id))), ['busy', 'past', 'bad', 'good', 'asked', 'busy']);
  assert.deepEqual([spanTitle(of('r/a9'), en), spanTitle(of('q'), en), spanWord(of('q'), en)], ['Clicked button “Order”', 'Order it?', 'You approved']);
  assert.deepEqual([7, 3400, 42_000, 3_727_000].map((ms) => formatDuration(ms, 'en')), ['7 ms', '3.4 sec', '42 sec', '1:02:07']);
  assert.equal(spanWord({ kind: 'step', status: 'NeedsConfirmation' }, en), 'needs confirmation');
  // A step shows its action.
  assert.deepEqual(['r/s1', 'r/s2'].map((id) => spanAside(of(id), en, tree.done[id])), ['#1', 'Clicked button “Order”']);
});

test('where the time went is told by name, the longest first', () => {
  const shares = sharesOf(tree.below.r.step, timeline.at);
  assert.deepEqual(shares.map(({ name, n, ms, part }) => [name, n, ms, part]), [['plan_action', 1, 1000, 1], ['execute_action', 1, 500, 0.5]]);
  assert.equal(shares[0].slowest.id, 'r/s1');
});

test('the plan of an orchestration stands in its order, a block with its word for merging', () => {
  const plan = { steps: [{ id: 'read', type: 'agent', agent_id: 'reader' }, { id: 'both', type: 'parallel', merge_strategy: 'first_success', children: [{ id: 'a', type: 'agent', agent_id: 'x' }, { id: 'b', type: 'agent', agent_id: 'y' }] }, { id: 'last', type: 'agent', agent_id: 'z' }] };
  const item = (item_id, lane) => ({ item: { item_id, lane, attempt: 1 } });
  const spans = answer([run('o', 0, null, { parent: null, program: 'orchestration' }), run('c1', 0, 10, { parent: 'o', name: 'reader', ...item('read', 0) }), run('c2', 10, null, { parent: 'o', name: 'x', ...item('a', 1) })]);
  const known = mergeSpans(noTimeline, spans);
  const steps = planOf(known.spans.o, { ended_at: null, planned: plan.steps, vars: {} }, known);
  assert.deepEqual(steps.map(({ id, status, merge }) => [id, status, merge]), [['read', 'succeeded', undefined], ['both', 'running', 'first_success'], ['last', 'idle', undefined]]);
  assert.deepEqual(steps[1].children.map(({ agent, status, run: inner }) => [agent, status, inner]), [['x', 'running', 'c2'], ['y', 'idle', null]]);
  // At the end the outputs show it, including cancelled steps.
  const vars = { steps: [{ id: 'both', type: 'parallel', status: 'success', merge_strategy: 'race', children: [{ id: 'a', type: 'agent', status: 'success', exec_id: 'c2' }, { id: 'b', type: 'agent', status: 'skipped', error: { code: 'cancelled', message: 'another was first' } }] }] };
  const [block] = planOf(known.spans.o, { ended_at: 'x', planned: null, vars }, known);
  assert.deepEqual([block.status, ...block.children.map(({ status, error }) => [status, error])], ['succeeded', ['succeeded', null], ['skipped', 'another was first']]);
  assert.equal(planOf(timeline.spans.r, {}, timeline), null);
  const found = planOf(known.spans.o, { ended_at: null, vars: {}, planned: [{ ...plan.steps[1], merge_strategy: 'quorum', quorum: 2 }] }, known);
  assert.deepEqual([found[0].merge, found[0].quorum], ['quorum', 2]);
  // During planning there is no plan.
  assert.deepEqual(planOf(known.spans.o, { ended_at: null, planned: null, vars: {} }, known), []);
});

test('in the talk the steps of an orchestration that have begun are lanes of cards', () => {
  const facts = [{ type: 'run_started', agent: 'agent_orchestrate', run_id: 'o', input: {} }, ...[['read', 0], ['a', 1], ['b', 1]].map(([item_id, lane]) => ({ type: 'event', event: 'item', run_id: 'o', data: { item_id, agent: 'x', lane, status: 'running', attempt: 1 } }))];
  const { runs } = facts.reduce(reduceProgress, noProgress);
  assert.deepEqual(specOfItems(runs.o).graph.lanes.map(({ items }) => items.map(({ id }) => id)), [['read'], ['a', 'b']]);
  assert.equal(specOfItems(runs.o), specOfItems(runs.o));
  // At the end, steps that never started are included.
  const ended = { ...runs.o, vars: { success: false, steps: [{ id: 'read', agent_id: 'x' }, { id: 'both', children: [{ id: 'a', agent_id: 'x' }, { id: 'b', agent_id: 'x' }] }, { id: 'last', agent_id: 'y' }] } };
  assert.deepEqual(specOfItems(ended).graph.lanes.map(({ items }) => items.map(({ id, agent }) => `${id}:${agent}`)), [['read:x'], ['a:x', 'b:x'], ['last:y']]);
  // No plan, no lanes.
  assert.deepEqual(specOfItems({ agent: 'agent_orchestrate', items: {}, vars: { success: false, steps: [] } }).graph.lanes, []);
});

test('addresses of the view inside and of a comparison', () => {
  assert.deepEqual(routeOf('#/inside/r1'), { route: 'inside', id: 'r1' });
  assert.deepEqual(routeOf('#/compare/a/b'), { route: 'compare', id: 'a', other: 'b' });
  assert.deepEqual([routeOf('#/inside'), routeOf('#/compare/a')], [{ route: 'welcome' }, { route: 'welcome' }]);
});

test('of two runs what is the same is folded, and what differs keeps its neighbours', () => {
  const pairs = Array.from({ length: 30 }, (_, at) => ({ same: at !== 12, a: { n: at }, b: { n: at } }));
  const positions = (rows) => rows.map((row) => (row.n ? `${row.from}+${row.n}` : String(row.at)));
  assert.deepEqual(positions(shownPairs(pairs)), ['0+10', '10', '11', '12', '13', '14', '15+15']);
  assert.equal(shownPairs(pairs, new Set([15])).length, 1 + 5 + 15);
  assert.deepEqual(positions(shownPairs(pairs.slice(0, 3))), ['0', '1', '2']); // too few to fold
  assert.equal(countDifferent(pairs), 1);
  assert.deepEqual(firstRows(Array(500).fill(0)).more, 100);
  assert.deepEqual(usedBy({ a: { took_ms: 100, steps: 4, model_calls: 0, tokens: 0, cost: null }, b: { took_ms: 150, steps: 4, model_calls: 0, tokens: 8, cost: 0.1 } }).map(({ name, change }) => [name, change]), [['took', { more: true, part: 0.5 }], ['steps', null], ['tokens', { more: true, part: null }], ['money', null]]);
});
