// Agent pages, with a service whose replies are released one by one.
import test from 'node:test';
import assert from 'node:assert/strict';

globalThis.addEventListener = () => {};
globalThis.document = { activeElement: null, hidden: false };
globalThis.localStorage = { getItem: () => null, setItem() {}, removeItem() {} };
globalThis.setInterval = () => 0;
const { AgentsState } = await import('../../static/agents/agents_state.js');

const flow = (name, agent) => ({ name, kind: 'composite', graph: { lanes: [{ items: [{ id: 'a', agent }] }] } });
const SPECS = { echo: { name: 'echo', kind: 'atomic', executor: 'python', inputs: [] }, one: flow('one', 'echo'), two: flow('two', 'other'), echo2: flow('echo2', 'echo') };
const answer = (body) => ({ ok: true, status: 200, headers: { get: () => null }, json: async () => body, text: async () => JSON.stringify(body) });

function desk(start) {
  const [seen, gone] = [[], []];
  globalThis.fetch = async (path, options) => {
    if (path.endsWith('/api/runs')) return start(JSON.parse(options.body));
    const name = path.split('/').at(-1).split('?')[0];
    return answer(path.includes('/api/agents?') ? Object.values(SPECS) : SPECS[name]);
  };
  const made = new AgentsState({ changed: () => seen.splice(0).forEach((tell) => tell()), notice: (error) => gone.push(error), go: (hash) => gone.push(hash), words: () => ({ locale: 'en' }) });
  const until = async (so) => { while (!so()) await new Promise((resolve) => seen.push(resolve)); };
  return { made, until, gone };
}

test('who calls an agent is told before it is deleted', async () => {
  const { made, until } = desk(() => assert.fail());
  await made.load();
  made.intents.ask({ question: { kind: 'delete', agent: 'echo' } });
  await until(() => made.dialogQuestion.users);
  assert.deepEqual(made.dialogQuestion, { kind: 'delete', agent: 'echo', users: ['one', 'echo2'] });
});

test('an agent that could not be read is asked for again, and one that there is not is not', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { made } = desk(() => assert.fail());
  const [asked, refusals] = [[], { lost: 503, none: 404 }];
  globalThis.fetch = async (path) => {
    const name = path.split('/').at(-1);
    asked.push(name);
    const status = refusals[name];
    return { ok: !status, status: status ?? 200, headers: { get: () => null }, json: async () => (status ? { code: 'x' } : { name }) };
  };
  const drawn = async () => { const found = ['lost', 'none'].map((name) => made.specOf(name)); await new Promise((done) => setImmediate(done)); return found; };
  await drawn();
  assert.deepEqual([await drawn(), asked], [[null, null], ['lost', 'none']]);
  refusals.lost = undefined;
  context.mock.timers.tick(5_000);
  await drawn();
  assert.deepEqual([await drawn(), asked], [[{ name: 'lost' }, null], ['lost', 'none', 'lost']]);
});

test('a start that takes long does not touch the form that is open by then', async () => {
  let begin;
  const { made, gone } = desk(() => new Promise((resolve) => { begin = () => resolve(answer({ run_id: 'r1' })); }));
  made.form = { name: 'echo', agent: SPECS.echo, values: {}, faults: {} };
  const running = made.intents.runForm();
  made.form = { name: 'other', agent: { name: 'other', inputs: [] }, values: { a: 'typed' }, faults: {} };
  begin();
  await running;
  assert.deepEqual([made.form.values, gone], [{ a: 'typed' }, []]);
});

test('input that does not fit is told at the form, raises no notice, and is gone with the page', async () => {
  const problem = { code: 'bad_input', detail: 'the input does not fit the agent: `deep` must be a whole number' };
  const { made, gone } = desk(() => ({ ok: false, status: 422, headers: { get: () => null }, json: async () => problem }));
  made.form = { name: 'echo', agent: { ...SPECS.echo, inputs: [{ name: 'deep', type: 'integer', required: false }] }, values: {}, faults: {} };
  await made.intents.runForm();
  assert.deepEqual(made.form.faults, { '': 'error.bad_input', deep: 'form.unfit' });
  assert.deepEqual(gone, []);
  made.show({ route: 'agents' });
  assert.deepEqual(made.form.faults, {});
});
