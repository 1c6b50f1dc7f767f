// Late answers, pictures and answers to questions stay with the task that they belong to.
import test from 'node:test';
import assert from 'node:assert/strict';
import './page.mjs';

globalThis.addEventListener = () => {};
globalThis.setInterval = () => 0;
globalThis.localStorage = { getItem: () => null, setItem() {}, removeItem() {} };
Object.assign(globalThis.document, { addEventListener() {}, hidden: false, activeElement: null });
const { TaskScope } = await import('../../static/transport/task_scope.js');
const { TaskFiles } = await import('../../static/files/task_files.js');
const { PlanActions } = await import('../../static/plan/plan_actions.js');
const { WhyReader } = await import('../../static/run/why_reader.js');
const { Workspace } = await import('../../static/app/workspace.js');
const { showIn } = await import('../../static/app/draw_schedule.js');

/** Service whose replies are released one by one. */
function held() {
  const asked = new Map();
  globalThis.fetch = (path, options) => new Promise((resolve, reject) => {
    asked.set(path, { signal: options.signal, answer: (body, status = 200) => resolve(new Response(JSON.stringify(body), { status })) });
    options.signal?.addEventListener('abort', () => reject(options.signal.reason));
  });
  return { asked, all: () => new Promise((done) => setImmediate(done)) };
}

test('an answer reaches the task that it is for, and no other', async () => {
  const [scope, got] = [new TaskScope(), []];
  const work = () => { let settle; const promise = new Promise((resolve, reject) => { settle = { resolve, reject }; }); return [promise, settle]; };
  assert.equal(scope.enter('a'), true);
  assert.equal(scope.enter('a'), false);
  const [[one, first], [two, second], [three, third]] = [work(), work(), work()];
  const signal = scope.signal;
  const read = [scope.read(() => one, (x) => got.push(x)), scope.read(() => two, (x) => got.push(x), () => got.push('fault'))];
  const bound = scope.bound((x) => got.push(x));
  bound('bound to a');
  scope.enter('b');
  assert.equal(signal.aborted, true);
  read.push(scope.read(() => three, (x) => got.push(x)));
  first.resolve('late answer for a');
  second.reject(new Error('late fault for a'));
  third.resolve('answer for b');
  bound('too late');
  await Promise.all(read);
  assert.deepEqual(got, ['bound to a', 'answer for b']);
  // Returning to a does not revive the aborted reading.
  scope.enter('a');
  bound('still too late');
  assert.equal(got.length, 2);
});

test('files of a task that was left are called off, and not read while another one is open', async () => {
  const { asked, all } = held();
  const scope = new TaskScope();
  const files = new TaskFiles(() => {}, assert.fail, scope);
  scope.enter('a');
  const late = files.load('a');
  scope.enter('b');
  assert.equal(asked.get('/api/runs/a/files').signal.aborted, true);
  files.load('b');
  asked.get('/api/runs/b/files').answer({ items: [{ name: 'b.txt', size: 1 }] });
  await Promise.all([late, all()]);
  files.hear([{ event: 'action_finished', data: { files: ['x'] } }], () => 'c');
  assert.equal(asked.has('/api/runs/c/files'), false);
  assert.deepEqual([files.of('a'), files.of('b').map(({ name }) => name)], [[], ['b.txt']]);
});

test('a plan that is saved late for one task takes no draft of another away', async () => {
  const { asked, all } = held();
  const [scope, answers] = [new TaskScope(), []];
  const planning = new PlanActions({ changed() {}, notice: assert.fail, answer: (...one) => answers.push(one) }, scope);
  const item = (position, description) => ({ position, description, acceptance_criteria: 'x', depends_on: [], status: 'pending' });
  scope.enter('a');
  planning.intents.editPlan({ run: 'a', approves: 'qa' });
  asked.get('/api/runs/a/plan').answer({ items: [item(1, 'of a')], version: 'v1' });
  await all();
  planning.intents.changePlan({ op: 'reword', args: [planning.view.planning.draft.items[0].id, { description: 'of a, changed' }] });
  const saving = planning.intents.savePlan();
  const save = asked.get('/api/runs/a/plan');
  scope.enter('b');
  planning.leave();
  planning.intents.editPlan({ run: 'b' });
  asked.get('/api/runs/b/plan').answer({ items: [item(1, 'of b')], version: 'v1' });
  await all();
  save.answer({});
  await saving;
  const { runId, draft } = planning.view.planning;
  assert.deepEqual([runId, draft.items[0].description], ['b', 'of b']);
  assert.deepEqual(answers, [['qa', { confirmed: true }]], 'what was ordered for a is done');
});

test('why one task stands so is not said of another', async () => {
  const { asked, all } = held();
  const reasons = new WhyReader(() => {});
  const of = (id) => reasons.of('run', id, { liveRun: { status: 'failed', statusAt: 't' }, questionCount: 0, isReplay: false, lease: {} }, { locale: 'en' });
  of('a');
  of('b');
  assert.equal(asked.get('/api/runs/a/why?locale=en').signal.aborted, true);
  asked.get('/api/runs/b/why?locale=en').answer({ because: 'of b' });
  await all();
  assert.equal(of('b').because, 'of b');
});

test('a run under way says nothing of itself, except that no service works on it', async (test) => {
  test.mock.timers.enable({ apis: ['setInterval'] });
  globalThis.document ??= { hidden: false };
  const { asked, all } = held();
  const reasons = new WhyReader(() => {});
  const of = (status, statusAt) => reasons.of('run', 'a', { liveRun: { status, statusAt }, questionCount: 0, isReplay: false, lease: {} }, { locale: 'en' });
  const url = '/api/runs/a/why?locale=en';
  const answer = async (body) => { asked.get(url).answer(body); asked.delete(url); await all(); };
  assert.equal(of('running', 1), null);
  assert.equal(asked.size, 0);
  test.mock.timers.tick(10_000);
  await answer({ reason: 'model' });
  assert.equal(of('running', 1), null);
  test.mock.timers.tick(10_000);
  await answer({ reason: 'no_service' });
  assert.equal(of('running', 1).reason, 'no_service');
  assert.equal(of('running', 2), null, 'it goes on');
  of('succeeded', 3);
  test.mock.timers.tick(30_000);
  assert.equal(asked.size, 0);
});

/** Workspace with an open connection, with the frames that it sent. */
function workspace(on = {}) {
  const [sent, sockets] = [[], []];
  globalThis.WebSocket = class { static OPEN = 1; readyState = 1; constructor() { sockets.push(this); } send(text) { sent.push(JSON.parse(text)); } close() {} };
  const made = new Workspace('ws://here/ws', { change() {}, facts() {}, opened() {}, waiting() {}, notStarted() {}, unknownRun() {}, picture() {}, ...on }, () => Object.assign((key) => key, { locale: 'en', has: () => true }));
  made.socket.connect();
  sockets[0].onopen();
  const receive = (frame) => sockets[0].onmessage({ data: JSON.stringify(frame) });
  const picture = (frame, tag) => {
    const buffer = new ArrayBuffer(26);
    const data = new DataView(buffer);
    [data.setUint8(0, 1), data.setUint8(1, 1), data.setUint16(2, 24, true), data.setUint32(4, frame, true), data.setUint32(20, tag, true)];
    sockets[0].onmessage({ data: buffer });
  };
  const begins = (id) => { receive({ type: 'welcome', session_id: 's', seq: 1, run: { run_id: id, root_run_id: id } }); receive({ type: 'run_started', agent: 'browser', input: { text: id }, run_id: id, root_run_id: id, seq: 1, at: '2026-01-01T00:00:00Z' }); };
  const lose = () => sockets[0].onclose({ code: 1006 });
  return { made, sent, tell: receive, picture, begins, lose };
}

test('a live picture of the task before is not shown, and the service is told that it came', () => {
  const shown = [];
  const { made, sent, picture, begins } = workspace({ picture: (one) => shown.push(one.frame) });
  ['a', 'b'].forEach(begins);
  made.open('a');
  made.watch(true, {});
  const ofA = sent.at(-1).tag;
  picture(1, ofA);
  made.open('b');
  made.watch(true, {});
  const ofB = sent.at(-1).tag;
  assert.notEqual(ofA, ofB);
  picture(2, ofA);
  picture(1, ofB);
  assert.deepEqual(shown, [1, 1]);
  assert.deepEqual(sent.filter(({ type }) => type === 'frame_ack'), [{ type: 'frame_ack', frame: 2 }]);
});

test('a refusal of an answer stands at its question, whichever task is open by then', () => {
  const { made, tell: receive, begins } = workspace();
  const receiveQuestion = (id) => receive({ type: 'agent_question', reference: `q${id}`, kind: 'confirm', text: '?', payload: {}, run_id: id, root_run_id: id, seq: 2, at: '2026-01-01T00:00:01Z' });
  ['a', 'b'].forEach((id) => { begins(id); receiveQuestion(id); });
  made.open('a');
  made.answer('qa', { confirmed: true });
  made.open('b');
  assert.equal(made.describe().answering, null);
  receive({ type: 'error', code: 'internal', message: 'x', reference: 'qa' });
  assert.deepEqual([made.describe().answering, made.notices], [null, []]);
  made.open('a');
  assert.equal(made.describe().answering.error.code, 'internal');
});

test('one run is ordered at a time, and what begins is told with the draft that it was ordered by', () => {
  const [opened, back] = [[], []];
  const { made, sent, tell: receive } = workspace({ opened: (...one) => opened.push(one), notStarted: (key) => back.push(key) });
  const starts = (id) => receive({ type: 'run_started', agent: 'browser', input: { text: id }, run_id: id, root_run_id: id, seq: 1, at: '2026-01-01T00:00:00Z' });
  const orders = () => sent.filter(({ type }) => type === 'user_message').map(({ text }) => text);
  assert.deepEqual([made.start('demo'), made.start('mine', { model: 'big' }, 'new-1'), made.start('too', {}, 'new-2')], [true, true, true]);
  assert.deepEqual([orders(), made.describe().starting], [['demo'], true]);
  starts('r1');
  assert.deepEqual([opened, orders()], [[['r1', null]], ['demo', 'mine']]);
  receive({ type: 'error', code: 'unknown_file', message: 'x' });
  assert.deepEqual([back, orders()], [['new-1'], ['demo', 'mine', 'too']]);
  starts('r2');
  assert.deepEqual([opened.at(-1), made.describe().starting], [['r2', 'new-2'], false]);
});

test('a refusal of something else is no refusal of the order that is under way', () => {
  const back = [];
  const { made, tell: receive, begins } = workspace({ notStarted: (key) => back.push(key) });
  begins('a');
  made.open('a');
  made.start('mine', {}, 'new-1');
  for (const code of ['busy', 'no_lease', 'lease_held', 'not_root', 'bad_url', 'no_file']) receive({ type: 'error', code, message: code });
  assert.deepEqual([back, made.describe().starting, made.notices.length > 0], [[], true, true]);
  receive({ type: 'error', code: 'unknown_agent', message: 'x' });
  assert.deepEqual([back, made.describe().starting], [['new-1'], false]);
});

test('orders that were under way are told when the line is lost, and none is taken without one', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const back = [];
  const { made, lose } = workspace({ notStarted: (key) => back.push(key) });
  made.start('mine', {}, 'new-1');
  made.start('too', {}, 'new-2');
  lose();
  assert.deepEqual([back, made.starting], [['new-1', 'new-2'], null]);
  assert.deepEqual([made.start('late', {}, 'new-3'), made.say('late', 'a'), made.notices.length], [false, false, 1]);
});

test('files for the page of one task are given to that task, whichever is open by then', () => {
  const { made, sent, tell: receive, begins } = workspace();
  ['a', 'b'].forEach(begins);
  for (const run of ['b', 'a']) receive({ type: 'file_chooser', run_id: run, number: 1, multiple: false, open: true });
  made.open('b');
  made.input({ kind: 'files', number: 1, names: ['x.txt'] }, 'b');
  assert.deepEqual([sent.at(-1).run_id, made.held.chooser?.number], ['b', 1], 'the chooser of the other one stays');
  made.input({ kind: 'files', number: 1, names: ['x.txt'] }, 'a');
  assert.deepEqual([sent.at(-1).run_id, made.held.chooser], ['a', null]);
});

test('of several questions of a task the one that is wanted is read first', () => {
  const { made, tell: receive, begins } = workspace();
  begins('a');
  for (const [reference, seq] of [['q1', 2], ['q2', 3]]) receive({ type: 'agent_question', reference, kind: 'confirm', text: '?', payload: {}, run_id: 'a', root_run_id: 'a', seq, at: '2026-01-01T00:00:01Z' });
  made.open('a', null, 'q2');
  assert.deepEqual([made.describe().question.reference, made.describe().questionCount], ['q2', 2]);
  receive({ type: 'question_resolved', reference: 'q2', by: 'user', answer: {}, run_id: 'a', root_run_id: 'a', seq: 4, at: '2026-01-01T00:00:02Z' });
  assert.equal(made.describe().question.reference, 'q1');
});

test('what an element keeps of a task is dropped before another one is shown', () => {
  const calls = [];
  const element = { leave: () => calls.push('leave'), update: ({ n }) => calls.push(n) };
  showIn([element, { update() {} }], { n: 1 });
  showIn([element], { n: 2 }, true);
  assert.deepEqual(calls, [1, 'leave', 2]);
});
