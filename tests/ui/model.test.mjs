// The form of a model's connection, and the files that wait for a task.

import assert from 'node:assert/strict';
import test from 'node:test';
import { bodyOf, filtered, fits, keptKey, sameAddress } from '../../static/models/modelform.js';
import { Files } from '../../static/files.js';

const fields = (more) => ({ base_url: 'https://a.test/v1', key: '', key_env: '', forget: false, model: 'm', ...more });
const SET = { base_url: 'https://a.test/v1', key: 'set', model: 'm' };

test('a key is sent where one was typed, and kept where the address stays', () => {
  assert.deepEqual(bodyOf(fields(), SET), { base_url: 'https://a.test/v1', model: 'm' });
  assert.deepEqual(bodyOf(fields({ base_url: ' https://a.test/v1/ ' }), SET), { base_url: 'https://a.test/v1/', model: 'm' });
  assert.deepEqual(bodyOf(fields({ base_url: 'https://b.test/v1' }), SET), { base_url: 'https://b.test/v1', model: 'm', key: null });
  assert.deepEqual(bodyOf(fields({ forget: true }), SET), { base_url: 'https://a.test/v1', model: 'm', key: null });
  assert.deepEqual(bodyOf(fields({ key: ' sk-1 ' }), SET).key, 'sk-1');
  assert.deepEqual(bodyOf(fields({ key_env: 'X_API_KEY', key: 'sk-1' }), null), { base_url: 'https://a.test/v1', model: 'm', key_env: 'X_API_KEY' });
  assert.equal(keptKey(fields(), null), false);
  assert.ok(sameAddress('https://a.test/v1', 'https://a.test/v1//') && !fits(fields(), fields({ model: 'n' })));
});

test('models are found by parts of their names', () => {
  const names = ['gpt-5', 'gpt-5-mini', 'qwen3:8b', 'my-qwen3'];
  assert.deepEqual(filtered(names, 'qwen3'), ['qwen3:8b', 'my-qwen3']);
  assert.deepEqual(filtered(names, 'MINI gpt'), ['gpt-5-mini']);
  assert.deepEqual(filtered(names, ''), names);
  assert.equal(filtered(names, '', 2).length, 2);
});

/** A service that takes files, or refuses them, as `answers` says. */
function service(t, answers) {
  const calls = [];
  t.mock.method(globalThis, 'fetch', async (path, { method = 'GET' } = {}) => {
    calls.push(`${method} ${path}`);
    const answer = answers(method, path);
    const body = answer === 204 ? null : JSON.stringify(answer.code ? { code: answer.code } : answer);
    return new Response(body, { status: answer === 204 ? 204 : answer.code ? 413 : 201, headers: { 'content-type': 'application/json' } });
  });
  return calls;
}

test('files wait for their task, and are given again when nobody knows what became of it', async (t) => {
  let n = 0;
  const calls = service(t, (method) => (method === 'DELETE' ? 204 : { id: `id${++n}`, name: 'a', size: 1, items: [] }));
  const files = new Files(() => {}, () => {});
  files.attach([new File(['a'], 'a.txt'), new File(['b'], 'b.txt')], null);
  assert.deepEqual(files.attachedTo(null).map((entry) => entry.state), ['sending', 'sending']);
  assert.deepEqual(await files.ahead(), ['id1', 'id2']);
  files.notStarted();
  assert.deepEqual(await files.ahead(), ['id3', 'id4']);
  files.attach([new File(['c'], 'c.txt')], null);
  files.started('r1');
  assert.deepEqual(files.attachedTo(null), []);
  assert.deepEqual(files.attachedTo('r1').map((entry) => entry.file.name), ['c.txt'], 'what came later is for the task that has begun');
  await files.ahead();
  files.detach(files.attachedTo('r1')[0].key);
  assert.equal(calls.at(-1), 'DELETE /api/files/id5');
});

test('a file that is refused keeps the message back and says why', async (t) => {
  service(t, (method, path) => (path.endsWith('big.bin') ? { code: 'too_large' } : { id: 'id1', name: 'a', size: 1 }));
  const told = [];
  const files = new Files(() => {}, (error) => told.push(error.code));
  files.attach([new File(['a'], 'a.txt'), new File(['b'], 'big.bin')], null);
  assert.equal(await files.ahead(), null);
  assert.deepEqual(files.attachedTo(null).map((entry) => entry.state), ['ready', 'failed']);
  assert.deepEqual(told, ['too_large']);
  files.detach(files.attachedTo(null)[1].key);
  assert.deepEqual(await files.ahead(), ['id1']);
});

test('what a running task did not take stays attached', async (t) => {
  service(t, (method, path) => (path.endsWith('big.bin') ? { code: 'too_large' } : { name: 'a', size: 1, items: [] }));
  const files = new Files(() => {}, () => {});
  files.attach([new File(['a'], 'a.txt'), new File(['b'], 'big.bin')], 'r1');
  assert.equal(await files.give('r1'), false);
  assert.deepEqual(files.attachedTo('r1').map((entry) => entry.file.name), ['big.bin']);
  assert.deepEqual(files.attachedTo('r2'), [], 'another task has its own');
});
