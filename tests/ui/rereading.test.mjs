// Repeated readings after a failure, though not with every drawing.
import test from 'node:test';
import assert from 'node:assert/strict';
import './page.mjs';

const { ModelConnectionState } = await import('../../static/model_connection/connection_state.js');
const { SaveCheck } = await import('../../static/run/save_check.js');

const settled = () => new Promise((done) => setImmediate(() => setImmediate(done)));
const json = (body, status = 200) => new Response(JSON.stringify(body), { status });

test('names of models that could not be had are asked for again', async (t) => {
  const answers = [json({ code: 'model_unreachable' }, 502), json({ models: ['big', 'small'] })];
  let calls = 0;
  t.mock.method(globalThis, 'fetch', async () => { calls += 1; return answers.shift(); });
  const connecting = new ModelConnectionState({ changed() {}, connected() {}, locale: () => 'en' });
  connecting.intents.nameModels();
  connecting.intents.nameModels();
  await settled();
  assert.deepEqual([connecting.view.modelChoice.names, calls], [null, 1]);
  await connecting.intents.nameModels();
  await connecting.intents.nameModels();
  assert.deepEqual([connecting.view.modelChoice.names, calls], [['big', 'small'], 2]);
});

test('a task that could not be asked about is asked about again after a while, not at every drawing', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const answers = [json({ code: 'internal' }, 500), json({ savable: true })];
  let [calls, drawn] = [0, 0];
  t.mock.method(globalThis, 'fetch', async () => { calls += 1; return answers.shift(); });
  const savable = new SaveCheck(() => { drawn += 1; });
  const draw = () => savable.of('r', { endedAt: 't', status: 'succeeded' }, true);
  for (let n = 0; n < 3; n += 1) { draw(); await settled(); }
  assert.deepEqual([draw(), calls, drawn], [false, 1, 0]);
  t.mock.timers.tick(5_000);
  assert.equal(drawn, 1);
  draw();
  await settled();
  assert.deepEqual([draw(), calls], [true, 2]);
});
