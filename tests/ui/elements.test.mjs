// Choices on the first screen and on the card of a question.  // S1.31
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { make, named, within } from './page.mjs';
import { translator } from '../../static/shared/text/locale.js';

await import('../../static/layout/welcome.js');
const { inline, prose, failureText } = await import('../../static/shared/ui/service_text.js');
const { confirmCard, manualCard } = await import('../../static/question/card_kinds.js');

const load = (locale) => translator(JSON.parse(readFileSync(new URL(`../../static/locales/${locale}.json`, import.meta.url), 'utf8')), locale);
const en = load('en');
const open = { state: 'open', everOpen: true, tries: 0 };
const view = { t: en, settings: null, runs: { items: [] }, starting: false, connection: open, route: 'welcome' };

test('the button of the demo stays the same while settings, tasks and the line come and go', () => {
  const welcome = make('af-welcome');
  welcome.update({ ...view, connection: { state: 'connecting', everOpen: false, tries: 0 } });
  const button = named(welcome, 'demo');
  assert.equal(button.disabled, false); // a press now starts the demo with the connection
  welcome.update(view);
  welcome.update({ ...view, settings: { planner: 'commands' } });
  welcome.update({ ...view, settings: { planner: 'model' }, runs: { items: [{ run_id: 'r1', status: 'waiting', title: 'x' }] } });
  assert.equal(named(welcome, 'demo'), button);
  welcome.update({ ...view, starting: true });
  assert.deepEqual([named(welcome, 'demo') === button, button.disabled, button.textContent], [true, true, 'Starting…']);
  welcome.update({ ...view, connection: { state: 'waiting', everOpen: true, tries: 1 } });
  assert.equal(button.disabled, true);
});

const manual = { kind: 'manual', reference: 'q1', reason: '', text: 'Log in', payload: {}, remember: [] };
const parts = (lease) => ({ lease: { possible: true, holder: null, mine: false, ...lease }, own: false, count: 1, answer() {}, control() {} });
const offered = (card) => within(card).all.filter((node) => node.tag === 'button').map((node) => node.dataset.testid).filter(Boolean);

test('whoever looks on while another has the page is offered neither the page nor its Done', () => {
  assert.deepEqual(offered(manualCard(manual, en, parts({}))), ['card-take-over', 'done']);
  assert.deepEqual(offered(manualCard(manual, en, parts({ holder: 's1', mine: true }))), ['done']);
  const others = manualCard(manual, en, parts({ holder: 's7' }));
  assert.deepEqual(offered(others), []);
  assert.equal(named(within(others), 'held').textContent, 'Someone else is in control');
});

test('what is sent stands before the picture, and the rule is said in words', () => {
  const q = {
    kind: 'confirm', reference: 'q1', reason: 'A password or code will be sent to the site.', text: '', remember: ['once'],
    payload: { effect: 'Sign in', risk: 'medium', rule: 'credentials', page: { url: 'http://shop.test/', title: 'Shop' }, screenshot: '/p/1', values: { File: 'report.pdf (12 kB)' } },
  };
  const card = within(confirmCard(q, en, parts({})));
  const indices = ['card-values', 'card-rule', 'card-picture'].map((name) => card.all.findIndex((node) => node.className === name));
  assert.deepEqual(indices, [...indices].sort((a, b) => a - b));
  assert.ok(indices[0] > 0);
  assert.doesNotMatch(card.textContent, /Rule:|credentials/);
  assert.match(card.querySelector('.card-rule').attributes.title, /credentials/); // id, for finding the rule
  assert.match(card.textContent, /A password or code will be sent to the site\./);
});

test('a question before a program names its inputs in words, and says that it is run with them', () => {
  const q = (effect_class) => ({
    kind: 'confirm', reference: 'q1', reason: '', text: '', remember: ['once'],
    payload: { effect: 'Run the program of the agent “Write a file”.', about: 'Writes a text into a file of this run.', risk: 'high', rule: 'python', effect_class, page: null, values: { name: 'a.txt', other: 'x' }, labels: { name: 'The file’s name' } },
  });
  const card = within(confirmCard(q('python'), en, parts({})));
  const [caption, name, other] = ['caption', 'th', 'th'].map((tag, at) => card.all.filter((node) => node.tag === tag)[Math.max(0, at - 1)]);
  assert.deepEqual([caption.textContent, name.textContent, name.attributes.title, other.textContent], ['Input values', 'The file’s name', 'name', 'other']);
  assert.match(card.textContent, /Writes a text into a file of this run/);
  assert.match(within(confirmCard(q('tool'), en, parts({}))).textContent, /What will be sent/);
});

test('why a step failed is a sentence for people, and what the code broke with unfolds', () => {
  const response = 'There is no file “nope.txt”.\n\nFileNotFoundError: no\n\nWhere:\n```\nline 4: raise\n```';
  const nodes = within(failureText(en, 'FileNotFoundError: no', response));
  const fold = nodes.all.find(({ tag }) => tag === 'details');
  assert.match(nodes.textContent, /^There is no file “nope.txt”\./);
  assert.match(fold.textContent, /FileNotFoundError: no.*line 4: raise/s);
  assert.equal(within(failureText(en, 'timed out', 'other\n\nwords')).textContent, 'timed out');
});

test('what stands between fences or backticks is code, whatever it says', () => {
  const codes = (nodes) => within(nodes).all.filter(({ tag, className }) => tag === 'code' || className === 'code-block').map((node) => node.textContent);
  assert.deepEqual(codes([inline('Run `a <b>` and `c`, not ` alone')].map((list) => list.filter((one) => typeof one !== 'string'))), ['a <b>', 'c']);
  const fault = prose('ValueError: `x`\n\nWhere:\n```\nline 1: n = int(`x`)\n```');
  assert.deepEqual(codes(fault), ['x', 'line 1: n = int(`x`)']);
  assert.doesNotMatch(within(fault).textContent, /```/);
});

test('the fields of an orchestration are named in words, and its plan shows a step that can be carried out', async () => {
  await import('../../static/agents/run_form.js');
  const page = make('af-run-form');
  page.querySelector = () => null;
  const agent = (executor) => ({ name: 'x', kind: 'composite', executor, inputs: [{ name: 'prompt', type: 'string', required: false, description: 'Instead of `plan`.' }, { name: 'plan', type: 'object', required: false }] });
  const labels = (executor) => {
    page.replaceChildren();
    page.update({ t: en, route: 'form', connection: open, form: { name: 'x', agent: agent(executor), values: {}, faults: {} } });
    return page.all.filter(({ tag }) => tag === 'label').map((label) => label.textContent);
  };
  assert.deepEqual(labels('orchestration'), ['What to do prompt', 'A ready plan plan']);
  const step = page.all.find(({ dataset }) => dataset.testid === 'input-plan').attributes.placeholder;
  assert.match(step, /^steps:\n {2}- id: say\n {4}agent_id: echo\n/); // YAML, as the documentation writes plans
  assert.doesNotMatch(page.textContent, /`/);
  assert.deepEqual(labels('lanes'), ['prompt', 'plan']);
});
