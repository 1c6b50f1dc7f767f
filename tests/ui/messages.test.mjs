// Drafts of messages: texts and files reach their task, whichever task is open meanwhile.
import test from 'node:test';
import assert from 'node:assert/strict';
import * as drafts from '../../static/composer/message_drafts.js';
import { MessageSender } from '../../static/composer/message_sender.js';

const { draftOf, freshKey, noDrafts } = drafts;
const steps = (...all) => all.reduce((so, [name, ...args]) => drafts[name](so, ...args), noDrafts);

// ---------------------------------------------------------------- the model

test('what is written while a task begins is for that task alone', () => {
  const sent = steps(['withWords', 'new-1', 'first'], ['markSending', 'new-1'], ['withWords', 'new-1', 'and more'], ['withWords', 'a', 'to a']);
  assert.deepEqual([draftOf(sent, 'new-1').sent, draftOf(sent, 'new-1').words, draftOf(sent, 'a').words], ['first', 'and more', 'to a']);
  const begun = drafts.moveToTask(sent, 'new-1', 'r');
  assert.deepEqual([draftOf(begun, 'r').words, draftOf(begun, 'a').words, freshKey(begun), draftOf(begun, freshKey(begun)).words], ['and more', 'to a', 'new-2', '']);
  // A key pressed before the page knew the new id.
  assert.equal(draftOf(drafts.withWords(begun, 'new-1', 'and more!'), 'r').words, 'and more!');
});

test('words that were not sent stand before those that were written meanwhile', () => {
  const back = steps(['withWords', 'new-1', ' first '], ['withModel', 'new-1', 'big'], ['markSending', 'new-1'], ['withWords', 'new-1', 'second'], ['returnText', 'new-1']);
  const { words, sent, state, model } = draftOf(back, 'new-1');
  assert.deepEqual([words, sent, state, model], ['first\nsecond', '', 'writing', 'big']);
  assert.equal(draftOf(steps(['withWords', 'a', 'alone'], ['markSending', 'a'], ['returnText', 'a']), 'a').words, 'alone');
});

test('a blank message is not sent, nor a second one while the first is under way', () => {
  const blank = steps(['withWords', 'a', ' \n']);
  assert.equal(drafts.markSending(blank, 'a'), blank);
  const sent = steps(['withWords', 'a', 'one'], ['markSending', 'a'], ['withWords', 'a', 'two']);
  assert.equal(drafts.markSending(sent, 'a'), sent);
});

test('another new task does not write over one that is being written, which comes back after it', () => {
  const two = steps(['withWords', 'new-1', 'half a wish'], ['addNewDraft', 'type •••• into Password']);
  assert.deepEqual([freshKey(two), draftOf(two, 'new-2').words, draftOf(two, 'new-1').words], ['new-2', 'type •••• into Password', 'half a wish']);
  const begun = drafts.moveToTask(drafts.markStarting(drafts.markSending(two, 'new-2'), 'new-2'), 'new-2', 'r');
  assert.deepEqual([freshKey(begun), draftOf(begun, 'new-1').words], ['new-1', 'half a wish']);
  // A blank draft is replaced.
  assert.equal(freshKey(drafts.dropBlankDrafts(drafts.withWords(two, 'new-2', ''))), 'new-1');
  assert.equal(freshKey(steps(['addNewDraft', 'x'])), 'new-1');
});

test('what would be lost with the page is put back into the same tasks', () => {
  const all = drafts.unsentTexts(steps(['withWords', 'a', 'to a'], ['withWords', 'new-1', 'older'], ['addNewDraft', 'newer'], ['withWords', 'b', 'under way'], ['markSending', 'b'], ['withWords', 'b', 'more'], ['withWords', 'c', ' ']));
  assert.deepEqual(all, [['a', 'to a'], [null, 'older'], [null, 'newer'], ['b', 'under way\nmore']]);
  const back = drafts.restoreTexts(noDrafts, all);
  assert.deepEqual([draftOf(back, 'a').words, draftOf(back, 'b').words, back.fresh.map((key) => draftOf(back, key).words)], ['to a', 'under way\nmore', ['older', 'newer']]);
});

// --------------------------------------------------------------- sending

/** Service that is answered by `answer(path, body)`: settles the oldest request for that path. */
function held(t) {
  const [calls, open] = [[], []];
  t.mock.method(globalThis, 'fetch', (path, { method = 'GET', signal } = {}) => {
    calls.push(`${method} ${path}`);
    if (method === 'DELETE') return Promise.resolve(new Response(null, { status: 204 }));
    return new Promise((resolve, reject) => {
      open.push({ path, resolve });
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  });
  const answer = async (path, body) => {
    const at = open.findIndex((one) => one.path === path);
    assert.notEqual(at, -1, `${path} is asked for: ${open.map((one) => one.path)}`);
    open.splice(at, 1)[0].resolve(new Response(JSON.stringify(body), { status: body.code ? 413 : 201 }));
    await settled();
  };
  return { calls, answer };
}

const settled = () => new Promise((done) => setImmediate(() => setImmediate(done)));
const file = (name) => new File(['x'], name);
const names = (messages, key) => messages.of(key).files.map((entry) => entry.file.name);

function messages({ line = true } = {}) {
  const received = { started: [], sent: [], refused: [], given: [], back: [], line };
  const made = new MessageSender({
    changed() {}, refused: (error) => received.refused.push(error.code), given: (rootId) => received.given.push(rootId), back: (key) => received.back.push(key),
    start: (...order) => received.line && Boolean(received.started.push(order)), say: (...sent) => received.line && Boolean(received.sent.push(sent)),
  });
  return { made, received };
}

test('an upload that takes long sends nothing to the task that is opened meanwhile', async (t) => {
  const { answer } = held(t);
  const { made, received } = messages();
  made.attach('new-1', [file('a.txt')]);
  made.write('new-1', 'first order');
  made.send('new-1');
  made.write('new-1', 'more of it');
  made.write('a', 'half a reply for A');
  await settled();
  assert.deepEqual([received.started, made.of('a').words, made.of('new-1').state], [[], 'half a reply for A', 'sending']);
  await answer('/api/files/a.txt', { id: 'id1' });
  assert.deepEqual(received.started, [['first order', { files: ['id1'] }, 'new-1']]);
  made.attach('new-1', [file('late.txt')]);
  await answer('/api/files/late.txt', { id: 'id2' });
  made.started('new-1', 'r');
  assert.deepEqual([made.of('r').words, names(made, 'r'), received.given], ['more of it', ['late.txt'], ['r']]);
  assert.deepEqual([made.of('a').words, made.of(made.fresh).words, names(made, made.fresh)], ['half a reply for A', '', []]);
});

test('a file that is attached while the message waits is waited for, too', async (t) => {
  const { answer } = held(t);
  const { made, received } = messages();
  made.attach('new-1', [file('a.txt')]);
  made.write('new-1', 'go');
  made.send('new-1');
  made.attach('new-1', [file('b.txt')]);
  await answer('/api/files/a.txt', { id: 'id1' });
  assert.deepEqual(received.started, []);
  await answer('/api/files/b.txt', { id: 'id2' });
  assert.deepEqual([received.started[0][1], received.back], [{ files: ['id1', 'id2'] }, []]);
});

test('a file that is taken back is not waited for', async (t) => {
  held(t);
  const { made, received } = messages();
  made.attach('new-1', [file('a.txt')]);
  made.write('new-1', 'go');
  made.send('new-1');
  await settled();
  made.detach(made.of('new-1').files[0].key);
  await settled();
  assert.deepEqual([received.started, received.refused], [[['go', {}, 'new-1']], []]);
});

test('a file that is refused puts the message back to its own task and says why', async (t) => {
  const { answer, calls } = held(t);
  const { made, received } = messages();
  made.attach('new-1', [file('a.txt'), file('big.bin')]);
  made.write('new-1', 'order for a new task');
  made.write('a', 'half a reply for A');
  made.send('new-1');
  await answer('/api/files/a.txt', { id: 'id1' });
  await answer('/api/files/big.bin', { code: 'too_large' });
  assert.deepEqual([received.started, received.refused, received.back], [[], ['too_large'], ['new-1']]);
  assert.deepEqual([made.of('new-1').words, made.of('a').words], ['order for a new task', 'half a reply for A']);
  assert.deepEqual(made.of('new-1').files.map(({ state }) => state), ['ready', 'failed']);
  made.detach(made.of('new-1').files[1].key);
  await made.send('new-1');
  assert.deepEqual(received.started, [['order for a new task', { files: ['id1'] }, 'new-1']]);
  made.detach(made.of('new-1').files[0].key); // belongs to the started task
  assert.deepEqual([names(made, 'new-1'), calls.filter((call) => call.startsWith('DELETE'))], [['a.txt'], []]);
});

test('an order that is lost comes back, and its files are given once more', async (t) => {
  const { answer, calls } = held(t);
  const { made, received } = messages();
  made.attach('new-1', [file('a.txt')]);
  made.write('new-1', 'go');
  made.send('new-1');
  await answer('/api/files/a.txt', { id: 'id1' });
  made.write('a', 'to a');
  made.notStarted('new-1');
  assert.deepEqual([made.of('new-1').words, made.of('new-1').files[0].state, made.of('a').words], ['go', 'sending', 'to a']);
  await answer('/api/files/a.txt', { id: 'id2' });
  await made.send('new-1');
  assert.deepEqual(received.started.map(([, more]) => more), [{ files: ['id1'] }, { files: ['id2'] }]);
  assert.equal(calls.length, 2);
});

test('words that could not be sent without a line come back, to a new task as to one that is there', async () => {
  const { made, received } = messages({ line: false });
  for (const key of ['new-1', 'a']) made.write(key, `for ${key}`);
  await Promise.all([made.send('new-1'), made.send('a')]);
  assert.deepEqual([made.of('new-1').words, made.of('a').words, received.back], ['for new-1', 'for a', ['new-1', 'a']]);
  received.line = true;
  await Promise.all([made.send('new-1'), made.send('a')]);
  assert.deepEqual([received.started.map(([words]) => words), received.sent], [['for new-1'], [['for a', 'a']]]);
});

test('files of a new task stay with it when another task begins', async (t) => {
  const { answer } = held(t);
  const { made } = messages();
  made.attach('new-1', [file('cv.txt')]);
  await answer('/api/files/cv.txt', { id: 'id1' });
  made.write('new-1', 'words of mine');
  made.started(null, 'demo');
  assert.deepEqual([names(made, 'demo'), made.of('demo').words, names(made, 'new-1'), made.of('new-1').words], [[], '', ['cv.txt'], 'words of mine']);
});

test('a running task gets its files before the words, and keeps what it did not take', async (t) => {
  const { answer } = held(t);
  const { made, received } = messages();
  made.attach('r1', [file('a.txt'), file('big.bin')]);
  made.write('r1', 'look at these');
  made.send('r1');
  await answer('/api/runs/r1/files/a.txt', { name: 'a.txt' });
  assert.deepEqual([received.sent, names(made, 'r1')], [[], ['big.bin']]);
  await answer('/api/runs/r1/files/big.bin', { code: 'too_large' });
  assert.deepEqual([received.sent, received.refused, made.of('r1').words, names(made, 'r1'), names(made, 'r2')], [[], ['too_large'], 'look at these', ['big.bin'], []]);
  made.detach(made.of('r1').files[0].key);
  await made.send('r1');
  assert.deepEqual([received.sent, received.given], [[['look at these', 'r1']], ['r1']]);
});

test('the model is chosen for one new task, and forgotten where another one is connected', async () => {
  const { made, received } = messages();
  made.choose('new-1', 'big');
  made.write('new-1', 'go');
  await made.send('new-1');
  made.started('new-1', 'r');
  assert.deepEqual([received.started[0][1], made.of(made.fresh).model], [{ model: 'big' }, null]);
  made.choose(made.fresh, 'big');
  made.forgetModels();
  assert.equal(made.of(made.fresh).model, null);
});
