// Question cards of the gate: a request that is held, a second question, a text that goes to another site.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { named, within } from './page.mjs';
import { translator } from '../../static/shared/text/locale.js';

const { confirmCard } = await import('../../static/question/card_kinds.js');
const { inline, isolated } = await import('../../static/shared/ui/service_text.js');
const { h } = await import('../../static/shared/ui/dom.js');
const { question } = await import('../../static/question/questions.js');
const { differingPart } = await import('../../static/question/wire/difference.js');
const { hostOf, placeOf, visible } = await import('../../static/shared/text/visible.js');

const [en, uk] = ['en', 'uk'].map((locale) => translator(JSON.parse(readFileSync(new URL(`../../static/locales/${locale}.json`, import.meta.url), 'utf8')), locale));
const answers = [];
const parts = { lease: { possible: true, holder: null, mine: false }, own: false, count: 1, answer: (fields) => answers.push(fields), control() {} };
const card = (payload, { t = en, remember = ['once'] } = {}) => within(confirmCard(question({ reference: 'q1', run_id: 'r1', kind: 'confirm', reason: 'It changes something.', text: '', payload, remember }), t, parts));
const order = (root, ...tests) => tests.map((matches) => root.all.findIndex(matches));
const isClass = (name) => (node) => (node.className ?? '').split(' ').includes(name);
const isOrdered = (indices) => indices.every((at, i) => at >= 0 && (i === 0 || at > indices[i - 1]));
const textOf = (root, name) => root.all.find(isClass(name))?.textContent ?? null;

const wire = {
  layer: 'wire', effect: 'Change the cart at shop.example: product, quantity (“Add to cart”)', effect_class: 'submit', risk: 'medium', rule: 'submit',
  page: { url: 'https://www.shop.example/lamps', title: 'Lamps', origin: 'https://pay.example' }, screenshot: '/p/1', target: { role: 'button', name: 'Add to cart' },
  action: { action: 'click', eid: 4, action_id: 'a2' }, caused_by: 'a2', subject: 'Aurora lamp', dialog: { title: 'Add 2 lamps?', text: 'They are reserved.' },
  request: { method: 'POST', url: 'https://pay.example/cart/88?ref=x', origin: 'https://pay.example', content_type: 'application/json', size: 90 },
  values: { product: 'aurora', quantity: '2', token: '••••' }, changed: null,
  covers: { origin: 'https://pay.example', method: 'POST', path: '/cart/*', fields: ['product', 'quantity'], role: 'button Add to cart' },
};
const old = { effect: 'Place the order', risk: 'high', rule: 'buy', page: { url: 'http://shop.test/cart', title: 'Cart', origin: 'http://shop.test' }, screenshot: '/p/1', values: { Card: '••••' } };

test('values that the page does not show are shown as well, more than a few of them unfold', () => {
  const tables = (hidden, t = en) => card({ ...old, hidden }, { t }).all.filter(({ dataset }) => dataset?.testid === 'hidden-values').map(({ textContent }) => textContent);
  assert.deepEqual(tables({}), []);
  assert.deepEqual(tables(undefined), []);
  assert.deepEqual(tables({ slot: '14:00' }), ['Also sent, but not shown on the page' + 'slot14:00']);
  const [first, rest] = tables({ a: '1', b: '2', c: '3', d: '4' }, uk);
  assert.match(first, /a1b2c3$/);
  assert.equal(rest, 'd4');
  // One that the table of values shows already is not repeated.
  assert.deepEqual(tables({ Card: '••••' }), []);
  assert.ok(isOrdered(order(card({ ...wire, hidden: { slot: '14:00' } }), isClass('card-values'), isClass('card-hidden'), isClass('card-place'))));
});

test('the sentence stands first, then the thing, where it goes and the values, and the picture last', () => {
  for (const t of [en, uk]) {
    const root = card(wire, { t });
    assert.ok(isOrdered(order(root, isClass('card-title'), isClass('card-subject'), isClass('card-details'), isClass('card-values'), isClass('card-place'), isClass('card-after'), isClass('card-rule'), isClass('card-picture'))));
    assert.equal(root.all.filter(({ tag }) => tag === 'h2').length, 1);
    assert.match(textOf(root, 'card-subject'), /Aurora lamp/);
    assert.match(textOf(root, 'card-place'), /^www\.shop\.exampleLamps/); // the page, not the destination
    assert.equal(textOf(card({ ...wire, subject: 'Lamps' }, { t }), 'card-subject'), null); // the page's title says so
  }
});

test('details tell host, method, whole address, dialog and the action before it', () => {
  const root = card(wire);
  assert.equal(textOf(root, 'card-host'), 'pay.example');
  assert.equal(textOf(root, 'card-method'), 'POST');
  assert.equal(textOf(root, 'card-address'), wire.request.url);
  assert.match(textOf(root, 'card-details'), /In the dialogAdd 2 lamps\?They are reserved\./);
  const cause = root.all.find(isClass('card-cause'));
  assert.deepEqual([cause.textContent, cause.attributes.href], ['Clicked button “Add to cart”', '#/inside/r1']);
  assert.match(textOf(card({ ...wire, caused_by: null }), 'card-after'), /the page sends this by itself/);
  assert.doesNotMatch(root.textContent, /wire|layer/i);
});

test('a file among the values has name, type and size; an unreadable body type and size alone', () => {
  const files = card({ ...wire, values: { cv: { file_name: 'cv.pdf', content_type: 'application/pdf', size: 1200 }, tree: { a: 1 } } });
  assert.match(textOf(files, 'card-values'), /cvcv\.pdfapplication\/pdf · 1 kB.*tree\{"a":1\}/);
  const request = { ...wire.request, content_type: 'application/x-protobuf', size: 18000 };
  const unread = /Contents.*application\/x-protobuf · 18 kB.*cannot read/;
  assert.match(card({ ...wire, request, values: { body: 'application/x-protobuf, 18000 B' } }).textContent, unread);
  assert.match(card({ ...wire, request, values: {} }).textContent, unread);
  // A text value that reads so is shown as the text that it is.
  assert.doesNotMatch(card({ ...wire, values: { body: 'image/png, 5 B' } }).textContent, /cannot read/);
});

test('a file that has arrived is told as one, in the words of the page', () => {
  const payload = { ...wire, effect_class: 'download', values: { file: 'tools.exe', type: 'Windows program', size: '3 kB' }, request: { method: 'GET', url: 'http://a.test/get', origin: 'a.test', content_type: 'Windows program', size: 3002 } };
  assert.match(textOf(card(payload), 'card-details'), /^Comes froma\.test GET/);
  assert.equal(textOf(card(payload), 'card-values'), 'What was downloadedFiletools.exeTypeWindows programSize3 kB');
  assert.match(textOf(card(payload, { t: uk }), 'card-values'), /^Що завантаженоФайлtools\.exeТипПрограма для WindowsРозмір3 кБ$/);
  assert.match(card({ ...payload, values: { file: 'a.exe; b.sh', type: 'Windows program; .sh' } }, { t: uk }).textContent, /Програма для Windows; \.sh/);
  // The same names in an upload or a request keep their names.
  assert.match(textOf(card({ ...payload, effect_class: 'submit' }), 'card-values'), /^What will be sentfiletools\.exetypeWindows programsize3 kB$/);
});

test('values that go along unchanged are counted', () => {
  assert.equal(textOf(card({ ...wire, unchanged: 5 }), 'card-unchanged'), 'The other 5 values go along unchanged.');
  assert.equal(textOf(card({ ...wire, unchanged: 2 }, { t: uk }), 'card-unchanged'), 'Ще 2 значення надійдуть без змін.');
  for (const unchanged of [undefined, 0, null, 'x']) assert.equal(textOf(card({ ...wire, unchanged }), 'card-unchanged'), null);
});

test('a second question tells each difference in words and marks, before the picture', () => {
  const changed = [{ name: 'iban', approved: 'UA2132231300000001', actual: 'UA2132231300000999' }, { name: '→', approved: 'https://a.test/', actual: 'https://b.test/' }, { name: 'note', approved: '', actual: 'x' }];
  for (const [t, words] of [[en, /differs from what you approved/], [uk, /не те, що ви дозволили/]]) {
    const root = card({ ...wire, changed }, { t });
    const box = named(root, 'changed');
    assert.match(box.all.find(({ tag }) => tag === 'h3').textContent, words);
    assert.ok(isOrdered(order(root, isClass('card-title'), isClass('card-changed'), isClass('card-picture'))));
    assert.match(root.textContent, new RegExp(t('asked.again')));
    const sides = box.all.filter(({ tag }) => tag === 'dd').map((node) => node.textContent);
    assert.equal(sides[0], `${t('changed.approved')}UA2132231300000001`);
    assert.equal(sides[1], `${t('changed.actual')}UA2132231300000999`);
    assert.equal(sides[4], `${t('changed.approved')}${t('changed.none')}`);
    assert.deepEqual(box.all.filter(({ tag }) => tag === 'del' || tag === 'ins').map(({ tag }) => tag), ['del', 'ins', 'del', 'ins', 'ins']);
    assert.deepEqual(box.all.filter(({ tag }) => tag === 'mark').slice(0, 2).map((node) => node.textContent), ['001', '999']);
    assert.match(box.all.filter(({ tag }) => tag === 'dt')[1].textContent, new RegExp(t('card.destination')));
  }
  assert.equal(named(card(wire), 'changed'), null);
  assert.equal(named(card({ ...wire, changed: [] }), 'changed'), null);
});

test('the differing part of two texts', () => {
  const part = (one, other) => one.slice(...differingPart([...one], [...other]));
  assert.deepEqual([part('abXcd', 'abYYcd'), part('aaa', 'aa'), part('same', 'same'), part('', 'x')], ['X', 'a', '', '']);
});

test('a flow tells both sites, all that would go with the foreign part marked, and how long an approval lasts', () => {
  const flow = { from: ['https://mail.example', 'https://drive.example:8443'], to: 'https://forms.example', text: 'code 4471' };
  const payload = { ...wire, layer: 'flow', request: undefined, values: undefined, covers: undefined, flow };
  const root = card(payload);
  const box = named(root, 'flow');
  assert.match(box.textContent, /Read onmail\.exampledrive\.example:8443Goes toforms\.example“code 4471”If you approve, text from mail\.example, drive\.example:8443 may go to forms\.example until this task ends\.$/);
  assert.equal(box.all.filter(({ tag }) => tag === 'blockquote').length, 1);
  const long = named(card({ ...payload, flow: { ...flow, text: 'word '.repeat(400) } }), 'flow');
  const toggle = long.all.find(({ tag }) => tag === 'button');
  assert.equal(toggle.attributes['aria-expanded'], 'false');
  assert.match(toggle.textContent, /2,002/);
  assert.match(named(card(payload, { t: uk }), 'flow').textContent, /Прочитано на.*Надійде на.*до кінця цього завдання\.$/);
  const quoted = (more) => named(card({ ...payload, flow: { ...flow, ...more } }), 'flow').all.find(({ tag }) => tag === 'blockquote');
  const typed = quoted({ whole: 'my code 4471, thanks' });
  assert.deepEqual([typed.textContent, typed.all.find(({ tag }) => tag === 'mark').textContent], ['my code 4471, thanks', 'code 4471']);
  const far = quoted({ whole: `${'a'.repeat(500)} code 4471 ${'b'.repeat(500)}` });
  assert.equal(far.all.find(({ tag }) => tag === 'mark').textContent, 'code 4471'); // the excerpt shows it
  assert.equal(far.all.find(isClass('clamp')).textContent, `…${'a'.repeat(59)} code 4471 ${'b'.repeat(59)}…`);
  // A whole without the part, as it was found in another form, is shown beside it.
  assert.match(named(card({ ...payload, flow: { ...flow, whole: 'Code%204471' } }), 'flow').textContent, /“Code%204471”Read elsewhere: “code 4471”/);
  assert.equal(quoted({ whole: 'code 4471' }).textContent, '“code 4471”');
});

test('each choice of remembering says what it covers, and gives no more than was offered', () => {
  const root = card(wire, { remember: ['once', 'run', 'site'] });
  const radios = root.all.filter(({ tag, attributes }) => tag === 'input' && attributes.type === 'radio');
  assert.deepEqual(radios.map(({ value }) => value), ['once', 'run', 'site']);
  assert.equal(radios[0].attributes['aria-description'], 'only what is shown here');
  assert.equal(radios[2].attributes['aria-description'], 'only POST pay.example/cart/*, fields product, quantity, with the button “Add to cart”; for 30 days');
  // The line tells the chosen one alone; "once" needs none.
  assert.equal(named(root, 'covers').textContent, '');
  radios[1].dispatchEvent({ type: 'change' });
  assert.equal(named(root, 'covers').textContent, 'Without asking again: only POST pay.example/cart/*, fields product, quantity, with the button “Add to cart”; in this task and what you write in it later (24 hours at most)');
  radios[0].dispatchEvent({ type: 'change' });
  assert.equal(named(root, 'covers').textContent, '');
  const rest = card(wire, { remember: ['once', 'action'] }).all.find(({ value }) => value === 'action');
  assert.match(rest.attributes['aria-description'], /^whatever else this action stores at pay\.example;/);
  const labelled = card({ ...wire, labels: { product: 'Lamp' } }, { remember: ['once', 'run'] });
  assert.match(labelled.all.find(({ value }) => value === 'run').attributes['aria-description'], /fields Lamp, quantity/);
  const many = { ...wire.covers, fields: Array.from({ length: 9 }, (_, i) => `f${i}`), method: '', role: 'switch' };
  assert.match(card({ ...wire, covers: many }, { remember: ['once', 'run'], t: uk }).all.find(({ value }) => value === 'run').attributes['aria-description'], /лише ця дія: pay\.example\/cart\/\*, поля f0, f1, f2, f3, f4 і ще 4, через перемикач/);
  assert.equal(named(card(wire), 'covers'), null); // nothing to remember
});

test('an older question looks as before', () => {
  const root = card(old, { remember: ['once', 'run', 'site'] });
  assert.ok(isOrdered(order(root, isClass('card-title'), isClass('card-place'), isClass('card-values'), isClass('card-rule'), isClass('card-picture'))));
  for (const name of ['card-details', 'card-subject', 'card-changed', 'card-flow', 'remember-covers']) assert.equal(root.all.some(isClass(name)), false, name);
  assert.match(root.all.find(({ tag }) => tag === 'fieldset').textContent, /^RememberJust onceFor this taskFor this site$/);
  const empty = { origin: '', method: '', path: '', fields: [], role: '' };
  assert.equal(named(card({ ...old, layer: 'intent', covers: empty }, { remember: ['once', 'run'] }), 'covers'), null);
});

test('markup of a page stays text in every field, and hidden characters are written out', () => {
  const evil = '<img src=x onerror=alert(1)>\u202egnp\u200b';
  const shown = '<img src=x onerror=alert(1)>[U+202E]gnp[U+200B]';
  const root = card({
    ...wire, effect: evil, about: evil, subject: `${evil}!`, page: { url: `https://a.test/${evil}`, title: evil }, dialog: { title: evil, text: evil }, target: { role: 'button', name: evil },
    request: { method: evil, url: evil, origin: evil, content_type: evil, size: 3 }, values: { [evil]: evil, file: { name: evil, type: evil, size: 1 } },
    changed: [{ name: evil, approved: evil, actual: `${evil}!` }], flow: { from: [evil], to: evil, text: evil },
    covers: { origin: evil, method: evil, path: evil, fields: [evil], role: evil },
  }, { remember: ['once', 'site'] });
  root.all.find(({ value }) => value === 'site').dispatchEvent({ type: 'change' });
  assert.deepEqual(root.all.filter(({ tag }) => tag === 'img').map((node) => node.attributes.src), ['/p/1']);
  assert.equal(root.all.some(({ tag, innerHTML }) => tag === 'script' || innerHTML !== undefined), false);
  assert.doesNotMatch(root.textContent, /[\u200b\u202a-\u202e\u2066-\u2069]/);
  for (const name of ['card-title', 'card-subject', 'card-place', 'card-details', 'card-changed', 'card-flow', 'card-values', 'remember-covers']) assert.ok(textOf(root, name).includes('<img src=x onerror=alert(1)>') && textOf(root, name).includes('[U+202E]'), name);
  assert.ok(root.textContent.includes(shown));
});

test('fields of any shape break no card', () => {
  for (const value of [null, 7, true, [], {}, 'x', ['a', { b: null }]]) {
    const root = card({ ...wire, subject: value, dialog: value, flow: value, covers: value, caused_by: value, values: { a: value }, changed: [value], request: { method: value, url: value, origin: value, content_type: value, size: value }, action: value, target: null }, { remember: ['once', 'run'] });
    assert.ok(root.textContent.includes(wire.effect), JSON.stringify(value));
  }
});

test('a very long value is whole behind a button, and a host is never shortened', () => {
  const host = `${'login.bank.'.repeat(14)}evil.example`;
  const root = card({ ...wire, values: { note: 'v'.repeat(5000) }, request: { ...wire.request, url: `https://${host}/${'p'.repeat(900)}` } });
  assert.equal(textOf(root, 'card-host'), host);
  const toggles = root.all.filter(({ tag, attributes }) => tag === 'button' && attributes['aria-expanded']);
  assert.equal(toggles.length, 2);
  assert.ok(root.all.some(({ className, textContent }) => className === 'clamp' && textContent.length === 5000));
});

test('hosts and places of addresses', () => {
  assert.deepEqual(['https://a.test:8443/x?y#z', 'http://user@b.test/', 'mailto:a@b.test', 'nonsense', '', null].map(hostOf), ['a.test:8443', 'b.test', 'mailto:a@b.test', 'nonsense', '', '']);
  assert.deepEqual(['https://a.test/x/y?z=1#q', 'https://a.test/'].map(placeOf), ['a.test/x/y', 'a.test']);
  assert.equal(hostOf('https://аpple.example/'), 'xn--pple-43d.example'); // a Cyrillic letter shows
  assert.equal(visible('a\r\nb\u00ad\u{e0041}\tc'), 'a\nb[U+00AD][U+E0041]\tc');
  assert.equal(visible('שלום, Київ 👩‍👧 ‌'), 'שלום, Київ 👩‍👧 ‌'); // joiners of scripts and emoji stay
});

test('the answer is the one that was chosen', () => {
  const root = card(wire);
  named(root, 'approve').dispatchEvent({ type: 'click' });
  named(root, 'deny').dispatchEvent({ type: 'click' });
  assert.deepEqual(answers.splice(0), [{ confirmed: true, remember: 'once' }, { confirmed: false }]);
});

test('every kind of program that the service names has words', () => {
  const source = readFileSync(new URL('../../src/gate/held_effects/download.rs', import.meta.url), 'utf8');
  const texts = readFileSync(new URL('../../src/texts/gate.rs', import.meta.url), 'utf8');
  const names = [...source.matchAll(/RunnableKind::\w+ => gate::(\w+)\(/g)].map(([, name]) => name);
  const kinds = names.map((name) => texts.match(new RegExp(`fn ${name}\\(\\) \\{[^}]*en: "([^"]+)"`))?.[1]);
  assert.ok(kinds.length >= 7 && kinds.includes('Windows program') && kinds.every(Boolean), String(kinds));
  for (const kind of kinds) {
    const shown = textOf(card({ ...wire, effect_class: 'download', values: { type: kind } }, { t: uk }), 'card-values');
    assert.match(shown, /^Що завантаженоТип[А-ЯІЇЄҐ]/, kind);
  }
});

test('a name written from right to left keeps to its quotation marks', () => {
  const turned = (parts) => [h('p', {}, parts).textContent, within([h('p', {}, parts)]).all.filter(({ tag }) => tag === 'bdi').map(({ textContent }) => textContent)];
  const line = 'Натисни «תור 14:00» · הזמנת תור';
  assert.deepEqual(turned(isolated(line)), [line, ['תור 14:00', 'הזמנת תור']]);
  assert.deepEqual(turned(inline('Press “תור” by `x`')), ['Press “תור” by x', ['תור']]);
  assert.deepEqual(isolated('Press “Send” · Shop'), ['Press “Send” · Shop']);
});
