// Holders of the page and the ends of their leases: texts and buttons.  // S1.31
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { emptyRun, reduceRun } from '../../static/run_state/run.js';
import { leaseOf } from '../../static/run_state/run_trees.js';
import { disconnectedKey } from '../../static/transport/connection.js';
import { holderKey } from '../../static/live/lease.js';
import { line } from '../../static/chat/entry_text.js';
import { translator } from '../../static/shared/text/locale.js';
import { confirm, event, story } from './facts.mjs';

const words = (locale) => JSON.parse(readFileSync(new URL(`../../static/locales/${locale}.json`, import.meta.url), 'utf8'));
const en = translator(words('en'), 'en');

const begun = [{ type: 'run_started', agent: 'browser', input: { text: 'x' } }];
const manual = { ...confirm, kind: 'manual', payload: { text: 'Log in' } };
const paused = { type: 'status', status: 'paused' };
const running = { type: 'status', status: 'running' };
const held = event('lease', { holder: 's1' });
const free = event('lease', { holder: null });
const later = (fact) => ({ ...fact, at: new Date(Date.UTC(2025, 0, 1, 13)).toISOString() });
const fold = (...facts) => story(...begun, ...facts).reduce(reduceRun, emptyRun());
const leaseLines = (run) => run.entries.filter((entry) => entry.kind === 'lease').map((entry) => line(entry, en));
const lost = (run) => leaseOf({ run }, 's9').lost;

const TAKEN = 'You took over';
const LOST = 'Whoever was in control lost their connection; the task is waiting';
const BACK = 'You handed control back';
const FREE = 'Control of the page was released';

test('a lost line is not told as a page that was handed back, and the run waits until somebody acts', () => {
  const run = fold(paused, held, free);
  assert.deepEqual(leaseLines(run), [TAKEN, LOST]);
  assert.equal(lost(run), 's1');
  // On resuming, the service repeats that nobody holds the page.
  const on = fold(paused, held, free, free, running);
  assert.deepEqual([leaseLines(on), lost(on)], [[TAKEN, LOST], null]);
  // Lost, taken by the next person and lost again; then handed back.
  const again = [paused, held, free, later(event('lease', { holder: 's2' })), later(free)];
  assert.deepEqual([leaseLines(fold(...again)), lost(fold(...again))], [[TAKEN, LOST, TAKEN, LOST], 's2']);
  assert.deepEqual(leaseLines(fold(...again, later(running))), [TAKEN, LOST, TAKEN, BACK]);
});

test('a page that is handed back is told so once the run goes on', () => {
  for (const run of [fold(paused, held, free, running), fold(manual, held, free, { type: 'question_resolved', reference: 'q1', by: 'user', answer: { done: true } })]) {
    assert.deepEqual([leaseLines(run), lost(run)], [[TAKEN, BACK], null]);
  }
});

test('what a person was asked to do and did not do waits on when their line is lost', () => {
  const run = fold(manual, held, free);
  assert.deepEqual([leaseLines(run), lost(run)], [[TAKEN, LOST], 's1']);
  const done = fold(manual, held, free, later({ type: 'question_resolved', reference: 'q1', by: 'user', answer: { done: true } }));
  assert.deepEqual([leaseLines(done), lost(done)], [[TAKEN, LOST], null]);
});

test('where nothing tells whether it was handed back or lost, neither is said', () => {
  for (const run of [fold(confirm, held, free), fold(paused, later(held), later(free))]) assert.deepEqual([leaseLines(run), lost(run)], [[TAKEN, FREE], null]);
});

test('a task that is stopped under the hands of a person is not told as handed back', () => {
  assert.deepEqual(leaseLines(fold(paused, held, { type: 'run_ended', outcome: 'cancelled', final_response: null }, free)), [TAKEN]);
});

test('what one of our own sessions held is lost as soon as we know, told or not', () => {
  assert.equal(leaseOf({ run: fold(paused, held) }, 's2', ['s1']).lost, 's1');
});

test('the status says whose hands the page is in', () => {
  const word = (lease, status = 'paused') => holderKey({ mine: false, holder: null, lost: null, ...lease }, status, ['s1', 's2']);
  assert.equal(word({ mine: true, holder: 's2' }), 'yours');
  assert.equal(word({ holder: 's1' }), 'own');
  assert.equal(word({ holder: 's7' }, 'waiting'), 'other');
  assert.equal(word({ lost: 's7' }), 'lost');
  assert.equal(word({ lost: 's7' }, 'waiting'), null); // a waiting question is more specific
  assert.equal(word({}), null);
});

test('offline, nothing is said to carry on that waits', () => {
  const disconnectedWith = (status, mine = false) => disconnectedKey({ route: 'run', liveRun: { status }, lease: { mine } });
  assert.equal(disconnectedWith('running'), 'lost.lead');
  assert.equal(disconnectedWith('paused', true), 'lost.held');
  assert.equal(disconnectedWith('waiting'), 'lost.waits');
  assert.equal(disconnectedWith('succeeded'), 'lost.idle');
  assert.equal(disconnectedKey({ route: 'welcome', liveRun: null, lease: {} }), 'lost.idle');
});
