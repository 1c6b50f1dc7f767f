// Waiting questions are counted by the service's own number, and each is one press away.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import './page.mjs';

globalThis.addEventListener = () => {};
globalThis.setInterval = () => 0;
globalThis.customElements = { of: {}, define(name, type) { this.of[name] = type; } };
Object.assign(globalThis.document, { hidden: false, activeElement: null });
globalThis.Node ??= globalThis.HTMLElement;
globalThis.HTMLElement.prototype.contains ??= () => false;
const { WaitingQuestions } = await import('../../static/question/waiting_questions.js');
const { translator } = await import('../../static/shared/text/locale.js');
await import('../../static/question/waiting_strip.js');

const words = (locale) => JSON.parse(readFileSync(new URL(`../../static/locales/${locale}.json`, import.meta.url), 'utf8'));
const [en, uk] = ['en', 'uk'].map((locale) => translator(words(locale), locale));

const asked = (n) => ({ type: 'agent_question', reference: `q${n}`, kind: 'confirm', text: `May I ${n}?`, payload: {}, run_id: `c${n}`, root_run_id: `r${n}` });

/** Service with so many open questions. */
function service(count) {
  const sent = [];
  const state = { all: Array.from({ length: count }, (_, n) => asked(n)) };
  globalThis.fetch = async (path) => {
    sent.push(path);
    const query = new URL(path, 'http://here').searchParams;
    const from = Number(query.get('cursor') ?? 0);
    const items = state.all.slice(from, from + Number(query.get('limit')));
    const next = from + items.length;
    return new Response(JSON.stringify({ items, total: state.all.length, cursor: next < state.all.length ? String(next) : null, tasks: Object.fromEntries(items.map(({ root_run_id: id }) => [id, { title: `Task ${id}`, agent: 'browser' }])) }));
  };
  return { sent, state };
}

test('the number is the service’s own, and the list is read a page at a time', async () => {
  const { sent, state } = service(45);
  let drawn = 0;
  const waiting = new WaitingQuestions(() => { drawn += 1; });
  await waiting.tell({ total: 45 });
  assert.deepEqual([waiting.list.total, waiting.list.items.length, waiting.list.cursor], [45, 20, '20']);
  assert.match(sent[0], /status=waiting/);
  await waiting.more();
  await waiting.more();
  assert.deepEqual([waiting.list.items.length, waiting.list.cursor, Object.keys(waiting.list.tasks).length], [45, null, 45]);
  state.all.splice(0, 1);
  const before = drawn;
  await waiting.tell({ total: 44 });
  assert.deepEqual([waiting.list.total, waiting.list.items.length], [44, 44]);
  assert.ok(drawn > before);
});

test('an older list that comes late takes nothing away', async () => {
  const { state } = service(1);
  const waiting = new WaitingQuestions(() => {});
  let late;
  const real = globalThis.fetch;
  globalThis.fetch = () => new Promise((resolve) => { late = resolve; });
  const first = waiting.reload();
  globalThis.fetch = real;
  state.all.push(asked(7));
  await waiting.reload();
  late(new Response(JSON.stringify({ items: [], total: 0, cursor: null, tasks: {} })));
  await first;
  assert.equal(waiting.list.total, 2);
});

function strip(view) {
  const element = new globalThis.customElements.of['af-waiting']();
  const list = { total: 2, items: [asked(1), asked(2)], cursor: null, tasks: { r1: { title: 'Buy a lamp', agent: 'browser' }, r2: { title: '', agent: 'env' } } };
  element.update({ t: en, waiting: list, route: 'welcome', question: null, questionReadonly: true, agents: {}, ...view });
  return element;
}

const linksOf = (element) => element.all.filter(({ tag }) => tag === 'a').map((link) => [link.href ?? link.attributes.href, link.textContent]);

test('the strip leads to each question by one link, and says whose it is', () => {
  assert.deepEqual(linksOf(strip({})), [['#/runs/r1/question/q1', 'May I 1? Buy a lamp'], ['#/runs/r2/question/q2', 'May I 2? env']]);
  assert.match(strip({}).textContent, /^2 questions are waiting for you/);
  assert.match(strip({ t: uk }).textContent, /^2 запитання чекають на вас/);
  const many = strip({ waiting: { total: 30, items: [asked(1)], cursor: 'x', tasks: { r1: { title: 'a', agent: 'b' } } } });
  assert.match(many.textContent, /Show 29 more/);
});

test('it is not there where nothing waits, or only what is read already', () => {
  const none = { total: 0, items: [], cursor: null, tasks: {} };
  const one = { total: 1, items: [asked(1)], cursor: null, tasks: { r1: { title: 'a', agent: 'b' } } };
  const read = { route: 'run', question: { reference: 'q1' }, questionReadonly: false };
  assert.deepEqual([strip({ waiting: none }).hidden, strip({ waiting: one }).hidden, strip({ waiting: one, ...read }).hidden, strip({ waiting: one, ...read, route: 'agents' }).hidden, strip(read).hidden], [true, false, true, false, false]);
});
