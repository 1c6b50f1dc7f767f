// Fold over facts: order, resumption, questions, replay.  // S1.7, S1.9, S1.25, S1.31
import test from 'node:test';
import assert from 'node:assert/strict';
import { emptyOrder, insertEvent } from '../../static/run_state/event_order.js';
import { emptyRun, reduceRun, runAt } from '../../static/run_state/run.js';
import { isActive } from '../../static/shared/run_status.js';
import { stops, moveStop } from '../../static/live/replay_stops.js';
import { takeDraft, takeFact, takeWelcome, sayLocally, caughtUp, leaseOf } from '../../static/run_state/run_trees.js';
import { secondsLeft, mayAnswerByKey } from '../../static/question/questions.js';
import { totalTokens } from '../../static/run/usage.js';
import { isDeclined } from '../../static/chat/run_end.js';
import { reasonOf } from '../../static/run/why_text.js';
import { endedNext, line } from '../../static/chat/entry_text.js';
import { translator } from '../../static/shared/text/locale.js';
import { readFileSync } from 'node:fs';
import { ROOT, story, event, confirm, purchase } from './facts.mjs';

const [uk, en] = ['uk', 'en'].map((locale) => translator(JSON.parse(readFileSync(new URL(`../../static/locales/${locale}.json`, import.meta.url), 'utf8')), locale));
const fold = (facts) => facts.reduce(reduceRun, emptyRun());
const feedAll = (facts, known = {}) => facts.reduce((state, fact) => takeFact(state, fact).known, known);
const kinds = (run) => run.entries.map((entry) => entry.kind);

test('a whole purchase reads as a chat', () => {
  const run = fold(purchase);
  assert.deepEqual(kinds(run), ['user', 'action', 'observation', 'question', 'action', 'message', 'ended']);
  assert.equal(run.status, 'succeeded');
  assert.equal(run.finalResponse, 'Ordered.');
  assert.deepEqual(run.questions, []);
  assert.equal(run.usage.steps, 2);
  assert.equal(run.usage.maxSteps, 30);
  assert.equal(totalTokens(run.usage), 940);
});

const draft = (text, html) => ({ type: 'writing', run_id: ROOT, root_run_id: ROOT, text, html });
const shownDrafts = (known) => known[ROOT].run.entries.filter((entry) => entry.draft).map(({ key, draft: state, text, html, final }) => ({ key, state, text, html, final }));

test('a message is shown while the model writes it, as the server converted it', () => {
  const known = feedAll(purchase.slice(0, 2));
  const second = takeDraft(takeDraft(known, draft('The **lamp', '<p>The **lamp</p>')), draft('The **lamp** costs', '<p>The <b>lamp</b> costs</p>'));
  assert.deepEqual(shownDrafts(second).map(({ key, ...rest }) => rest), [{ state: 'writing', text: 'The **lamp** costs', html: '<p>The <b>lamp</b> costs</p>', final: false }]);
  assert.deepEqual(kinds(second[ROOT].run).slice(-2), ['writing', 'message']);
  assert.deepEqual(feedAll(purchase, second)[ROOT].run.entries, fold(purchase).entries); // an action ends it
  assert.equal(takeDraft(known, { ...draft('x'), root_run_id: 'another' }), known);
});

/** Feeds facts after a draft of an answer. */
function afterDraft(text, ...facts) {
  const known = feedAll(purchase.slice(0, 2));
  let seq = known[ROOT].feed.lastSeq;
  return feedAll(facts.map((fact) => ({ ...fact, run_id: ROOT, seq: ++seq, at: '2026-05-04T09:00:05Z' })), takeDraft(known, draft(text)));
}

const THOUGHT = event('thought', { type: 'DECISION', content: 'Answer.' });
const message = (text) => ({ type: 'agent_message', text, html: `<p>${text}</p>`, final: true });

test('a draft stays through thoughts, and the message takes its place under the same key', () => {
  const thought = afterDraft('The lamp', THOUGHT);
  assert.deepEqual(kinds(thought[ROOT].run).slice(-2), ['thoughts', 'message']);
  const [{ key, state }] = shownDrafts(thought);
  assert.equal(state, 'writing');
  const done = afterDraft('The lamp', THOUGHT, message('The lamp costs five'))[ROOT].run.entries;
  assert.deepEqual(done.slice(-2).map(({ kind, draft: open }) => [kind, open]), [['thoughts', undefined], ['message', undefined]]);
  assert.deepEqual([done.at(-1).key, done.at(-1).text, done.at(-1).final], [key, 'The lamp costs five', true]);
});

test('a message that is not what was being written gets an entry of its own', () => {
  const entries = afterDraft('The lamp', message('The model cannot be reached'))[ROOT].run.entries;
  assert.equal(entries.at(-1).key.startsWith('draft:'), false);
  assert.equal(entries.some(({ draft: open }) => open), false);
});

test('a stopped message stays, marked as such, and the next one is apart', () => {
  const stopped = afterDraft('The lamp', { type: 'run_ended', outcome: 'cancelled', final_response: null });
  const entries = stopped[ROOT].run.entries;
  assert.deepEqual(entries.slice(-3).map(({ kind, state, draft: open }) => [kind, state ?? open]), [['writing', 'stopped'], ['message', 'stopped'], ['ended', undefined]]);
  const again = takeDraft(stopped, draft('Another'));
  assert.deepEqual(shownDrafts(again).map(({ state, text }) => [state, text]), [['stopped', 'The lamp'], ['writing', 'Another']]);
  assert.equal(new Set(again[ROOT].run.entries.map(({ key }) => key)).size, again[ROOT].run.entries.length);
});

test('an address that is a file is told, until a page is seen', () => {
  const url = 'http://shop.test/invoice.pdf';
  const opened = story(event('action_started', { action_id: 'a1', action: 'navigate', params: { url } }), event('action_finished', { action_id: 'a1', ok: true, files: [{ name: 'invoice.pdf', size: 2181 }] }));
  assert.deepEqual(fold(opened).live.file, { runId: ROOT, name: 'invoice.pdf', size: 2181, url });
  const look = (address) => story(...opened, event('observation', { url: address, title: '', picture: '/p/1' }));
  assert.equal(fold(look('about:blank')).live.file.name, 'invoice.pdf');
  assert.equal(fold(look('http://shop.test/')).live.file, null);
  // Beside an open page the page stays in view.
  assert.equal(fold(story(event('observation', { url: 'http://shop.test/', title: 'Shop' }), ...opened)).live.file, null);
});

test('a pause holds a message, and writing goes on in it', () => {
  const paused = afterDraft('The lamp', { type: 'status', status: 'paused' });
  assert.deepEqual(shownDrafts(paused).map(({ state }) => state), ['paused']);
  assert.deepEqual(shownDrafts(takeDraft(paused, draft('The lamp is'))).map(({ state, text }) => [state, text]), [['writing', 'The lamp is']]);
});

test('tokens that nobody told are about so many', () => {
  const used = (more) => event('usage', { role: 'planner', model: 'm', input_tokens: 900, cached_tokens: 0, output_tokens: 40, cost: null, ...more });
  assert.equal(fold(story(used({}))).usage.estimated, false);
  assert.equal(fold(story(used({ estimated: true }), used({}))).usage.estimated, true);
});

test('what was thought right before a step stands behind its line, not beside it', () => {
  const run = fold(purchase);
  assert.deepEqual(run.entries.find((e) => e.kind === 'action').thoughts.map((one) => one.content), ['Open the shop first.', 'Navigate.']);
  // Before the step begins only the thought is shown.
  assert.deepEqual(kinds(runAt(purchase, 5)), ['user', 'thoughts']);
  const asking = fold(story(event('thought', { type: 'DECISION', content: 'Ask.' }), confirm));
  assert.deepEqual(kinds(asking), ['question']);
  assert.equal(asking.entries[0].thoughts[0].content, 'Ask.');
});

test('a refusal by the rules is told in one line, with its reason', () => {
  const run = fold(story(
    event('policy', { decision: 'deny', rule: 'deny-private', risk: 'high', effect: 'navigate', action_id: 'a1' }),
    event('action_finished', { action_id: 'a1', action: 'navigate', ok: false, error: { code: 'denied', message: 'This is a private network.' }, took_ms: 0, dropped: [] }),
  ));
  assert.deepEqual(run.entries.map((e) => [e.kind, e.reason]), [['policy', 'This is a private network.']]);
});

test('a browser that shows nothing yet makes no noise, no picture and no stop', () => {
  const blank = event('observation', { look: 1, url: 'about:blank', title: '', picture: '/p/1' });
  const run = fold(story(blank));
  assert.deepEqual(run.entries, []);
  assert.deepEqual([run.live.url, run.live.picture, run.live.shots.length], [null, null, 0]);
  assert.deepEqual(stops(story(blank)), []);
});

test('where a page is that a person has is not told from before', () => {
  const seen = event('observation', { look: 1, url: 'http://shop.test/', title: 'Shop', picture: '/p/1' });
  const held = fold(story(seen, event('lease', { holder: 's1' })));
  assert.deepEqual([held.live.url, held.live.title, held.live.isHeldByPerson, held.live.picture], [null, null, true, '/p/1']);
  const back = fold(story(seen, event('lease', { holder: 's1' }), event('lease', { holder: null })));
  assert.deepEqual([back.live.url, back.live.isHeldByPerson], [null, true]);
  const again = fold(story(seen, event('lease', { holder: 's1' }), event('lease', { holder: null }), seen));
  assert.deepEqual([again.live.url, again.live.isHeldByPerson], ['http://shop.test/', false]);
});

test('a pause in the middle of a step leaves nothing under way', () => {
  const run = fold(story(event('action_started', { action_id: 'a1', action: 'navigate', params: {} }), { type: 'status', status: 'paused' }));
  assert.equal(run.entries[0].state, 'stopped');
  assert.equal(run.live.doing, null);
});

test('a page that did not open has the address that was asked for, and is told of once', () => {
  const opens = [event('action_started', { action_id: 'a1', action: 'navigate', params: { url: 'https://no.invalid/x' } }), event('action_finished', { action_id: 'a1', action: 'navigate', ok: false, error: { code: 'navigation', message: 'no such host' }, took_ms: 1, dropped: [] })];
  const shown = event('observation', { look: 1, url: 'chrome-error://chromewebdata/', title: 'no.invalid', picture: '/p/1' });
  const run = fold(story(...opens, shown));
  assert.deepEqual([kinds(run), run.live.url, run.live.broken, run.live.shots[0].url], [['action'], 'https://no.invalid/x', true, 'https://no.invalid/x']);
  const clicked = fold(story(event('action_started', { action_id: 'a1', action: 'click', params: { eid: 1 } }), event('action_finished', { action_id: 'a1', action: 'click', ok: true, took_ms: 1, dropped: [] }), shown));
  assert.deepEqual([line(clicked.entries.at(-1), en), line(clicked.entries.at(-1), uk), clicked.live.url], ['The page failed to open: no.invalid', 'Сторінка не відкрилася: no.invalid', 'no.invalid']);
  assert.doesNotMatch(JSON.stringify([run.live, clicked.entries]), /chrome-error/);
});

test('steps are those of the talk, and the most of them does not read as their goal', () => {
  const steps = (run_id, n) => ({ ...event('state_updated', { steps: n, max_steps: 30 }), run_id });
  const { usage } = fold(story({ type: 'run_started', agent: 'browser', input: {} }, steps(ROOT, 9), steps('c1', 2)));
  assert.deepEqual([usage.steps, usage.maxSteps], [9, 30]);
  assert.deepEqual([uk('steps.of', { n: 9, max: 30 }), en('steps.of', { n: 9, max: 30 })], ['9 кроків (ліміт 30)', '9 steps (limit 30)']);
});

test('who has declined is not told once more that a person declined', () => {
  const no = fold(story({ type: 'run_started', agent: 'browser', input: { text: 'x' } }, confirm, { type: 'question_resolved', reference: 'q1', by: 'user', answer: { confirmed: false } }, { type: 'run_ended', outcome: 'cancelled', final_response: null, vars: {} }));
  const why = { status: 'cancelled', because: 'A person declined the action, so the task was stopped.', moves: [{ who: 'person', how: 'write further', link: null }] };
  assert.deepEqual([isDeclined(no.entries), reasonOf(why, en, null, true).text, reasonOf(why, en, null, true).moves.length], [true, '', 1]);
  assert.match(reasonOf(why, en).text, /declined/); // for a run that ended unseen
  assert.deepEqual([line(no.entries.at(-1), en), line(no.entries.at(-1), uk)], ['Stopped because you declined', 'Зупинено, бо ви відхилили']);
  assert.equal(endedNext(no.entries.at(-1), en), 'You can continue below.');
});

test('the title of a task is whole', () => {
  const text = `open shop.test\n${'click Next\n'.repeat(20)}`;
  assert.equal(fold(story({ type: 'run_started', agent: 'browser', input: { text } })).title, text);
});

test('duplicates are ignored, wherever they come', () => {
  const once = feedAll(purchase);
  const twice = feedAll([...purchase, ...purchase], feedAll(purchase.slice(0, 9)));
  assert.deepEqual(twice[ROOT].run, once[ROOT].run);
  assert.equal(twice[ROOT].facts.length, purchase.length);
});

test('a duplicate changes nothing, not even the identity', () => {
  const known = feedAll(purchase);
  assert.equal(takeFact(known, purchase[4]).known, known);
});

test('a gap is held, told, and closed without loss', () => {
  let known = feedAll(purchase.slice(0, 5));
  const early = takeFact(known, purchase[7]);
  assert.equal(early.gap, ROOT);
  assert.deepEqual(early.applied, []);
  known = early.known;
  assert.equal(known[ROOT].feed.lastSeq, 5);
  // The answer to `hello {after_seq: 5}`: everything from 6 on.
  known = feedAll(purchase.slice(5), known);
  assert.equal(known[ROOT].feed.lastSeq, purchase.length);
  assert.deepEqual(known[ROOT].run, fold(purchase));
});

test('a fact that fills a gap releases those that waited', () => {
  let feed = emptyOrder;
  const [one, two, three] = purchase;
  feed = insertEvent(feed, three).feed;
  feed = insertEvent(feed, two).feed;
  const { ready, gap } = insertEvent(feed, one);
  assert.deepEqual(ready, [one, two, three]);
  assert.equal(gap, false);
});

test('a fact without a seq is no fact', () => {
  assert.deepEqual(insertEvent(emptyOrder, { run_id: ROOT }).ready, []);
});

test('resume after every possible cut gives the same run', () => {
  const whole = fold(purchase);
  for (let cut = 0; cut <= purchase.length; cut += 1) {
    const known = feedAll(purchase.slice(Math.max(0, cut - 2)), feedAll(purchase.slice(0, cut)));
    assert.deepEqual(known[ROOT].run, whole, `cut at ${cut}`);
  }
});

test('replay is live: at every fact the same object', () => {
  let live = emptyRun();
  for (const fact of purchase) {
    live = reduceRun(live, fact);
    assert.deepEqual(runAt(purchase, fact.seq), live, `at ${fact.seq}`);
  }
});

test('a question opens, waits and is resolved once', () => {
  const at = (seq) => runAt(purchase, seq);
  assert.equal(at(12).questions.length, 0);
  assert.equal(at(13).questions[0].reference, 'q1');
  assert.equal(at(13).status, 'waiting');
  assert.equal(at(13).entries.at(-1).state, 'open');
  assert.equal(at(14).questions.length, 0);
  assert.deepEqual(at(14).entries.at(-1).answer, { confirmed: true, remember: 'once' });
});

test('the same question told twice is one card', () => {
  const run = fold(story(confirm, confirm));
  assert.equal(run.questions.length, 1);
  assert.equal(run.entries.length, 1);
});

test('the end of the run closes what was open', () => {
  const run = fold(story({ type: 'run_started', agent: 'browser', input: { text: 'x' } }, event('action_started', { action_id: 'a1', action: 'click', params: {} }), confirm, { type: 'run_ended', outcome: 'cancelled', final_response: null }));
  assert.deepEqual(run.questions, []);
  assert.equal(run.entries.find((e) => e.kind === 'action').state, 'stopped');
  assert.equal(run.entries.find((e) => e.kind === 'question').by, 'stopped');
  assert.equal(run.live.target, null);
});

test('the final message is shown once, also without agent_message', () => {
  assert.equal(fold(purchase).entries.at(-1).response, null);
  const silent = fold(story({ type: 'run_ended', outcome: 'blocked', final_response: 'Stuck.' }));
  assert.equal(silent.entries.at(-1).response, 'Stuck.');
});

test('an end names what was used up and does not promise more of it; a refused private address names its setting', () => {
  const over = (outcome, ...facts) => fold(story({ type: 'run_started', agent: 'browser', input: { text: 'x' } }, ...facts, { type: 'run_ended', outcome, final_response: null })).entries.at(-1);
  const words = (entry) => [uk, en].map((t) => `${line(entry, t)}. ${endedNext(entry, t)}`);
  const asked = { type: 'agent_question', kind: 'budget', reference: 'q9', payload: { limit: 'tokens', used: 6120, most: 6000 } };
  const declined = { type: 'question_resolved', reference: 'q9', by: 'user', answer: { confirmed: false } };
  const [spent, spentEn] = words(over('exhausted', asked, declined));
  assert.match(spent, /токенів.*спитає/);
  assert.match(spentEn, /token limit.*ask again/);
  assert.doesNotMatch(words(over('exhausted', asked, { ...declined, answer: { confirmed: true } }))[1], /token/);
  assert.match(words(over('exhausted', event('budget', { limit: 'money', used: 2, most: 2 })))[1], /spending/);
  // Lanes and orchestrations receive it from their caller.
  const below = words(over('exhausted', { ...event('budget', { limit: 'tokens', used: 2560, most: 2000 }), run_id: 'c1' }))[1];
  assert.match(below, /token limit/);
  assert.doesNotMatch(below, /Reply|again/); // nobody reads or asks
  assert.doesNotMatch(words(over('exhausted'))[1], /tokens|money|continue/);
  const denied = (rule) => words(over('denied', event('policy', { decision: 'deny', rule, risk: 'high', effect: 'navigate', action_id: 'a1' })))[1];
  assert.match(denied('deny-private'), /gate\.private_hosts/);
  assert.doesNotMatch(denied('deny-private'), /policy\.yaml/);
  assert.match(denied('deny-pay'), /policy\.yaml/);
});

test('a message to an ended run opens it again', () => {
  const again = [...purchase, ...story(event('user_message', { text: 'and now?' }), { type: 'status', status: 'running' }, { type: 'run_ended', outcome: 'failed', final_response: 'No.' }).map((f, i) => ({ ...f, seq: purchase.length + 1 + i }))];
  assert.equal(fold(again.slice(0, -1)).outcome, null);
  assert.ok(isActive(fold(again.slice(0, -1)).status));
  assert.equal(fold(again).entries.at(-1).response, 'No.');
});

test('facts of a child show, but do not end the tree', () => {
  const child = { run_id: 'c1' };
  const run = fold(story({ type: 'run_started', agent: 'browser', input: { text: 'x' } }, { ...child, type: 'run_started', agent: 'helper', parent_run_id: ROOT, input: {} }, { ...child, type: 'status', status: 'waiting' }, { ...child, type: 'run_ended', outcome: 'succeeded', final_response: null }));
  assert.equal(run.status, 'running');
  assert.ok(kinds(run).includes('child'));
});

test('the same action id in two turns is two lines', () => {
  const run = fold(purchase);
  const actions = run.entries.filter((e) => e.kind === 'action');
  assert.deepEqual(actions.map((e) => [e.action, e.state, e.dropped]), [['navigate', 'ok', 0], ['click', 'ok', 1]]);
});

test('a refused action that never started has its line, too', () => {
  const run = fold(story(event('action_finished', { action_id: 'a1', action: 'click', ok: false, error: { code: 'dead_eid', message: 'gone' }, dropped: [] })));
  assert.equal(run.entries[0].state, 'failed');
});

test('what is asked about stays outlined until it is answered', () => {
  const target = { eid: 3, role: 'button', name: 'Pay', box: [0.1, 0.2, 0.3, 0.1] };
  const asked = story({ type: 'agent_question', reference: 'q9', kind: 'confirm', text: 'Pay?', payload: { target } }, { type: 'question_resolved', reference: 'q9', by: 'user', answer: { confirmed: true } });
  assert.deepEqual(fold(asked.slice(0, 1)).live.target.box, target.box);
  assert.equal(fold(asked).live.target, null);
});

test('target and pointer follow the action under way', () => {
  assert.deepEqual(runAt(purchase, 16).live.target.box, [0.5, 0.5, 0.2, 0.1]);
  assert.deepEqual(runAt(purchase, 16).live.pointer, [0.6, 0.55]);
  assert.equal(runAt(purchase, 17).live.target, null);
  assert.equal(runAt(purchase, 20).live.shots.length, 1);
});

test('a broken box draws nothing', () => {
  for (const box of [null, [], [0, 0, 0, 0], [1, 2, 3], ['a', 0, 1, 1]]) {
    const run = fold(story(event('action_started', { action_id: 'a1', action: 'click', params: {}, target: { box } })));
    assert.equal(run.live.target, null);
  }
});

test('what the person said shows at once and is not doubled by its fact', () => {
  let known = sayLocally(feedAll(purchase), ROOT, { id: '1', text: 'and now?', at: purchase[0].at });
  assert.equal(known[ROOT].run.entries.at(-1).local, true);
  known = feedAll([{ ...purchase[0], ...event('user_message', { text: 'and now?' }), seq: purchase.length + 1 }], known);
  assert.equal(known[ROOT].run.entries.filter((e) => e.text === 'and now?').length, 1);
});

test('the first message is one bubble, though it is told as the input and as a message', () => {
  const known = feedAll(story({ type: 'run_started', agent: 'browser', input: { text: 'order a lamp' } }, event('user_message', { text: 'order a lamp' }), event('user_message', { text: 'order a lamp' })));
  const userEntries = known[ROOT].run.entries.filter((e) => e.kind === 'user');
  assert.deepEqual(userEntries.map((e) => [e.text, e.seq]), [['order a lamp', 1], ['order a lamp', 3]]);
});

test('welcome says how much is still to come', () => {
  const { known } = takeWelcome({}, { run: { run_id: ROOT, root_run_id: ROOT }, seq: purchase.length });
  assert.equal(caughtUp(known[ROOT]), false);
  assert.equal(caughtUp(feedAll(purchase, known)[ROOT]), true);
});

test('a server that lost its facts is believed', () => {
  const { known, stale } = takeWelcome(feedAll(purchase), { run: { run_id: ROOT, root_run_id: ROOT }, seq: 3 });
  assert.equal(stale, ROOT);
  assert.equal(known[ROOT].feed.lastSeq, 0);
});

test('taking over is offered only where the server speaks of a lease', () => {
  const bare = feedAll(purchase);
  assert.equal(leaseOf(bare[ROOT], 's1').possible, false);
  const { known } = takeWelcome(bare, { run: { run_id: ROOT, root_run_id: ROOT, lease: { holder: null } }, seq: purchase.length });
  assert.deepEqual(leaseOf(known[ROOT], 's1'), { possible: true, holder: null, mine: false, lost: null });
  const held = feedAll([{ ...purchase[0], ...event('lease', { holder: 's1' }), seq: purchase.length + 1 }], known);
  assert.equal(leaseOf(held[ROOT], 's1').mine, true);
  assert.equal(leaseOf(held[ROOT], 's2').mine, false);
});

test('what an earlier session of this window held is free again', () => {
  const held = feedAll([{ ...purchase[0], ...event('lease', { holder: 's1' }), seq: purchase.length + 1 }], feedAll(purchase));
  assert.equal(leaseOf(held[ROOT], 's2').holder, 's1');
  assert.deepEqual(leaseOf(held[ROOT], 's2', ['s1']), { possible: true, holder: null, mine: false, lost: 's1' });
});

test('stops are where something can be seen', () => {
  const all = stops(purchase);
  assert.equal(all[0], 1);
  assert.equal(all.at(-1), purchase.length);
  assert.equal(moveStop(all, null, -1), all.at(-2));
  assert.equal(moveStop(all, all[0], -1), all[0]);
  assert.equal(moveStop(all, all[0], 1), all[1]);
  assert.equal(moveStop([], null, 1), null);
});

test('the countdown counts down and stops at zero', () => {
  const open = { expiresAt: '2025-01-01T12:00:10Z' };
  assert.equal(secondsLeft(open, Date.parse('2025-01-01T12:00:01Z')), 9);
  assert.equal(secondsLeft(open, Date.parse('2025-01-01T12:01:00Z')), 0);
  assert.equal(secondsLeft({ expiresAt: null }, 0), null);
});

test('a letter typed into the field when the card came up is no answer', () => {
  assert.equal(mayAnswerByKey({ now: 1100, shownAt: 1000, lastTypedAt: 950 }), false);
  assert.equal(mayAnswerByKey({ now: 1500, shownAt: 1000, lastTypedAt: 200 }), true);
  assert.equal(mayAnswerByKey({ now: 2300, shownAt: 1000, lastTypedAt: 950 }), true);
  assert.equal(mayAnswerByKey({ now: 1100, shownAt: 1000, lastTypedAt: -Infinity }), false, 'it cannot have been read');
  assert.equal(mayAnswerByKey({ now: 9000, shownAt: 1000, lastTypedAt: 8890 }), false, 'typing that goes on over the card');
});
