// Agent editor, with a service whose replies are released one by one.
import test from 'node:test';
import assert from 'node:assert/strict';

const storage = new Map();
globalThis.addEventListener = () => {};
globalThis.document = { activeElement: null };
globalThis.localStorage = { getItem: (name) => storage.get(name) ?? null, setItem: (name, value) => { storage.set(name, value); }, removeItem: (name) => { storage.delete(name); } };
const { Editor } = await import('../../static/agents/editor/editor_state.js');

const NAMELESS = { name: 'flow', title_ua: 'Потік', kind: 'composite', inputs: [], locals: [], outputs: [{ name: 'output' }], graph: { lanes: [{ items: [] }] } };
const fault = { path: 'outputs[0].name', severity: 'error', message: '"output" is made by no item', hint: null };
const answer = (body, etag = null) => ({ ok: true, status: 200, headers: { get: () => etag }, json: async () => body, text: async () => body });

/** Service with the saved file, and checks that are held until they are released. */
function service(file) {
  const [checks, waiting] = [[], []];
  globalThis.fetch = async (path, options) => {
    if (path.endsWith('/validate')) {
      const spec = JSON.parse(options.body);
      const check = new Promise((resolve) => checks.push({ spec, answer: (faults) => resolve(answer({ faults, spec, yaml: 'yaml' })) }));
      waiting.splice(0).forEach((seen) => seen());
      return check;
    }
    if (options.method === 'PUT') {
      await file.held;
      if (file.refuses || (file.strict && options.headers['if-match'] !== file.etag)) return { ...answer({ title: 'No', status: 412, code: 'changed', faults: [] }), ok: false, status: 412 };
      Object.assign(file, { spec: JSON.parse(options.body), etag: '"2"' });
      return answer({}, file.etag);
    }
    return options.headers.accept === 'application/yaml' ? answer('yaml', file.etag) : answer(file.spec, file.etag);
  };
  const next = async () => { if (checks.length === 0) await new Promise((resolve) => waiting.push(resolve)); return checks.shift(); };
  return { next };
}

test('what was found before the last change is not told of what was saved', async () => {
  const { next } = service({ spec: NAMELESS, etag: '"1"' });
  const done = [];
  const editor = new Editor({ changed: () => done.splice(0).forEach((seen) => seen()), saved() {}, refused: assert.fail });
  const until = async (so) => { while (!so()) await new Promise((resolve) => done.push(resolve)); };
  await editor.open('flow');
  (await next()).answer([fault]);
  await until(() => editor.view.faults.length === 1);

  // Fixed, and saved before it was checked again.
  editor.edit((spec) => ({ ...spec, outputs: [] }));
  assert.equal(await editor.save(), true);
  assert.deepEqual([editor.view.dirty, editor.view.faults], [false, []]);

  // The check under way is ignored; a check of the saved file counts.
  const check = await next();
  assert.deepEqual(check.spec.outputs, []);
  check.answer([{ ...fault, severity: 'warning', path: 'graph.lanes' }]);
  await until(() => editor.view.faults.length === 1);
  assert.equal(editor.view.checking, false);
});

test('an answer that comes when another agent is open is not told of that one', async () => {
  for (const refuses of [false, true]) {
    let release;
    const file = { spec: NAMELESS, etag: '"1"', refuses, held: new Promise((resolve) => { release = resolve; }) };
    service(file);
    const refused = [];
    const editor = new Editor({ changed() {}, saved() {}, refused: (error) => refused.push(error.status) });
    await editor.open('flow');
    editor.edit((spec) => ({ ...spec, outputs: [] }));
    assert.ok(storage.has('askfirst.draft.flow'));
    const saved = editor.save();
    await editor.open('other');
    release();
    assert.equal(await saved, !refuses);
    assert.deepEqual([editor.view.name, editor.view.conflict, editor.view.saving], ['other', false, false]);
    assert.deepEqual(refused, refuses ? [412] : []);
    assert.equal(storage.has('askfirst.draft.flow'), refuses);
    storage.clear();
  }
});

test('a draft of a version that has changed meanwhile is not saved over it unasked', async () => {
  storage.clear();
  const file = { spec: NAMELESS, etag: '"1"', strict: true };
  service(file);
  const first = new Editor({ changed() {}, saved() {}, refused: assert.fail });
  await first.open('flow');
  first.edit((spec) => ({ ...spec, outputs: [] }));
  Object.assign(file, { spec: { ...NAMELESS, title_ua: 'Інший' }, etag: '"9"' });

  // Reopens the page.
  const editor = new Editor({ changed() {}, saved() {}, refused: assert.fail });
  await editor.open('flow');
  assert.equal(editor.view.conflict, true);
  assert.equal(await editor.save(), false);
  assert.equal(editor.view.conflict, true);
  assert.equal(file.spec.title_ua, 'Інший');
  assert.equal(await editor.save({ over: true }), true);
  assert.deepEqual(file.spec.outputs, []);
  storage.clear();
});
