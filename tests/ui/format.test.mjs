// Facts as sentences, in both languages; completeness of the locale files.  // S0.38, C18
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { translator, pickLocale, duration } from '../../static/shared/text/locale.js';
import { errorWord, ruleWord, shortTitle, taskTitle } from '../../static/shared/text/format.js';
import { line } from '../../static/chat/entry_text.js';
import { advice, actionLine } from '../../static/shared/text/action_text.js';
import { questionTitle } from '../../static/question/question_text.js';
import { translateQuestion } from '../../static/question/questions.js';
import { emptyRun, reduceRun } from '../../static/run_state/run.js';
import { story, event, confirm, purchase } from './facts.mjs';

const load = (locale) => JSON.parse(readFileSync(new URL(`../../static/locales/${locale}.json`, import.meta.url), 'utf8'));
const words = { uk: load('uk'), en: load('en') };
const uk = translator(words.uk, 'uk');
const en = translator(words.en, 'en');

const entries = (...facts) => story(...facts).reduce(reduceRun, emptyRun()).entries;
const lines = (facts, t) => facts.reduce(reduceRun, emptyRun()).entries.map((entry) => line(entry, t));

const act = (action, params, target, end = { ok: true }) =>
  entries(event('action_started', { action_id: 'a', action, params, target }), event('action_finished', { action_id: 'a', action, dropped: [], ...end }))[0];

test('a purchase in English', () => {
  assert.deepEqual(lines(purchase, en), [
    'open shop.test click Place order', 'Opened shop.test/cart', 'Page: Cart',
    'You approved', 'Clicked button “Place order”', 'Ordered.', 'The task is done',
  ]);
});

test('a purchase in Ukrainian', () => {
  assert.deepEqual(lines(purchase, uk).slice(1), [
    'Відкрито shop.test/cart', 'Сторінка: Cart', 'Ви дозволили', 'Натиснуто кнопку «Place order»', 'Ordered.', 'Завдання виконано',
  ]);
});

const ACTIONS = ['navigate', 'back', 'forward', 'reload', 'click', 'type', 'select', 'press', 'hover', 'drag', 'scroll', 'wait', 'upload', 'dialog', 'tab', 'extract', 'need_user', 'ask_user', 'replan', 'stop'];
const PARAMS = { url: 'http://a.test/', text: 'olena', option: 'Poland', key: 'Enter', seconds: 2, direction: 'down', eid: 3 };

test('every action has three sentences in both languages, without holes', () => {
  for (const t of [uk, en]) {
    for (const action of ACTIONS) {
      const texts = ['running', 'ok', 'failed'].map((state) => actionLine({ action, params: PARAMS, target: { role: 'button', name: 'Go' }, state }, t));
      assert.equal(new Set(texts).size, 3, `${action}: ${texts}`);
      for (const text of texts) assert.doesNotMatch(text, /[{}]|undefined|action\./, text);
    }
  }
});

test('actions say what and where', () => {
  assert.equal(line(act('type', { eid: 3, text: 'olena' }, { role: 'textbox', name: 'Login' }), en), 'Typed “olena” into field “Login”');
  assert.equal(line(act('select', { options: ['A', 'B'] }, { role: 'combobox', name: 'Size' }), en), 'Selected “A, B” in dropdown “Size”');
  assert.equal(line(act('scroll', { direction: 'down' }), uk), 'Прокручено вниз');
  assert.equal(line(act('wait', { text: 'Ready' }), en), '“Ready” appeared');
  assert.equal(line(act('extract', {}), en), 'Read the page');
  assert.equal(line(act('click', { eid: 7 }, null, { ok: false, error: { code: 'dead_eid' } }), en), 'Could not click element 7');
  assert.equal(line(act('agent_x', {}), en), 'Done: agent_x');
});

test('a click on a checkbox or switch says what it became', () => {
  const clicked = (role, checked, more) => act('click', { eid: 4 }, { role, name: 'Terms', checked }, more);
  assert.deepEqual([false, true].map((was) => line(clicked('checkbox', was), en)), ['Ticked checkbox “Terms”', 'Unticked checkbox “Terms”']);
  assert.deepEqual([false, true].map((was) => line(clicked('switch', was), uk)), ['Увімкнено перемикач «Terms»', 'Вимкнено перемикач «Terms»']);
  assert.equal(line(clicked('checkbox', null), en), 'Toggled checkbox “Terms”'); // older tasks, or unknown state
  assert.equal(line(clicked('checkbox', true, { ok: false, error: { code: 'covered' } }), en), 'Could not toggle checkbox “Terms”');
});

test('a question of the service is read in the language of its reader, whatever language its run speaks', () => {
  const texts = { uk: { text: 'Купити', reason: 'Це покупка.', about: 'Про', labels: { n: 'Назва' } }, en: { text: 'Buy', reason: 'This is a purchase.', about: 'About', labels: { n: 'Name' } } };
  const bought = { kind: 'confirm', text: 'Купити', reason: 'Це покупка.', payload: { effect: 'Купити', about: 'Про', labels: { n: 'Назва' }, texts } };
  assert.deepEqual([questionTitle(bought, uk), questionTitle(bought, en)], ['Купити', 'Buy']);
  const { reason, payload } = translateQuestion(bought, 'en');
  assert.deepEqual([reason, payload.about, payload.labels.n], ['This is a purchase.', 'About', 'Name']);
  // The answer is one of the offered values; only the text of the button changes.
  const ways = { kind: 'question', text: 'Що робити?', payload: { question: 'Що робити?', options: ['Пропустити'], texts: { en: { text: 'What now?', options: ['Skip it'] } } } };
  assert.deepEqual(translateQuestion(ways, 'en').payload.options, [{ value: 'Пропустити', label: 'Skip it' }]);
  // Texts of the agent stay as they are, as do older questions.
  const own = { kind: 'question', text: 'Яке місто?', reason: 'Агент має запитання', payload: { question: 'Яке місто?', texts: { en: { reason: 'The agent has a question' } } } };
  assert.deepEqual([questionTitle(own, en), translateQuestion(own, 'en').reason], ['Яке місто?', 'The agent has a question']);
  assert.equal(questionTitle({ text: 'Старе', payload: {} }, en), 'Старе');
});

test('a permission says what it is about, whatever language', () => {
  const shipped = [...readFileSync(new URL('../../config/policy.yaml', import.meta.url), 'utf8').matchAll(/- id: (\S+)(?=[\s\S]*?decision: (\w+))/g)];
  const asking = shipped.filter(([, , decision]) => decision === 'requires_confirmation').map(([, id]) => id);
  assert.ok(asking.includes('unknown') && asking.length > 15, String(asking));
  for (const id of asking) for (const t of [uk, en]) assert.ok(t.has(`rule.${id}`), id);
  assert.deepEqual([ruleWord('unknown', en), ruleWord('mine', en)], ['Clicks whose effect is unclear', 'Rule mine']);
});

test('an action keeps what it did', () => {
  const texts = { uk: 'Відкрилося: вікно «Delete?»', en: 'Opened dialog “Delete?”' };
  const ends = [{ ok: true, summary: 'opened dialog "Delete?"', summary_texts: texts }, { ok: true }].map((end) => entries(event('action_finished', { action_id: 'a', action: 'click', dropped: [], ...end }))[0]);
  assert.deepEqual(ends.map((entry) => entry.summaryTexts), [texts, null]);
});

test('every other fact has a line', () => {
  const shown = entries(
    event('policy', { decision: 'deny', rule: 'no_files', risk: 'high', effect: 'navigate', action_id: 'a1' }),
    event('plan', { items: [{ description: 'x', status: 'COMPLETED' }, { description: 'y' }] }),
    event('task', { task_id: 'build-1', status: 'running', progress: 0.4 }),
    event('lease', { holder: 's1' }), event('lease', { holder: null }), { type: 'status', status: 'running' }, event('compacted', { entries: 40, summary: 'It began.' }), event('budget', { limit: 'tokens', used: 41_000, most: 50_000 }),
    { type: 'error', code: 'internal', message: '' },
  ).map((entry) => line(entry, en));
  assert.deepEqual(shown, ['Not allowed: opening this page', 'Made a plan with 2 items', 'Running in the background: build-1', 'You took over', 'You handed control back', '40 earlier entries were condensed into a summary', '82% of the token limit used: 41K of 50K', 'Something went wrong in the service.']);
});

test('facts that are only state make no noise', () => {
  assert.deepEqual(entries(event('node', { node: 'plan_action' }), event('usage', {}), event('state_updated', { steps: 1 }), event('policy', { decision: 'allow' }), event('something_new', {}), { type: 'something_new' }), []);
});

const resolved = (question, answer) => line(entries(question, { type: 'question_resolved', reference: 'q1', ...answer })[0], en);

const own = { client: { id: 'w1', kind: 'page', name: 'Chrome, Linux', you: true } };

test('every way a question ends has its own words', () => {
  const ask = { ...confirm, kind: 'question', payload: { question: 'Which?' } };
  const manual = { ...confirm, kind: 'manual', payload: { text: 'Log in' } };
  assert.equal(resolved(confirm, { by: 'user', ...own, answer: { confirmed: false } }), 'You declined');
  assert.equal(resolved(confirm, { by: 'user', ...own, answer: { confirmed: false, comment: 'take the vase' } }), 'You declined: “take the vase”');
  assert.equal(resolved(confirm, { by: 'user', ...own, answer: true }), 'You approved');
  assert.equal(resolved(confirm, { by: 'expired' }), 'Time ran out before you answered, so nothing was done');
  assert.equal(resolved(confirm, { by: 'stopped' }), 'The task was stopped before you answered');
  assert.equal(resolved(ask, { by: 'user', ...own, answer: { text: 'blue' } }), 'You answered: “blue”');
  assert.equal(resolved(ask, { by: 'user', ...own, answer: 'blue' }), 'You answered: “blue”');
  assert.equal(resolved(manual, { by: 'user', ...own, answer: { done: true } }), 'You did your part');
  assert.equal(line(entries(ask)[0], en), 'Which?');
});

// "You approved" stands only in the window that answered.
test('an answer of somebody else says where it was given, and one of nobody known names nobody', () => {
  const by = (kind, name = null) => ({ by: 'user', client: { id: 'x', kind, name } });
  const approved = (client) => resolved(confirm, { ...client, answer: { confirmed: true } });
  assert.deepEqual(['page', 'api', 'openai', 'cli'].map((kind) => approved(by(kind))), ['Approved in another window', 'Approved through the API', 'Approved from a chat client', 'Approved from the command line']);
  assert.deepEqual([approved(by('mcp', 'Inspector')), approved(by('mcp')), approved({ by: 'user' })], ['Approved by Inspector over MCP', 'Approved by a program over MCP', 'Approved']);
  assert.equal(resolved(confirm, { ...by('page'), answer: { confirmed: false, comment: 'the vase' } }), 'Declined in another window: “the vase”');
  for (const t of [uk, en]) {
    for (const kind of ['confirm', 'budget', 'approve_plan', 'question', 'manual']) {
      for (const answer of [{ confirmed: true }, { confirmed: false }, { confirmed: false, comment: 'no' }, { text: 'blue' }, { done: true }, {}]) {
        const shown = line(entries({ ...confirm, kind }, { type: 'question_resolved', reference: 'q1', ...by('page'), answer })[0], t);
        assert.match(shown, /in another window|в іншому вікні/, `${kind} ${JSON.stringify(answer)}`);
      }
    }
  }
});

test('every status, outcome and error code is worded', () => {
  for (const t of [uk, en]) {
    for (const status of ['queued', 'running', 'waiting', 'paused', 'succeeded', 'partial', 'failed', 'skipped', 'cancelled', 'denied', 'blocked', 'exhausted']) assert.ok(t.has(`status.${status}`), status);
    for (const outcome of ['succeeded', 'partial', 'failed', 'skipped', 'cancelled', 'denied', 'blocked', 'exhausted']) assert.ok(t.has(`ended.${outcome}`), outcome);
    for (const code of ['bad_message', 'unknown_run', 'unknown_agent', 'unknown_reference', 'already_resolved', 'expired', 'no_lease', 'lease_held', 'busy', 'internal', 'offline']) {
      assert.ok(t.has(`error.${code}`) && t.has(`advice.${code}`), code);
    }
    assert.ok(advice({ code: 'covered' }, t).length > 10);
    assert.equal(advice({ code: 'never_heard_of' }, t), t('advice.any'));
    assert.equal(errorWord({ code: 'never_heard_of', message: 'boom' }, t), 'boom');
  }
});

test('both languages have the same keys, placeholders and shapes', () => {
  assert.deepEqual(Object.keys(words.uk).sort(), Object.keys(words.en).sort());
  const holes = (value) => [...new Set(JSON.stringify(value).match(/\{\w+\}/g) ?? [])].sort();
  for (const key of Object.keys(words.uk)) {
    assert.deepEqual(holes(words.uk[key]), holes(words.en[key]), key);
    assert.equal(Array.isArray(words.uk[key]), Array.isArray(words.en[key]), key);
  }
});

test('every text is in its language', () => {
  const texts = (value) => (typeof value === 'string' ? [value] : Object.values(value).flatMap(texts));
  const cyrillic = /[\u0400-\u04ff]/;
  const letters = (text) => /\p{L}/u.test(text.replace(/\{\w+\}/g, ''));
  // The switch names the other language.
  for (const key of Object.keys(words.uk).filter((name) => !name.startsWith('locale.'))) {
    for (const text of texts(words.en[key])) assert.ok(text.trim() && !cyrillic.test(text), `en, ${key}: ${text}`);
    // Names such as Python are equal in both.
    const same = JSON.stringify(words.uk[key]) === JSON.stringify(words.en[key]);
    for (const text of texts(words.uk[key])) {
      assert.ok(text.trim() && (same || cyrillic.test(text) || !letters(text)), `uk, ${key}: ${text}`);
    }
  }
});

test('every key that the code names exists', () => {
  const folder = new URL('../../static/', import.meta.url);
  for (const file of readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.js'))) {
    const source = readFileSync(new URL(file, folder), 'utf8');
    for (const [, key] of source.matchAll(/\bt(?:\.list)?\('([a-z0-9_.]+)'/gi)) assert.ok(key in words.en, `${file}: ${key}`);
  }
});

test('the language of first use', () => {
  assert.equal(pickLocale('uk-UA', null), 'uk');
  assert.equal(pickLocale(['ru', 'uk', 'en'], null), 'uk');
  assert.equal(pickLocale(['de-DE', 'en-GB', 'uk'], null), 'en');
  assert.equal(pickLocale(['ru', 'de'], null), 'en');
  assert.equal(pickLocale(undefined, null), 'en');
  assert.equal(pickLocale('de-DE', null), 'en');
  assert.equal(pickLocale('de-DE', 'uk'), 'uk');
  assert.equal(pickLocale('uk', 'xx'), 'uk');
});

test('plurals, numbers, times, titles', () => {
  assert.equal(uk('steps', { n: 1 }), '1 крок');
  assert.equal(uk('steps', { n: 3 }), '3 кроки');
  assert.equal(uk('steps', { n: 11 }), '11 кроків');
  assert.equal(en('steps', { n: 2 }), '2 steps');
  assert.equal(duration(42), '0:42');
  assert.equal(duration(3727), '1:02:07');
  assert.equal(taskTitle('open http://x:1/demo/\nclick Cart', 'http://x:1'), 'open /demo/; click Cart');
});

test('a title names the first order and counts the rest, so that no typed password stands in it', () => {
  const title = 'відкрий http://x:1/demo/\n\nвпиши demo-pass-1 в Пароль\nнатисни Увійти';
  assert.equal(shortTitle(title, 'http://x:1', uk), 'відкрий /demo/ · ще 2 команди');
  assert.equal(shortTitle('open a.test', 'http://x:1', en), 'open a.test');
  assert.equal(shortTitle('', 'http://x:1', en), '');
});

test('a step that was cut short says so, and not that it failed', () => {
  const cut = entries(event('action_started', { action_id: 'a', action: 'navigate', params: { url: 'http://a.test/' } }), { type: 'status', status: 'paused' })[0];
  assert.equal(line(cut, en), 'Opening a.test: interrupted');
  assert.equal(line(cut, uk), 'Відкриваю a.test — перервано');
});

test('an answer of the model without an action says so, and that the model is asked again', () => {
  const refused = { ok: false, error: { code: 'invalid_action', message: 'the turn has no action' } };
  for (const action of ['none', '']) {
    const entry = entries(event('action_finished', { action_id: 'a', action, dropped: [], ...refused }))[0];
    assert.deepEqual([line(entry, en), advice(entry.error, en, entry.action)], ['The model’s answer could not be used', 'Askfirst asks it again.']);
    assert.deepEqual([line(entry, uk), advice(entry.error, uk, entry.action)], ['Відповідь моделі не вдалося використати', 'Askfirst запитає модель ще раз.']);
  }
  const click = act('click', { eid: 3 }, { role: 'button', name: 'Buy' }, refused);
  assert.match(advice(click.error, en, click.action), /not possible on the page/);
});

test('every fault that an action can end with says what happens next, in both languages', () => {
  const source = readFileSync(new URL('../../src/browser/error.rs', import.meta.url), 'utf8');
  const codes = [...source.matchAll(/^ +\w+ = "([a-z_]+)",$/gm)].map(([, code]) => code);
  assert.ok(codes.length > 20);
  for (const code of [...codes, 'invalid_action', 'approval_void', 'outcome_unknown', 'denied']) {
    for (const t of [uk, en]) assert.ok(t.has(`advice.${code}`), code);
  }
});

test('no text is left that nothing shows', () => {
  const folder = new URL('../../static/', import.meta.url);
  const sources = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.js') && !name.startsWith('docs'));
  const signIn = ['sign_in.html', 'sign_in_page.rs'].map((name) => readFileSync(new URL(`../../src/http/guard/${name}`, import.meta.url), 'utf8').replaceAll('"', "'"));
  const code = [...sources.map((name) => readFileSync(new URL(name, folder), 'utf8')), ...signIn].join('\n');
  const families = [...code.matchAll(/`([a-z_.]+\.)\$\{/g)].map(([, start]) => start);
  const codes = /^(advice|error)\./; // made from codes of the server
  const unused = Object.keys(words.en).filter((key) => !code.includes(`'${key}'`) && !families.some((start) => key.startsWith(start)) && !codes.test(key));
  assert.deepEqual(unused, []);
});

const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('every rule that a decision or a request may name has words', () => {
  const policy = [...read('config/policy.yaml').matchAll(/^\s*- id: (\S+)/gm)].map(([, id]) => id);
  const own = ['src/gate/assessment.rs', 'src/gate/held_effects/navigation.rs', 'src/gate/wire_layer/mod.rs', 'src/programs/conversation/questions/flow_question.rs'].map(read).join('\n');
  const builtIn = [...own.matchAll(/(?:ASKED_AT_THE_WIRE: &str = "|rule: String::from\("|"rule": "|"rule:)([a-z-]+)"/g)].map(([, id]) => id);
  assert.ok(policy.length > 60 && ['flow', 'asked-at-the-wire', 'unchanged'].every((id) => builtIn.includes(id)), `${policy.length} ${builtIn}`);
  for (const id of [...policy, ...builtIn]) assert.ok(`rule.${id}` in words.en && `rule.${id}` in words.uk, id);
});

test('every role that a target may have has a word', () => {
  const source = read('src/browser/injected/dom/roles.js');
  const lists = [...source.matchAll(/words\(\s*((?:"[a-z ]+"[\s+,]*)+)\)/g)].map(([, list]) => list.replace(/[^a-z ]/g, '')).join(' ');
  const known = /const KNOWN = new Set\(\[([\s\S]*?)\]\)/.exec(source)[1];
  const tags = [...source.matchAll(/const (?:INPUT|TAG)_ROLES = \{([\s\S]*?)\};/g)].map(([, map]) => map.replace(/[\w-]+:/g, '')).join(' ');
  const editable = /const EDITABLE_INPUTS = words\("([a-z -]+)"\)/.exec(source)[1].split(' ');
  const UNNAMED = ['presentation', 'none', 'generic', 'directory']; // never told: such elements have no line, a directory is a list
  const roles = new Set(`${lists} ${known.replace(/[^a-z ]/g, ' ')} ${tags.replace(/[^a-z ]/g, ' ')}`.split(/\s+/).filter(Boolean));
  for (const name of [...UNNAMED, ...editable]) if (!['search', 'text'].includes(name)) roles.delete(name);
  assert.ok(roles.size > 60 && roles.has('file') && roles.has('treeitem'), String(roles.size));
  for (const role of roles) assert.ok(`role.${role}` in words.en && `role.${role}` in words.uk, role);
});
