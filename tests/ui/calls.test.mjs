// Actions and messages of a called agent stand within its call; only the conversation's own run answers the person.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { ROOT, confirm, event, story } from './facts.mjs';
import { within } from './page.mjs';
import { callsOf } from '../../static/chat/agent_calls.js';
import { View } from '../../static/run_state/view.js';
import { emptyRun, reduceRun } from '../../static/run_state/run.js';
import { translator } from '../../static/shared/text/locale.js';

const { drawEntry } = await import('../../static/chat/entry.js');
const [uk, en] = ['uk', 'en'].map((locale) => translator(JSON.parse(readFileSync(new URL(`../../static/locales/${locale}.json`, import.meta.url), 'utf8')), locale));

const of = (run_id, fact) => ({ run_id, root_run_id: ROOT, ...fact });
const begins = (id, text, parent = ROOT) => of(id, { type: 'run_started', parent_run_id: parent, agent: 'echo', input: { text, locale: 'uk' } });
const calls = (id, text) => event('action_started', { action_id: id, action: 'echo', params: { text } });
const works = (id) => [of(id, event('action_started', { action_id: 'a1', action: 'python', params: {} })), of(id, event('action_finished', { action_id: 'a1', action: 'python', ok: true, took_ms: 1, dropped: [] }))];
const message = (id, text, final = true) => of(id, { type: 'agent_message', text, final });
const ends = (id, outcome = 'succeeded', text = null) => of(id, { type: 'run_ended', outcome, final_response: text, vars: {} });
const back = (id, ok = true) => event('action_finished', { action_id: id, action: 'echo', ok, result: { success: ok, text: 'one' }, error: ok ? null : { code: 'failed', message: 'it broke' }, took_ms: 2, dropped: [] });

const order = { type: 'run_started', agent: 'master', input: { text: 'say it twice' } };
const twice = [order, calls('m1', 'one'), calls('m2', 'two'), begins('c1', 'one'), begins('c2', 'two'), ...works('c1'), message('c1', 'first words'), ends('c1'), back('m1'), ...works('c2'), message('c2', 'second words'), ends('c2'), back('m2'), message(ROOT, 'Both are said.'), ends(ROOT)];
const fold = (...facts) => story(...facts).reduce(reduceRun, emptyRun());
const shown = (run, own = ROOT, show = callsOf()) => show(run.entries, run.progress.runs, own);

test('a call is one row with all that the called agent did and said, and the only answer is that of the run', () => {
  const entries = shown(fold(...twice));
  assert.deepEqual(entries.map(({ kind }) => kind), ['user', 'call', 'call', 'message', 'ended']);
  const [, one, two, answer] = entries;
  assert.deepEqual([one.state, one.inner.map(({ kind }) => kind), two.inner.at(-1).text], ['ok', ['action', 'message'], 'second words']);
  assert.equal(answer.text, 'Both are said.');
  const node = within([drawEntry(one, uk)]);
  assert.match(node.textContent, /Агент «echo»: Виконано.*Код виконано.*Відповідь агента.*first words/s);
  assert.equal(node.all.some((child) => /\bmessage\b/.test(child.className ?? '') || child.dataset.testid === 'final'), false, 'no bubble');
  assert.doesNotMatch(node.textContent, /Askfirst:/, 'nobody hears it as an answer of Askfirst');
  assert.equal(node.all.filter((child) => child.tag === 'details').length, 1);
});

test('the talk of a task, and that of one of its runs, has its calls as rows', () => {
  const entry = { run: fold(...twice), facts: [], feed: { lastSeq: 18 }, targetSeq: 18, snapshot: null };
  const view = new View();
  const talk = (child) => view.of({ known: { r1: entry }, current: 'r1', child, replaySeq: null, pendingCommand: { asked: null, past: [] }, sessionId: 's1', dialog: null, starting: null, answers: {} }).entries;
  assert.deepEqual(talk(null).map(({ kind }) => kind), ['user', 'call', 'call', 'message', 'ended']);
  assert.deepEqual(talk('c1').map(({ kind }) => kind), ['child', 'action', 'message', 'childended']);
  assert.equal(talk(null)[1].kind, 'call');
});

test('a call at work says what it does now, and one that failed why', () => {
  const [, now] = shown(fold(order, calls('m1', 'one'), begins('c1', 'one'), of('c1', event('action_started', { action_id: 'a1', action: 'navigate', params: { url: 'http://a.test/' } }))));
  assert.deepEqual([now.state, drawEntry(now, en).querySelector('.call-now').textContent], ['running', 'Opening a.test']);
  const [, broke] = shown(fold(order, calls('m1', 'one'), begins('c1', 'one'), ends('c1', 'failed', 'There is no such file.\n\nFileNotFoundError: x'), back('m1', false)));
  const sub = within([drawEntry(broke, en)]).all.find(({ className }) => className === 'entry-sub call-why');
  assert.deepEqual([broke.state, sub.textContent], ['failed', 'There is no such file.']);
  const [, lost] = shown(fold(order, calls('m1', 'one'), begins('c1', 'one'), ends(ROOT, 'cancelled')));
  assert.deepEqual([lost.state, lost.outcome], ['stopped', 'cancelled']);
});

test('further tries of one call are the same row', () => {
  const tried = [order, calls('m1', 'one'), begins('c1', 'one'), message('c1', 'No.'), ends('c1', 'failed'), begins('c2', 'one'), message('c2', 'Yes.'), ends('c2'), back('m1'), calls('m2', 'two'), begins('c3', 'two'), ends('c3')];
  const [, one, two, ...rest] = shown(fold(...tried));
  assert.deepEqual([one.kind, one.state, one.inner.map(({ kind }) => kind), two.runId, rest.length], ['call', 'ok', ['message', 'child', 'message'], 'c3', 0]);
});

test('a question of a called agent stays in the talk, a call within a call in it, and a called run seen by itself answers', () => {
  const inner = [order, calls('m1', 'one'), begins('c1', 'one'), begins('c2', 'deep', 'c1'), of('c2', { ...confirm }), message('c2', 'deep words'), ends('c2'), message('c1', 'its words'), ends('c1'), back('m1')];
  const run = fold(...inner);
  const entries = shown(run);
  assert.deepEqual(entries.map(({ kind, inner: below }) => [kind, below?.map((one) => one.kind)]), [['user', undefined], ['call', ['call', 'message']], ['question', undefined]]);
  const own = callsOf()(run.entries.filter(({ runId }) => runId !== ROOT), run.progress.runs, 'c1');
  assert.deepEqual(own.map(({ kind }) => kind), ['child', 'call', 'question', 'message', 'childended']);
});

test('a call in which nothing has changed is drawn once', () => {
  const show = callsOf();
  const [before, after] = [shown(fold(...twice.slice(0, 7)), ROOT, show), shown(fold(...twice.slice(0, 10)), ROOT, show)];
  assert.equal(before[2], after[2]);
  assert.notEqual(before[1], after[1]);
  const plain = fold(order);
  assert.equal(shown(plain), plain.entries);
});

test('what code broke with stands behind a fold, after the sentence for people', () => {
  const code = [of(ROOT, event('action_started', { action_id: 'a1', action: 'python', params: {} })), event('action_finished', { action_id: 'a1', action: 'python', ok: false, error: { code: 'exception', message: 'ValueError: x' }, took_ms: 1, dropped: [] })];
  const last = (...facts) => fold(order, ...facts).entries.find(({ kind }) => kind === 'message');
  assert.equal(last(...code, message(ROOT, 'No.\n\nValueError: x'), ends(ROOT, 'failed')).broke, true);
  assert.equal(last(message(ROOT, 'No.\n\nI cannot.'), ends(ROOT, 'failed')).broke, undefined, 'words of a talk are whole');
});
