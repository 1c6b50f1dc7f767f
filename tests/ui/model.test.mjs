// Form of a model connection.

import assert from 'node:assert/strict';
import test from 'node:test';
import { bodyOf, filterNames, isSameModel, keepsKey, lastFailed, sameAddress } from '../../static/model_connection/model_form.js';

const fields = (more) => ({ base_url: 'https://a.test/v1', key: '', key_env: '', forget: false, model: 'm', ...more });
const SET = { base_url: 'https://a.test/v1', key: 'set', model: 'm' };

test('a key is sent where one was typed, and kept where the address stays', () => {
  assert.deepEqual(bodyOf(fields(), SET), { base_url: 'https://a.test/v1', model: 'm' });
  assert.deepEqual(bodyOf(fields({ base_url: ' https://a.test/v1/ ' }), SET), { base_url: 'https://a.test/v1/', model: 'm' });
  assert.deepEqual(bodyOf(fields({ base_url: 'https://b.test/v1' }), SET), { base_url: 'https://b.test/v1', model: 'm', key: null });
  assert.deepEqual(bodyOf(fields({ forget: true }), SET), { base_url: 'https://a.test/v1', model: 'm', key: null });
  assert.deepEqual(bodyOf(fields({ key: ' sk-1 ' }), SET).key, 'sk-1');
  assert.deepEqual(bodyOf(fields({ key_env: 'X_API_KEY', key: 'sk-1' }), null), { base_url: 'https://a.test/v1', model: 'm', key_env: 'X_API_KEY' });
  assert.equal(keepsKey(fields(), null), false);
  assert.ok(sameAddress('https://a.test/v1', 'https://a.test/v1//') && !isSameModel(fields(), fields({ model: 'n' })));
});

test('models are found by parts of their names', () => {
  const names = ['gpt-5', 'gpt-5-mini', 'qwen3:8b', 'my-qwen3'];
  assert.deepEqual(filterNames(names, 'qwen3'), ['qwen3:8b', 'my-qwen3']);
  assert.deepEqual(filterNames(names, 'MINI gpt'), ['gpt-5-mini']);
  assert.deepEqual(filterNames(names, ''), names);
  assert.equal(filterNames(names, '', 2).length, 2);
});

test('a test that failed is told of what the form holds, also once it is saved', () => {
  const tried = fields({ key: 'sk-1' });
  const report = (ok, of = tried) => ({ ok, of, checks: [] });
  assert.deepEqual([lastFailed(null, tried), lastFailed(report(true), tried), lastFailed(report(false), tried)], [false, false, true]);
  assert.equal(lastFailed(report(false), fields()), true); // saved: the key is stored and not shown any more
  for (const other of [{ key: 'sk-2' }, { key_env: 'X_API_KEY' }, { model: 'n' }, { base_url: 'https://b.test/v1' }]) assert.equal(lastFailed(report(false), fields(other)), false);
});
