// Agents as files: titles, names, forms, conditions, and addresses of pages.  // S0.3, S0.6, S0.12, S0.38, C18
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as spec from '../../static/agents/spec/spec.js';
import * as form from '../../static/agents/spec/input_form.js';
import * as when from '../../static/agents/spec/condition.js';
import * as sections from '../../static/agents/spec/executor_fields.js';
import { routeOf } from '../../static/app/route.js';
import { translator } from '../../static/shared/text/locale.js';

const [uk, en] = ['uk', 'en'].map((locale) => translator(JSON.parse(readFileSync(new URL(`../../static/locales/${locale}.json`, import.meta.url), 'utf8')), locale));

test('a title is in the language of the page, or the other one, or the name', () => {
  const both = { name: 'echo', title_ua: 'Відлуння', title_en: 'Echo' };
  assert.deepEqual(['uk', 'en'].map((locale) => spec.titleOf(both, locale)), ['Відлуння', 'Echo']);
  assert.deepEqual(['uk', 'en'].map((locale) => spec.titleOf({ name: 'echo', title_ua: 'Відлуння', title_en: ' ' }, locale)), ['Відлуння', 'Відлуння']);
  assert.equal(spec.titleOf({ name: 'echo', title_ua: '', title_en: 'Echo' }, 'uk'), 'echo'); // S0.6
  assert.equal(spec.descriptionOf({ description_ua: 'Каже знову' }, 'en'), 'Каже знову');
  assert.deepEqual([spec.kindOf({ kind: 'composite' }), spec.kindOf({ kind: 'atomic', python: {} }), spec.kindOf({ executor: 'llm' })], ['lanes', 'python', 'llm']);
});

test('a title becomes a name that can be a file’s', () => {
  assert.equal(spec.nameFor('Мій щоденний звіт!'), 'mii_shchodennyi_zvit');
  assert.equal(spec.nameFor('2 Reports: über-cool', []), 'reports_ber_cool');
  assert.equal(spec.nameFor('日本'), '');
  assert.equal(spec.nameFor('Echo', ['echo', 'echo_2']), 'echo_3');
  assert.ok(spec.isName(spec.nameFor('Ґ'.repeat(90))));
  for (const bad of ['', 'Echo', '1a', 'a-b', '../a', 'a'.repeat(65)]) assert.equal(spec.isName(bad), false, bad);
});

test('a copy that calls itself calls the copy', () => {
  const own = { name: 'loop', title_ua: 'Коло', kind: 'composite', graph: { lanes: [{ items: [{ id: 'a', agent: 'loop' }, { id: 'b', agent: 'echo' }] }] } };
  const copy = spec.copyOf(own, 'loop_2');
  assert.deepEqual([copy.name, copy.title_ua, 'title_en' in copy, copy.graph.lanes[0].items.map(({ agent }) => agent)], ['loop_2', 'Коло (копія)', false, ['loop_2', 'echo']]);
  assert.equal(own.graph.lanes[0].items[0].agent, 'loop');
});

test('every kind of a new agent has the section that it needs', () => {
  assert.deepEqual(spec.newSpec({ name: 'a', kind: 'lanes' }).graph, { lanes: [{ items: [] }] });
  for (const kind of spec.EXECUTORS) {
    const made = spec.newSpec({ name: 'a', titleUa: 'А', kind });
    assert.deepEqual([made.kind, spec.kindOf(made), 'title_en' in made], ['atomic', kind, false]);
    assert.ok(sections.SECTIONS[kind].length > 2);
  }
});

test('what says the same is the same, whatever was left empty', () => {
  assert.ok(spec.sameSpec({ name: 'a', inputs: [], llm: { uses: [], prompt: 'x' } }, { llm: { prompt: 'x' }, name: 'a' }));
  assert.equal(spec.sameSpec({ name: 'a', inputs: [{ name: 'x' }] }, { name: 'a' }), false);
  assert.equal(spec.sameSpec({ a: [1, 2] }, { a: [2, 1] }), false);
});

// -------------------------------------------------------------------- forms

const fields = form.fieldsOf({ inputs: [
  { name: 'text', type: 'string' }, { name: 'depth', type: 'integer', default: 2 }, { name: 'share', type: 'number', required: false },
  { name: 'deep', type: 'boolean' }, { name: 'loud', type: 'boolean', default: true }, { name: 'hidden', type: 'boolean', required: false },
  { name: 'options', type: 'object', required: false }, { name: 'names', type: 'list', required: false }, { name: 'any', required: false },
] });

test('each type has its control and each field what it begins with', () => {
  assert.deepEqual(fields.map(({ control }) => control), ['text', 'number', 'number', 'check', 'check', 'check', 'json', 'json', 'text']);
  assert.deepEqual(fields.map(({ isRequired }) => isRequired), [true, false, false, true, false, false, false, false, false]);
  assert.deepEqual(fields.map(form.firstValue), ['', '2', '', false, true, false, '', '', '']);
});

test('the values of a form are the input of a run', () => {
  const least = form.toInput(fields, { text: 'hi' });
  assert.deepEqual(least, { input: { text: 'hi', deep: false }, faults: {} }); // the service fills in defaults
  const most = form.toInput(fields, { text: ' hi\n', depth: ' 3 ', share: '2,5', deep: true, loud: false, hidden: false, options: '{"a": 1}', names: '[1]', any: '7' });
  assert.deepEqual(most.input, { text: ' hi\n', depth: 3, share: 2.5, deep: true, loud: false, hidden: false, options: { a: 1 }, names: [1], any: 7 });
  assert.equal(form.toInput(fields, { text: 'a', any: 'seven' }).input.any, 'seven');
});

test('what does not fit its type is a fault at its field', () => {
  const { faults } = form.toInput(fields, { text: '  ', depth: '2.5', share: 'x', options: '[1]', names: '{', any: '{' });
  assert.deepEqual(faults, { text: 'form.required', depth: 'form.integer', share: 'form.number', options: 'form.object', names: 'form.json' });
  for (const key of Object.values(faults)) for (const t of [uk, en]) assert.ok(t.has(key), key);
  assert.deepEqual(form.toInput(fields, { text: 'a', names: '{}' }).faults, { names: 'form.list' });
});

test('what the service refuses stands at the field that it names', () => {
  const found = form.assignFaults({ faults: [{ path: 'input.depth', message: 'is too deep' }, { path: 'depth', message: 'really' }, { path: '', message: 'no' }] }, fields);
  assert.deepEqual(found, { depth: 'is too deep really', '': 'no' });
});

test('input that does not fit is told in the language of the page, at the fields that the service names', () => {
  const unfit = (reason) => form.assignFaults({ code: 'bad_input', faults: [], message: `the input does not fit the agent: ${reason}` }, fields);
  const found = [unfit('`depth` must be a whole number from 1 on, not -3'), unfit('give `text` (what is wanted, in words) or `options`'), unfit('it is `odd`')];
  assert.deepEqual(found.map((one) => Object.keys(one)), [['', 'depth'], ['', 'text', 'options'], ['']]);
  for (const key of found.flatMap((one) => Object.values(one))) for (const t of [uk, en]) assert.ok(t.has(key), key);
  assert.match(uk(found[1]['']), /хоча б одне/);
});

test('the plan of an orchestration may be written in YAML, which the service reads', () => {
  const own = form.fieldsOf({ executor: 'orchestration', inputs: [{ name: 'plan', type: 'object', required: false }] });
  const plan = 'steps:\n  - {id: say, agent_id: echo}';
  assert.deepEqual(form.toInput(own, { plan }), { input: { plan }, faults: {} });
  assert.deepEqual(form.toInput(own, { plan: '{"steps": []}' }).input, { plan: { steps: [] } });
  const found = form.assignFaults({ code: 'bad_input', message: 'the input does not fit the agent: `plan` must be of type object, not string' }, own);
  assert.equal(found.plan, 'form.yaml');
  for (const t of [uk, en]) assert.match(t(found.plan), /YAML/);
});

test('a title that a task has from its agent is in the language of the page, and a person\'s words stay', () => {
  const echo = { name: 'echo_simple', title_ua: 'Проста відповідь', title_en: 'Simple echo' };
  assert.deepEqual(['Simple echo: hey', 'Simple echo', 'Проста відповідь: так', 'Simple echoes'].map((title) => spec.translateTitle(title, echo, 'uk')), ['Проста відповідь: hey', 'Проста відповідь', 'Проста відповідь: так', 'Simple echoes']);
  assert.equal(spec.translateTitle('Проста відповідь: так', echo, 'en'), 'Simple echo: так');
  assert.equal(spec.translateTitle('Simple echo: hey', { ...echo, converses: true }, 'uk'), 'Simple echo: hey');
  assert.equal(spec.translateTitle('Simple echo', undefined, 'uk'), 'Simple echo');
});

test('a run that is done again begins with what it was given', () => {
  const given = { text: 'hi', depth: 3, deep: true, options: { a: 1 }, any: null };
  const values = form.fromInput(fields, given);
  assert.deepEqual(values, { text: 'hi', depth: '3', deep: true, options: '{\n  "a": 1\n}' });
  assert.deepEqual(form.toInput(fields, values).input, { text: 'hi', depth: 3, deep: true, options: { a: 1 } });
  assert.deepEqual(form.fromInput(fields, null), {});
  // A secret is never shown: it is given anew.
  assert.deepEqual(form.fromInput(fields, { text: '••••', depth: 3 }), { depth: '3' });
});

test('fields of a section are kept as the file has them', () => {
  const [args, vision, timeout] = [{ kind: 'lines' }, { kind: 'check' }, { kind: 'number' }];
  assert.deepEqual(sections.fieldValue('-l\n\n/tmp\n', args), ['-l', '', '/tmp']); // an empty argument counts
  assert.equal(sections.fieldValue(' \n', args), undefined);
  assert.deepEqual([sections.fieldValue(true, vision), sections.fieldValue(false, vision)], [true, undefined]);
  const mode = { kind: 'mode', options: ['off', 'auto', 'always'] };
  assert.deepEqual([true, false, undefined, 'auto'].map((value) => sections.fieldText(value, 'mode')), ['always', 'off', 'off', 'auto']);
  assert.deepEqual(mode.options.map((value) => sections.fieldValue(value, mode)), [undefined, 'auto', 'always']);
  assert.deepEqual(['', '30', '1,5', 'soon'].map((text) => sections.fieldValue(text, timeout)), [undefined, 30, 1.5, 'soon']);
  assert.equal(sections.fieldValue('', { kind: 'long', isRequired: true }), '');
  assert.deepEqual(sections.otherKeys({ prompt: '', uses: [] }, 'llm'), ['uses']);
});

// --------------------------------------------------------------- conditions

test('a condition keeps its sense when it is asked another way', () => {
  const equals = { var: 'n', equals: 3 };
  assert.deepEqual(when.withOperator(equals, 'not_equals'), { var: 'n', not_equals: 3 });
  assert.deepEqual(when.withOperator(equals, 'in'), { var: 'n', in: [3] });
  assert.deepEqual(when.withOperator({ var: 'n', in: ['a', 'b'] }, 'equals'), { var: 'n', equals: 'a' });
  assert.deepEqual(when.withOperator(equals, 'absent'), { var: 'n', exists: false });
  assert.deepEqual(when.withOperator({ var: 'ok', equals: true }, 'expr'), { expr: 'ok == true' });
  for (const operator of when.OPERATORS) assert.equal(when.operatorOf(when.withOperator(equals, operator)), operator);
});

test('a truth is not asked for as text', () => {
  assert.deepEqual(when.withVariable({ var: '', equals: '' }, 'ok', 'boolean'), { var: 'ok', equals: true });
  assert.deepEqual(when.withVariable({ var: 'a', equals: 'x' }, 'b', 'string'), { var: 'b', equals: 'x' });
  assert.deepEqual(when.withVariable({ expr: 'a' }, 'n', 'integer'), { var: 'n', equals: 0 });
});

test('values have the kind that was picked', () => {
  assert.deepEqual(when.KINDS.map((kind) => when.cast('12', kind)), ['12', false, 12, null]);
  assert.deepEqual(when.KINDS.map((kind) => when.cast(null, kind)), ['', false, 0, null]);
  assert.deepEqual([when.kindOfValue('x'), when.kindOfValue(false), when.kindOfValue(0), when.kindOfValue(null)], when.KINDS);
  const list = ['a', 1, true, null, '1', 'two words'];
  assert.deepEqual(when.linesToList(when.listToLines(list)), list);
});

test('a condition is one short line in both languages', () => {
  assert.deepEqual([uk, en].map((t) => when.whenLine({ var: 'ok', equals: false }, t)), ['ok = ні', 'ok = no']);
  assert.equal(when.whenLine({ var: 'n', in: [1, 'a'] }, en), 'n is one of 1, a');
  assert.equal(when.whenLine({ expr: 'n > 3' }, en), 'n > 3');
  assert.equal(when.whenLine({ var: 'n', exists: false }, en), 'n is not set');
});

test('addresses name pages', () => {
  assert.deepEqual(['', '#/new', '#/runs', '#/nowhere/x'].map((hash) => routeOf(hash).route), ['welcome', 'welcome', 'welcome', 'welcome']);
  assert.deepEqual(routeOf('#/runs/r1/c2'), { route: 'run', id: 'r1', child: 'c2', question: null });
  assert.deepEqual(routeOf('#/runs/r1'), { route: 'run', id: 'r1', child: null, question: null });
  assert.deepEqual(routeOf('#/runs/r1/question/q3'), { route: 'run', id: 'r1', child: null, question: 'q3' });
  assert.deepEqual(['#/agents', '#/agents/echo', '#/agents/echo/run'].map(routeOf), [{ route: 'agents' }, { route: 'editor', name: 'echo' }, { route: 'form', name: 'echo' }]);
  assert.equal(routeOf('#/agents/%E0%A4%A').name, '%E0%A4%A');
});
