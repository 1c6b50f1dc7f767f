// Lanes during execution: states, inputs and outputs, path from the task to a child, announcements.
// S0.11, S0.18 to S0.22
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { emptyRun, reduceRun, runAt } from '../../static/run_state/run.js';
import { hasLanes, isWithin, itemState, pathTo } from '../../static/run/board/lane_progress.js';
import { stateIcon } from '../../static/shared/run_status.js';
import { sideContent, boardOf, acceptsMessages } from '../../static/run/board/board_content.js';
import { line } from '../../static/chat/entry_text.js';
import { translator } from '../../static/shared/text/locale.js';
import { Announcer } from '../../static/app/announcer.js';
import { event, ROOT, story } from './facts.mjs';

const words = (locale) => JSON.parse(readFileSync(new URL(`../../static/locales/${locale}.json`, import.meta.url), 'utf8'));
const en = translator(words('en'), 'en');

const AGENT = { a: 'classify', b: 'echo', d: 'inner', x: 'browser' };
const item = (item_id, status, more = {}, run_id = ROOT) => ({ ...event('item', { item_id, agent: AGENT[item_id], lane: item_id === 'a' || run_id !== ROOT ? 0 : 1, status, attempt: 1, ...more }), run_id });
const child = (run_id, agent, input, parent_run_id = ROOT) => ({ type: 'run_started', run_id, parent_run_id, agent, input });

const facts = story(
  { type: 'run_started', agent: 'flow', input: { task: 'hello' } },
  { type: 'status', status: 'running' },
  item('a', 'running', { run_id: 'c1' }),
  child('c1', 'classify', { task: 'hello' }),
  { type: 'status', status: 'waiting', run_id: 'c1' }, // 5
  { type: 'status', status: 'running', run_id: 'c1' },
  { type: 'run_ended', run_id: 'c1', outcome: 'failed', final_response: 'timed out', vars: {} },
  item('a', 'running', { run_id: 'c2', attempt: 2 }), // 8
  child('c2', 'classify', { task: 'hello' }),
  { type: 'run_ended', run_id: 'c2', outcome: 'succeeded', vars: { is_complex: false } },
  item('a', 'succeeded', { run_id: 'c2', attempt: 2 }), // 11
  item('b', 'skipped'),
  item('d', 'running', { run_id: 'c3', attempt: 1 }),
  child('c3', 'inner', {}),
  item('x', 'running', { run_id: 'c4' }, 'c3'),
  child('c4', 'browser', { text: 'open a.test' }, 'c3'),
  { ...event('observation', { look: 1, url: 'http://a.test/', title: 'A', picture: '/p/1' }), run_id: 'c4' }, // 17
  { type: 'run_ended', run_id: 'c4', outcome: 'failed', final_response: 'the page is gone', vars: {} },
  item('x', 'failed', { run_id: 'c4', error: { code: 'failed', message: 'the page is gone' } }, 'c3'),
  { type: 'run_ended', run_id: 'c3', outcome: 'failed', final_response: 'x failed', vars: {} },
  item('d', 'failed', { run_id: 'c3' }),
  { type: 'run_ended', outcome: 'failed', final_response: 'd failed', vars: {} },
);

const at = (seq) => runAt(facts, seq);
const status = (seq, id, run = ROOT) => itemState(at(seq).progress, run, id).status;

test('a card goes from not due over waiting and running to what came of it', () => {
  assert.deepEqual([1, 2, 3, 5, 6, 8, 11].map((seq) => status(seq, 'a')), ['idle', 'idle', 'running', 'asks', 'running', 'running', 'succeeded']);
  assert.deepEqual([status(22, 'b'), status(22, 'd'), status(22, 'nobody')], ['skipped', 'failed', 'unreached']);
  // In a started lane the remaining items wait; after the end none does.
  assert.deepEqual([2, 3, 22].map((seq) => itemState(at(seq).progress, ROOT, 'z', 0).status), ['idle', 'waiting', 'unreached']);
  assert.deepEqual([itemState(at(3).progress, ROOT, 'z', 1).status, itemState(at(12).progress, ROOT, 'z', 1).status], ['idle', 'waiting']);
  for (const seq of [1, 3, 5, 11]) for (const t of ['uk', 'en'].map(words)) assert.ok(t[`item.state.${status(seq, 'a')}`]);
});

test('a card knows what went in and what came out of its last try', () => {
  const a = itemState(at(22).progress, ROOT, 'a');
  assert.deepEqual([a.input, a.vars, a.attempt, a.runId, a.error], [{ task: 'hello' }, { is_complex: false }, 2, 'c2', null]);
  const x = itemState(at(22).progress, 'c3', 'x');
  assert.deepEqual([x.status, x.error.message, x.response], ['failed', 'the page is gone', 'the page is gone']);
});

test('every state has an icon: colours alone say nothing to some', () => {
  const states = Object.keys(words('en')).filter((key) => key.startsWith('item.state.')).map((key) => key.slice('item.state.'.length));
  assert.ok(states.length > 10);
  const sprite = readFileSync(new URL('../../static/index.html', import.meta.url), 'utf8');
  for (const state of states) assert.ok(sprite.includes(`id="i-${stateIcon(state)}"`), state);
});

test('the way leads from the task down to each child, and tells who is within whom', () => {
  const { progress } = at(22);
  assert.deepEqual(pathTo(progress, 'c4'), [ROOT, 'c3', 'c4']);
  assert.deepEqual(['c4', 'c3', 'c1'].map((run) => isWithin(progress, run, 'c3')), [true, true, false]);
  assert.deepEqual([hasLanes(progress, ROOT), hasLanes(progress, 'c3'), hasLanes(progress, 'c4')], [true, true, false]);
});

test('the board of a run is that of the nearest lanes above what is looked at', () => {
  const desk = { agents: { items: [] }, specOf: (name) => ({ name }) };
  const shown = (seq, look, watched = null) => boardOf(at(seq), look, desk, watched);
  assert.deepEqual([shown(22, null), shown(22, 'c4'), shown(22, 'c2')].map(({ runId, focus, spec }) => [runId, focus, spec.name]), [[ROOT, ROOT, 'flow'], ['c3', 'c4', 'inner'], [ROOT, 'c2', 'flow']]);
  assert.equal(shown(11, null).hasPage, false);
  assert.deepEqual([shown(22, null).watch, shown(22, 'c4').watch, shown(22, 'c2').watch, shown(22, 'c4', 'board').watch], ['board', 'page', 'board', 'board']);
  assert.equal(boardOf(story({ type: 'run_started', agent: 'browser', input: {} }).reduce(reduceRun, emptyRun()), null, desk, null), null);
});

test('lanes take no words; a conversation does', () => {
  const agents = [{ name: 'flow', kind: 'composite' }, { name: 'talker', kind: 'atomic', executor: 'browser' }, { name: 'sum', executor: 'python' }];
  const of = (agent) => acceptsMessages({ ...emptyRun(), agent, runId: 'r' }, agents);
  assert.deepEqual(['flow', 'talker', 'sum', 'unknown'].map(of), [false, true, false, true]);
  const planner = { ...emptyRun(), agent: 'planner', runId: 'r' };
  const llm = [{ name: 'planner', kind: 'atomic', executor: 'llm', converses: true }, { name: 'browser', kind: 'atomic', executor: 'browser', converses: true }];
  assert.equal(acceptsMessages(planner, llm), true);
  assert.deepEqual([planner, { ...planner, agent: 'browser' }, { ...planner, live: { ...planner.live, url: 'http://a.test/' } }].map((run) => sideContent(null, run, llm)), ['none', 'page', 'page']);
  const over = { ...planner, agent: 'browser', status: 'failed', outcome: 'failed' };
  assert.deepEqual([over, { ...over, live: { ...over.live, url: 'http://a.test/' } }].map((run) => sideContent(null, run, llm)), ['none', 'page'], 'what ended without a page has no empty one');
  assert.equal(acceptsMessages(at(22), null), false); // facts suffice before the list of agents is loaded
});

test('the end of a child is a line of the transcript, and that of the task its end', () => {
  const { entries } = at(22);
  const ended = entries.filter(({ kind }) => kind === 'childended' || kind === 'ended');
  assert.deepEqual(ended.map(({ kind, runId, outcome }) => [kind, runId, outcome]), [['childended', 'c1', 'failed'], ['childended', 'c2', 'succeeded'], ['childended', 'c4', 'failed'], ['childended', 'c3', 'failed'], ['ended', ROOT, 'failed']]);
  const named = Object.assign(translator(words('en'), 'en'), { agent: () => 'Task classifier' });
  assert.equal(line(ended[1], named), 'Agent “Task classifier”: Done');
  assert.equal(line(ended[1], en), 'Agent “classify”: Done');
});

test('what a child said of its failure is not said again at its end', () => {
  const message = { type: 'agent_message', run_id: 'c1', text: 'no such model', final: true };
  const end = { type: 'run_ended', run_id: 'c1', outcome: 'failed', final_response: 'no such model' };
  const ends = (...before) => story(facts[0], child('c1', 'classify', {}), ...before, end).reduce(reduceRun, emptyRun()).entries.at(-1);
  assert.deepEqual([ends().response, ends(message).response], ['no such model', null]);
});

test('a screen reader is told of cards that began and ended, several at once in one sentence', () => {
  const [polite, urgent] = [{ textContent: '' }, { textContent: '' }];
  const announcer = new Announcer(polite, urgent);
  announcer.tell(facts.slice(0, 4), en);
  assert.equal(polite.textContent, 'classify: Running');
  announcer.tell(facts.slice(4, 12), en);
  assert.equal(polite.textContent, 'classify: Running; classify: Done; echo: Skipped');
  announcer.tell(facts.slice(21), en);
  assert.equal(polite.textContent, 'The task failed');
});
