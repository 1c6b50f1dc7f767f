// Requests with an effect in the talk and the timeline, permissions by site, and the log of decisions.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { make, named, within } from './page.mjs';
import { event, story } from './facts.mjs';
import { translator } from '../../static/shared/text/locale.js';

const { reduceTranscript } = await import('../../static/chat/transcript.js');
const { drawEntry } = await import('../../static/chat/entry.js');
const { spanDetail } = await import('../../static/timeline/span_detail.js');
const { bySite } = await import('../../static/permissions/permissions_page.js');
const { AuditList, auditKind, decisionWords, filterAudit } = await import('../../static/permissions/audit_list.js');

const [en, uk] = ['en', 'uk'].map((locale) => translator(JSON.parse(readFileSync(new URL(`../../static/locales/${locale}.json`, import.meta.url), 'utf8')), locale));
const effect = (method, url, covered_by, action_id = 'a1') => event('effect', { action_id, method, url, origin: new URL(url).origin, covered_by });
const click = [
  event('action_started', { action_id: 'a1', action: 'click', params: {}, target: { role: 'button', name: 'Add' } }),
  event('action_finished', { action_id: 'a1', action: 'click', ok: true, took_ms: 3, dropped: [] }),
];
const asked = (client) => [
  { type: 'agent_question', reference: 'q1', kind: 'confirm', reason: '', text: 'Add?', payload: {}, remember: ['once'] },
  { type: 'question_resolved', reference: 'q1', by: 'user', client, answer: { confirmed: true } },
];
const page = { id: 'w', kind: 'page', name: null, you: true };
const entriesOf = (...facts) => story(...facts).reduce(reduceTranscript, []);
const lines = (entries, t = en) => drawEntry(entries.find(({ kind }) => kind === 'action'), t).all.filter(({ dataset }) => dataset.testid === 'sent').map((node) => node.textContent);

test('what an action sent stands beneath it, with the reason why it was let go', () => {
  const facts = [...asked(page), ...click, effect('POST', 'https://shop.example/cart?x=1', 'q1'), effect('POST', 'https://shop.example/find', 'rule:search'), effect('PUT', 'https://shop.example/list', '0199-grant')];
  assert.deepEqual(lines(entriesOf(...facts)), [
    'sent: POST shop.example/cart — approved by you', 'sent: PUT shop.example/list — by a permission', 'sent: POST shop.example/find — by rule “Search”',
  ]);
  assert.match(lines(entriesOf(...facts), uk)[0], /^надіслано: POST shop\.example\/cart — ви дозволили$/);
  assert.deepEqual(lines(entriesOf(...asked({ id: 'm', kind: 'mcp', name: 'Desk bot' }), ...click, effect('POST', 'https://a.test/', 'q1'))), ['sent: POST a.test — approved by Desk bot over MCP']);
});

test('equal requests are one line, many unfold, and those asked about come first', () => {
  const own = Array.from({ length: 5 }, (_, i) => effect('POST', `https://t.example/${i}`, 'page'));
  const entries = entriesOf(...asked(page), ...click, ...own, own[0], effect('POST', 'https://a.test/pay', 'q1'));
  const node = drawEntry(entries.find(({ kind }) => kind === 'action'), en);
  assert.deepEqual(lines(entries).slice(0, 2), ['sent: POST a.test/pay — approved by you', 'sent: POST t.example/0, 2 times — the page’s own request']);
  assert.match(node.textContent, /3 more requests/);
  assert.equal(entriesOf(...click, effect('POST', 'https://a.test/', 'page', 'a9'))[0].sent, undefined); // of no action that is shown
});

test('a long run of the page’s own requests stays bounded, and drops no approved one', () => {
  const many = Array.from({ length: 300 }, (_, i) => effect('POST', `https://t.example/${i}`, 'page'));
  const { sent } = entriesOf(...asked(page), ...click, ...many, effect('POST', 'https://a.test/', 'q1')).find(({ kind }) => kind === 'action');
  assert.ok(sent.length <= 61);
  assert.ok(sent.some(({ coveredBy }) => coveredBy === 'q1'));
});

test('a question that came after the action stands before what it let leave', () => {
  const entries = entriesOf(...click, ...asked(page), effect('POST', 'https://a.test/pay', 'q1'), effect('POST', 'https://a.test/find', 'rule:search'));
  assert.deepEqual(entries.map(({ kind, sent = [] }) => [kind, sent.length]), [['action', 1], ['question', 1]]);
  const question = drawEntry(entries[1], en);
  assert.match(question.textContent, /^Permission requestAdd\?You approvedsent: POST a\.test\/pay$/);
  const span = { kind: 'action', id: 'r1/a1', run_id: 'r1', action_id: 'a1', name: 'click', status: 'ok', begin: '2026-01-01T00:00:00Z', end: '2026-01-01T00:00:01Z', from: 0, to: 1000, effect: 1, about: {}, code: null };
  const inside = { id: 'r1', picked: span.id, detail: null, timeline: { spans: { [span.id]: span } }, tree: { labels: {}, below: {} } };
  assert.match(within(spanDetail(en, inside, 0, () => {}, entries)).textContent, /POST a\.test\/pay — approved by you.*POST a\.test\/find/);
});

test('the timeline shows the requests of the selected action', () => {
  const span = { kind: 'action', id: 'r1/a3', run_id: 'r1', action_id: 'a1', name: 'click', status: 'ok', begin: '2026-01-01T00:00:00Z', end: '2026-01-01T00:00:01Z', from: 0, to: 1000, effect: 1, about: {}, code: null };
  const inside = { id: 'r1', picked: span.id, detail: null, timeline: { spans: { [span.id]: span } }, tree: { labels: {}, below: {} } };
  const entries = entriesOf(...asked(page), ...click, effect('POST', 'https://a.test/pay', 'q1'));
  assert.match(within(spanDetail(en, inside, 0, () => {}, entries)).textContent, /What was sent.*POST a\.test\/pay — approved by you/);
  assert.doesNotMatch(within(spanDetail(en, inside, 0, () => {})).textContent, /What was sent/);
});

const grant = (id, origin, more = {}) => ({ id, scope: 'site', run_id: null, origin, rule: 'submit', created_at: '2026-01-01T00:00:00Z', expires_at: '2026-02-01T00:00:00Z', ...more });
const covers = { origin: 'https://shop.example', method: 'POST', path: '/cart/*', fields: ['<b>a</b>', 'b\u202e'], role: 'button Add' };

test('permissions are grouped by site, each with its scope, and one without tells none', () => {
  const items = [grant('g1', 'https://shop.example', { covers }), grant('g2', null), grant('g3', 'https://docs.example'), grant('g4', 'https://shop.example', { scope: 'run' })];
  assert.deepEqual(bySite(items).map(([site, grants]) => [site, grants.map(({ id }) => id)]), [['docs.example', ['g3']], ['shop.example', ['g1', 'g4']], ['', ['g2']]]);
  const node = make('af-grants');
  const revoked = [];
  node.addEventListener('intent', ({ detail }) => revoked.push(detail));
  node.update({ t: en, route: 'permissions', grants: { items, error: null }, audit: { items: [], cursor: null, error: null } });
  assert.deepEqual(node.all.filter(({ dataset }) => dataset.testid === 'grant-site').map((site) => site.all.find(({ tag }) => tag === 'h2').textContent), ['docs.example', 'shop.example', 'Any site']);
  const first = node.all.filter(({ dataset }) => dataset.testid === 'grant')[1];
  assert.match(first.textContent, /Submitting formsPOST shop\.example\/cart\/\*fields <b>a<\/b>, b\[U\+202E\] · with the button “Add”In every task · until .*Revoke$/);
  assert.equal(first.all.some(({ tag }) => tag === 'b'), false);
  const button = named(first, 'revoke');
  assert.equal(button.attributes['aria-label'], 'Revoke permission: shop.example, Submitting forms');
  node.dispatchEvent = (sent) => revoked.push(sent.detail);
  button.dispatchEvent({ type: 'click' });
  assert.deepEqual(revoked, [{ id: 'g1', name: 'revoke' }]);
});

test('without permissions the page says how one comes about', () => {
  const node = make('af-grants');
  node.update({ t: uk, route: 'permissions', grants: { items: [], error: null }, audit: { items: [], cursor: null, error: null } });
  assert.match(node.textContent, /Збережених дозволів немає.*Рішень ще не було/);
});

const request = { method: 'POST', url: 'https://pay.example/orders/7?token=••••', origin: 'https://pay.example' };
const rows = [
  { id: 6, at: '2026-01-01T00:00:06Z', run_id: 'r1', title: '<i>Order</i>', decision: 'allow', effect: 'purchase', rule: 'buy', by: 'policy', origin: 'https://shop.example', request, covered_by: 'rule:search', values: { sum: '<b>5</b>\u202e' } },
  { id: 5, at: '2026-01-01T00:00:05Z', run_id: 'r1', title: 'Order', decision: 'answered', question: 'q1', kind: 'confirm', rule: 'buy', by: 'user', client: page, origin: 'https://shop.example', request, values: null },
  { id: 4, at: '2026-01-01T00:00:04Z', run_id: 'r1', title: 'Order', decision: 'declined', question: 'q0', kind: 'confirm', rule: 'buy', by: 'client:Desk bot', client: { id: 'm', kind: 'mcp', name: 'Desk bot' }, origin: 'https://shop.example', values: {} },
  { id: 3, at: '2026-01-01T00:00:03Z', run_id: 'r1', title: null, decision: 'deny', rule: 'shell', effect: 'shell', by: 'policy', origin: null, values: {} },
  { id: 2, at: '2026-01-01T00:00:02Z', run_id: 'r1', title: 'Order', decision: 'allow', rule: 'read', effect: 'navigate', by: 'grant', origin: 'https://shop.example', values: {} },
];

test('the log tells what was decided, by whom, and with which request', () => {
  assert.deepEqual(rows.map(auditKind), ['sent', 'answered', 'refused', 'refused', 'other']);
  assert.deepEqual(rows.map((row) => decisionWords(row, en)), ['Sent, by rule “Search”', 'Approved by you', 'Declined by Desk bot', 'Blocked by the rules', 'Allowed by a permission']);
  const wanted = [];
  const list = new AuditList((name) => wanted.push(name));
  list.show(en, { items: rows, cursor: '2', error: null });
  const shown = list.node.all.filter(({ dataset }) => dataset.testid === 'audit-row');
  assert.equal(shown.length, 5);
  assert.match(shown[0].textContent, /Sent, by rule “Search” · a purchasePOST pay\.example\/orders\/7.*<i>Order<\/i>1 valuesum<b>5<\/b>\[U\+202E\]/);
  assert.equal(shown[0].all.some(({ tag }) => tag === 'i' || tag === 'b'), false);
  named(list.node, 'audit-more').dispatchEvent({ type: 'click' });
  assert.deepEqual(wanted, ['moreAudit']);
});

test('the log tells who approved what was sent', () => {
  const sent = (fields, t = en, all = []) => decisionWords({ decision: 'allow', request, covered_by: 'q1', question: 'q1', ...fields }, t, all);
  assert.equal(sent({ by: 'user' }), 'Sent, approved by you');
  assert.equal(sent({ by: 'client:Desk bot' }), 'Sent, approved by Desk bot');
  // A form was approved before: its answer is a row of its own, which may not be loaded.
  const answer = { decision: 'answered', question: 'q1', kind: 'confirm', by: 'user', client: page };
  assert.equal(sent({ by: 'approval' }, en, [answer]), 'Sent, approved by you');
  assert.equal(sent({ by: 'approval' }, uk, [answer]), 'Надіслано, ви дозволили');
  assert.equal(sent({ by: 'approval' }, en, [{ ...answer, by: 'client:Desk bot' }]), 'Sent, approved by Desk bot');
  assert.equal(sent({ by: 'approval' }), 'Sent, approved');
  assert.equal(sent({ by: 'grant', question: undefined, covered_by: 'g1' }), 'Sent, by a permission');
});

test('an action whose request is judged as it leaves is no decision about the request', () => {
  const row = { decision: 'allow', rule: 'asked-at-the-wire', effect: 'delete', by: 'policy' };
  assert.equal(decisionWords(row, en), 'Allowed; its request is checked before it leaves');
  assert.equal(decisionWords({ ...row, decision: 'requires_confirmation', question: 'q1', rule: 'delete' }, en), 'Asked');
});

test('no decision has two colons, and a flow and a file are told in words', () => {
  const list = new AuditList(() => {});
  const flow = { ...rows[1], rule: 'flow', request: null, origin: 'forum.test', flow: { from: ['notes.test'], to: 'forum.test', text: 'KX-1' } };
  const file = { ...rows[1], rule: 'download-program', values: { file: 'x.exe', type: 'Windows program', size: '3 kB' } };
  list.show(uk, { items: [flow, file], cursor: null, error: null });
  const [first, second] = list.node.all.filter(({ dataset }) => dataset.testid === 'audit-row').map((node) => node.textContent);
  assert.match(first, /^Ви дозволили · Текст, який переходить з одного сайту на інший *notes\.test → forum\.test: «KX-1»/);
  assert.match(second, /^Ви дозволили · Завантаження програм.*Файлx\.exeТипПрограма для WindowsРозмір3 kB$/);
});

test('a filter of a log that is not whole says how much it has searched', () => {
  const list = new AuditList(() => {});
  list.show(en, { items: rows, cursor: '2', error: null });
  assert.equal(named(list.node, 'audit-part'), null);
  named(list.node, 'audit-sent').dispatchEvent({ type: 'change' });
  assert.match(named(list.node, 'audit-part').textContent, /^1 of the 5 rows loaded so far/);
  list.show(en, { items: rows, cursor: null, error: null });
  assert.equal(named(list.node, 'audit-part'), null);
});

test('the filters of the log stay while it is read again', () => {
  assert.deepEqual([filterAudit(rows, { kind: 'refused' }), filterAudit(rows, { site: ' PAY.' }), filterAudit(rows, {})].map(({ length }) => length), [2, 2, 5]);
  const list = new AuditList(() => {});
  const count = () => list.node.all.filter(({ dataset }) => dataset.testid === 'audit-row').length;
  list.show(en, { items: rows, cursor: null, error: null });
  named(list.node, 'audit-sent').dispatchEvent({ type: 'change' });
  assert.equal(count(), 1);
  const field = named(list.node, 'audit-site');
  list.show(en, { items: [{ ...rows[0], id: 9 }, ...rows], cursor: null, error: null });
  assert.deepEqual([count(), named(list.node, 'audit-site') === field], [2, true]);
  field.value = 'nowhere';
  field.dispatchEvent({ type: 'input' });
  assert.match(list.node.textContent, /None of the rows shown so far fits/);
  list.show(en, { items: null, cursor: null, error: { code: 'offline' } });
  assert.match(list.node.textContent, /Could not load the log/);
});

test('the timeline tells actions in the words of the chat, with the time that they took', async () => {
  const { entryFinder, spanTitle, tookMs } = await import('../../static/timeline/spans/span_text.js');
  const typed = { action_id: 'a1', action: 'type', params: { eid: 3, text: 'olena' }, target: { role: 'textbox', name: 'Login' } };
  const entries = entriesOf(event('action_started', typed), event('action_finished', { action_id: 'a1', action: 'type', ok: true, took_ms: 76, dropped: [] }));
  const entryOf = entryFinder(entries);
  const span = (fields) => ({ kind: 'action', id: 'r1/a1', run_id: 'r1', action_id: 'a1', name: 'type', status: 'ok', from: 5, to: 5, effect: null, about: { role: 'textbox', name: 'Login' }, code: null, ...fields });
  assert.equal(spanTitle(span(), en, null, entryOf(span())), 'Typed “olena” into field “Login”');
  assert.equal(tookMs(span(), 9, entryOf(span())), 76);
  // Without the transcript, nothing is made up.
  assert.equal(entryFinder([])(span()), null);
  assert.deepEqual([spanTitle(span(), en), spanTitle(span(), uk), tookMs(span(), 9)], ['Typed into field “Login”', 'Введено текст у поле «Login»', 0]);
  assert.equal(entryOf(span({ id: 'r1/a7' })), null); // the same name in a later part of the run
  const release = span({ id: 'r1/e2', name: 'a1', effect: 2, about: {} });
  assert.deepEqual(['ok', 'running', 'failed'].map((status) => spanTitle({ ...release, status }, en)), ['Sent the approved request', 'Sending the approved request', 'Could not send the approved request']);
  assert.equal(spanTitle(span({ status: 'unknown' }), en), 'Typing into field “Login”: interrupted');
});
