// Content of a part of a run, as it is shown, and when it is read.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { make, named, within } from './page.mjs';
import { codeWord, spanTitle } from '../../static/timeline/spans/span_text.js';
import { mergeSpans, noTimeline, treeOf } from '../../static/timeline/spans/spans.js';
import { translator } from '../../static/shared/text/locale.js';
import { TimelineState } from '../../static/timeline/timeline_state.js';
import { WhyReader } from '../../static/run/why_reader.js';

const { spanDetail } = await import('../../static/timeline/span_detail.js');
const { itemDetail } = await import('../../static/run/board/item_detail.js');
const { spanAside, spanWord } = await import('../../static/timeline/spans/span_text.js');
await import('../../static/agents/agents_page.js');
await import('../../static/timeline/compare/compare_page.js');
const { whyLine } = await import('../../static/run/why_line.js');
const load = (locale) => translator(JSON.parse(readFileSync(new URL(`../../static/locales/${locale}.json`, import.meta.url), 'utf8')), locale);
const [en, uk] = ['en', 'uk'].map(load);
globalThis.document.hidden = false;

const iso = (ms) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();
const span = (kind, id, more = {}) => ({ kind, id, parent: 'r', run_id: 'r', name: kind, status: 'ok', begin: iso(0), end: iso(500), ...more });
const SPANS = [
  span('run', 'r', { run_id: 'r', parent: null, name: 'browser', status: 'succeeded', program: 'conversation', item: null, version: 'abcdef0123', steps: 1, model_calls: 1, unpriced_calls: 1, input_tokens: 10, cached_tokens: 0, output_tokens: 2, cost: null }),
  span('step', 'r/s1', { n: 1, name: 'plan_action', status: 'Planned' }),
  span('call', 'r/c1', { parent: 'r/s1', n: 1, name: 'planner', model: 'm', input_tokens: 9, cached_tokens: 1, output_tokens: 2, cost: null, estimated: false }),
  span('call', 'r/u2', { parent: 'r/s1', n: null, name: 'judge', model: 'm', input_tokens: 0, cached_tokens: 0, output_tokens: 0, cost: 0.5, estimated: true }),
  span('action', 'r/a1', { name: 'click', effect: 1, about: { role: 'button', name: 'Order' }, code: null, action_id: 'a1' }),
  span('question', 'q', { name: 'confirm', status: 'user', question: 'Order it?', reason: 'It buys.', client: { id: 'w1', kind: 'page', name: null, you: true }, answer: { confirmed: false, comment: 'the vase' } }),
  span('item', 'r/i/x', { name: 'echo', status: 'skipped', item_id: 'x', lane: 0, attempt: 0, error: 'not needed' }),
];
const timeline = mergeSpans(noTimeline, { at: iso(900), cursor: 'c', left_out: 0, spans: SPANS });
const tree = treeOf(timeline, 'r');
const shown = (key, data, t = en, state = 'read') => within(spanDetail(t, { id: 'r', root: 'r', timeline, tree, picked: key, detail: { key: key ?? 'r', data, state }, why: null }, timeline.at, () => {}));

const CALL = { messages: [{ role: 'system', content: 'You <b>drive</b>.' }, { role: 'user', content: [{ type: 'text', text: 'Find it' }, { type: 'picture', hash: 'x' }] }], text: '{"actions": []}', error: null };

test('of a call its messages and its answer are shown, as text and nothing else', () => {
  const shownCall = shown('r/c1', CALL);
  assert.match(shownCall.textContent, /You <b>drive<\/b>\./);
  assert.equal(shownCall.all.filter(({ tag }) => tag === 'b').length, 0);
  assert.match(shownCall.textContent, /Find it\n\[image\]/);
  assert.match(shownCall.textContent, /"actions": \[\]/);
  const open = shownCall.all.filter(({ tag }) => tag === 'details').map((one) => 'open' in one.attributes);
  assert.deepEqual(open, [false, true]); // the last message is the one answered
  assert.match(shown('r/u2', null).textContent, /was not recorded/);
  assert.match(shown('r/u2', null).textContent, /≈/);
});

test('every kind of part says what it holds, in both languages, and no key is left over', () => {
  const data = { r: { input: { text: 'a lamp', locale: 'uk' }, vars: { answer: 'done' }, final_response: 'done', ended_at: 'x' }, 'r/s1': { changes: { to: 'x' } }, 'r/c1': CALL, 'r/a1': { action: { action: 'click' }, receipt: { ok: true } } };
  for (const t of [en, uk]) {
    for (const { id } of SPANS) {
      const text = shown(id, data[id] ?? null, t).textContent;
      assert.ok(text.length > 20, id);
      assert.doesNotMatch(text, /\b(in|node|role|orch|status|action)\.[a-z_]+\b/, id);
    }
  }
  assert.match(shown(null, data.r).textContent, /a lamp/);
  assert.doesNotMatch(shown(null, data.r).textContent, /locale/);
  assert.match(shown('q', null).textContent, /You declined: “the vase”/);
  assert.match(shown('r/s1', data['r/s1']).textContent, /Model: chooses the action/); // the call within it
  assert.match(shown('r/i/x', null).textContent, /not needed/);
});

test('calls of a planner are told apart by what they were for, and steps of the graph are no steps of the task', () => {
  const call = (node, name = 'planner') => spanTitle({ kind: 'call', name, node }, uk);
  assert.deepEqual([call('make_plan'), call('plan_action'), call('check_acceptance', 'judge'), call(null)], ['Модель: складає план', 'Модель: обирає дію', 'Модель: оцінює', 'Модель: планує']);
  for (const t of [uk, en]) {
    assert.doesNotMatch([t('in.steps', { n: 50 }), t('in.group.step', { n: 50 }), t('cmp.parts', { n: 5, at: 3, node: 'x' })].join(), /крок|step/);
    assert.doesNotMatch(codeWord('exception', t), /^exception$/);
  }
  assert.equal(spanTitle({ kind: 'question', question: 'Run `ls`?' }, en), 'Run ls?');
});

test('what is on its way or could not be read says so', () => {
  assert.match(shown('r/s1', null, en, 'reading').textContent, /Loading/);
  assert.match(shown('r/s1', null, en, 'failed').textContent, /Could not load/);
});

test('a group tells where the time went', () => {
  assert.match(shown('r/call', null).textContent, /Where the time went.*plans.*1 time/);
});

test('an approval that does not hold any more is told in words, in both languages', () => {
  const action = { kind: 'action', effect: 1, code: 'approval_void' };
  assert.equal(spanAside(action, en), 'Not done: the page is no longer what you approved');
  assert.equal(spanAside(action, uk), 'Не зроблено: сторінка вже не та, яку ви дозволили');
  assert.deepEqual([en, uk].map((t) => spanWord({ kind: 'step', status: 'Void' }, t)), ['not done', 'не зроблено']);
  const failed = { ...SPANS[4], code: 'approval_void' };
  const detail = (t) => within(spanDetail(t, { id: 'r', root: 'r', timeline: mergeSpans(noTimeline, { at: iso(900), cursor: 'c', left_out: 0, spans: [SPANS[0], failed] }), tree, picked: 'r/a1', detail: null, why: null }, timeline.at, () => {})).textContent;
  assert.match(detail(uk), /сторінка вже не та, яку ви дозволили · approval_void/);
  // Other codes begin with their advice.
  assert.equal(spanAside({ ...action, code: 'covered' }, en), 'Something is covering the element');
  assert.equal(spanAside({ ...action, code: 'some_thing' }, en), 'some thing');
  const unusable = { ...action, name: 'none', about: {}, code: 'invalid_action' };
  assert.deepEqual([spanTitle(unusable, en), spanAside(unusable, en)], ['The model’s answer', 'could not be used']);
});

// S3.9
test('a failed orchestration says which step failed and why, and shows no raw data', () => {
  const steps = [{ id: 'a', agent_id: 'x', status: 'success', outputs: { said: 'hello' } }, { id: 'b', agent_id: 'x', status: 'failed' }];
  const errors = [{ step_id: 'b', code: 'boom', message: 'the `file` is gone', exec_id: 'r2' }];
  const vars = { success: false, steps, bindings: { result: { a: { said: 'hello' } } }, errors };
  const detailOf = (whole, t = en) => within([itemDetail(t, { root: 'r', whole: { error: null, response: null, ...whole } })]);
  const detail = detailOf({ vars });
  assert.match(detail.textContent, /What went wrong.*Step b: the file is gone.*a\.saidhello/);
  assert.doesNotMatch(detail.textContent, /exec_id|success|bindings/);
  assert.equal(detail.all.find(({ tag }) => tag === 'a').attributes.href, '#/runs/r/r2');
  assert.match(detailOf({ vars }, uk).textContent, /Крок b/);
  // Errors of the whole are shown above its steps, those of a step at the step.
  const top = { ...SPANS[0], program: 'orchestration' };
  const inside = (run) => within(spanDetail(en, { id: 'r', root: 'r', timeline: mergeSpans(noTimeline, { at: iso(900), cursor: 'c', left_out: 0, spans: [top] }), tree, picked: 'r', detail: { key: 'r', data: { input: {}, ended_at: 'x', final_response: 'no', ...run }, state: 'read' }, why: null }, timeline.at, () => {}));
  assert.match(inside({ vars: { ...vars, errors: [{ code: 'timeout', message: 'the time was up' }] } }).textContent, /Planthe time was up.*a\.saidhello/);
  assert.doesNotMatch(inside({ vars }).textContent, /bindings|exec_id/);
  const faulty = { success: false, steps: [], bindings: { result: {} }, errors: [{ path: 'plan.steps[0].agent_id', message: 'there is no agent x' }] };
  assert.match(detailOf({ vars: faulty }).textContent, /plan\.steps\[0\]\.agent_id: there is no agent x/);
});

test('a comparison goes from the first to the second, and tells the last words of agents without outputs', () => {
  const side = (id, took_ms) => ({ run_id: id, agent: 'browser', title: id, status: 'succeeded', begin: iso(0), took_ms, runs: 1, steps: 2, model_calls: 0, tokens: 0, cost: null });
  const found = { a: side('r', 1000), b: side('s', 1500), first_difference: null, steps: [], children: [], inputs: [], outputs: [{ name: 'final_response', a: 'It costs 80.', b: 'It costs 90.' }] };
  for (const [t, words] of [[en, /Change, A\s→\sB.*\+50%.*Final message.*80.*90/s], [uk, /Зміна, A\s→\sB.*Останнє повідомлення/s]]) {
    const page = make('af-compare');
    page.update({ t, route: 'compare', comparison: { id: 'r', other: 's', found, error: null } });
    assert.match(page.textContent, words);
  }
});

test('names in what is said of an agent are code, without the marks', () => {
  const page = make('af-agents');
  page.update({ t: en, route: 'agents', drafts: [], agents: { items: [{ name: 'echo', description_en: 'Says `text` again.' }, { name: 'bad', faults: [{ path: 'llm', message: 'give `prompt`', hint: 'see `llm`' }] }] } });
  assert.match(page.textContent, /Says text again\./);
  assert.match(page.textContent, /llm: give prompt see llm/);
  assert.ok(page.all.some(({ tag, textContent }) => tag === 'code' && textContent === 'text'));
});

test('why a run stands so is one line with the way to move it', () => {
  const line = whyLine(en, { status: 'waiting', because: 'It asks whether to `order`.', moves: [{ who: 'person', how: 'Answer it', link: '/#/runs/r' }, { who: 'nobody', how: '', link: null }] }, 'why');
  assert.equal(line.textContent, 'It asks whether to order. · Answer it');
  assert.equal(line.all.find(({ tag }) => tag === 'a').attributes.href, '#/runs/r');
});

const further = { who: 'person', how: 'write further', link: '/#/runs/r' };
const whyText = (t, status, because, denied = null, moves = [further]) => whyLine(t, { status, because, moves }, 'why', denied)?.textContent ?? null;

test('of a run that is not there leads a link to the list, and no other way', async () => {
  globalThis.matchMedia ??= () => ({ matches: false, addEventListener() {} });
  globalThis.document.addEventListener ??= () => {};
  await import('../../static/timeline/timeline_page.js');
  const page = make('af-inside');
  page.connectedCallback?.();
  const nothing = { id: 'nope', root: null, run: null, timeline: noTimeline, tree: null, open: new Set(), picked: null, detail: null, why: null, folds: true, choosing: null, error: { status: 404 }, readAt: 0 };
  page.update({ t: en, route: 'inside', inside: nothing, settings: null });
  assert.deepEqual(page.all.filter(({ tag }) => ['a', 'button'].includes(tag)).map((one) => [one.tag, one.attributes.href]), [['a', '#/new']]);
  assert.match(page.textContent, /This task does not exist/);
});

test('the reason does not say the status once more', () => {
  assert.equal(whyText(uk, 'failed', 'Не вдалося: Не вдалося: до моделі немає зв’язку.'), 'До моделі немає зв’язку. · write further');
  assert.equal(whyText(uk, 'partial', 'Виконано частково: Виконано частково.'), 'write further');
  assert.equal(whyText(uk, 'exhausted', 'Вичерпано ліміт токенів: Зупинено: вичерпано ліміт токенів.'), 'Вичерпано ліміт токенів. · write further');
  assert.equal(whyText(en, 'exhausted', 'The token limit was reached.'), 'The token limit was reached. · write further');
  assert.equal(whyText(en, 'failed', 'It failed.', null, []), null);
});

test('a long reason is folded with all of it as its title, and the ways out stand outside of the fold', () => {
  const long = `${'word '.repeat(40)}end.`;
  const line = whyLine(en, { status: 'failed', because: `It failed: ${long}`, moves: [further] }, 'why');
  const fold = line.all.find(({ tag }) => tag === 'details');
  assert.equal(fold.all.find(({ tag }) => tag === 'summary').attributes.title, `W${long.slice(1)}`);
  assert.ok(!fold.all.some(({ tag }) => tag === 'a') && line.all.some(({ tag }) => tag === 'a'));
});

test('a private address that is refused has one way to be let in', () => {
  const rules = { who: 'person', how: 'change the rules (gate.policy)', link: '/#/permissions' };
  const line = whyText(en, 'denied', 'The rules do not allow this: This is a private network.', 'deny-private', [further, rules]);
  assert.match(line, /gate\.private_hosts.*private_hosts = \["192\.168\.1\.20"\]/);
  assert.doesNotMatch(line, /policy/);
  assert.doesNotMatch(whyText(en, 'denied', 'Its hosts are listed in gate.private_hosts.', null, [further, rules]), /policy/, 'where only the reason is known, too');
  assert.match(whyText(en, 'denied', 'No.', 'deny-pay', [further, rules]), /gate\.policy/);
});

// ------------------------------------------------------------ when it is read

const answers = {};
const asked = [];
globalThis.fetch = async (path) => {
  asked.push(path);
  const [key] = Object.keys(answers).filter((start) => path.startsWith(start)).sort((one, other) => other.length - one.length);
  const body = answers[key];
  return { ok: body !== undefined, status: body === undefined ? 404 : 200, headers: { get: () => null }, json: async () => body ?? { code: 'not_found' } };
};
const settled = async () => { for (let turn = 0; turn < 30; turn += 1) await new Promise((resolve) => setImmediate(resolve)); };

test('a run is read when it is opened, its parts when they are looked at, and those that are over only once', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  Object.assign(answers, {
    '/api/runs/r': { run_id: 'r', agent: 'browser', title: 'x', input: {}, vars: {} },
    '/api/runs/r/timeline': { run_id: 'r', root_run_id: 'top', at: iso(900), cursor: 'c1', left_out: 0, spans: SPANS },
    '/api/runs/r/calls/1': CALL,
    '/api/runs/r/why': { status: 'succeeded', because: 'Done.', moves: [] },
  });
  const followed = [];
  const inside = new TimelineState({ changed() {}, follow: (root) => followed.push(root), notice() {}, go() {}, locale: () => 'en' });
  inside.show({ route: 'inside', id: 'r' });
  await settled();
  assert.deepEqual([inside.inside.tree !== null, inside.inside.why.because, followed], [true, 'Done.', ['top']]);
  for (const key of ['r/c1', 'q', 'r/c1']) { inside.intents.inPick({ key }); await settled(); }
  assert.equal(inside.inside.detail.data.text, CALL.text);
  assert.equal(asked.filter((path) => path === '/api/runs/r/calls/1').length, 1);
  // Facts of the tree cause a reading of changes; other facts do not.
  const before = asked.length;
  inside.hear([{ run_id: 'z', root_run_id: 'z' }]);
  context.mock.timers.tick(5000);
  await settled();
  assert.equal(asked.length, before);
  inside.hear([{ run_id: 'r', root_run_id: 'top' }, { run_id: 'r', root_run_id: 'top' }]);
  context.mock.timers.tick(5000);
  await settled();
  assert.equal(asked.slice(before).filter((path) => path.includes('timeline?cursor=c1')).length, 1);
});

test('what happens while a run is read is read after it', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  const inside = new TimelineState({ changed() {}, follow() {}, notice() {}, go() {}, locale: () => 'en' });
  inside.show({ route: 'inside', id: 'r' });
  await settled();
  const real = globalThis.fetch;
  const open = [];
  globalThis.fetch = async (path, ...more) => {
    if (path.includes('/timeline')) await new Promise((go) => open.push(go));
    return real(path, ...more);
  };
  context.after(() => { globalThis.fetch = real; });
  const tell = async () => {
    inside.hear([{ run_id: 'r', root_run_id: 'top' }]);
    context.mock.timers.tick(1000);
    await settled();
  };
  await tell();
  await tell(); // the end arrives during a reading
  assert.equal(open.length, 1);
  open.shift()();
  await settled();
  assert.equal(open.length, 1, 'it is read once more');
  open.shift()();
  await settled();
  assert.equal(open.length, 0, 'and no more than that');
  inside.show({ route: 'welcome' });
});

test('what is not there says so, and is asked for again', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  const inside = new TimelineState({ changed() {}, follow() {}, notice() {}, go() {}, locale: () => 'en' });
  inside.show({ route: 'inside', id: 'nobody' });
  await settled();
  assert.deepEqual([inside.inside.error.status, inside.inside.tree], [404, null]);
  answers['/api/runs/nobody'] = answers['/api/runs/r'];
  answers['/api/runs/nobody/timeline'] = { ...answers['/api/runs/r/timeline'], spans: SPANS.map((one) => ({ ...one, id: one.id === 'r' ? 'nobody' : one.id })) };
  inside.intents.inRetry();
  await settled();
  assert.deepEqual([inside.inside.error, inside.inside.tree?.top.id], [null, 'nobody']);
  inside.show({ route: 'welcome' });
});

test('the reason is asked for when a run stands otherwise, and not while it is at work', async () => {
  const reasons = new WhyReader(() => {});
  const state = (status, more = {}) => ({ liveRun: { status, statusAt: status, inLine: false }, questionCount: 0, isReplay: false, lease: { holder: null }, ...more });
  const count = () => asked.filter((path) => path.startsWith('/api/runs/r/why')).length;
  const before = count();
  assert.equal(reasons.of('run', 'r', state('running'), en), null);
  assert.equal(count(), before);
  reasons.of('run', 'r', state('failed'), en);
  reasons.of('run', 'r', state('failed'), en);
  await settled();
  assert.deepEqual([count() - before, reasons.of('run', 'r', state('failed'), en).because], [1, 'Done.']);
  reasons.of('run', 'r', state('running', { questionCount: 1 }), en);
  assert.equal(count() - before, 2);
  assert.equal(reasons.of('inside', 'r', state('failed'), en), null);
});
