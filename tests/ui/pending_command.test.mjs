// Commands that were sent and have no effect yet, and the identity of this window.  // S1.31
import test from 'node:test';
import assert from 'node:assert/strict';
import { noPendingCommand, reducePendingCommand } from '../../static/run/pending_command.js';
import { lease } from '../../static/run_state/view.js';
import { event, story } from './facts.mjs';

const after = (...changes) => changes.reduce(reducePendingCommand, noPendingCommand);
const pressed = (command) => ({ type: 'pressed', command });
const fact = (one) => ({ type: 'fact', fact: story(one)[0] });

test('taking over waits for the lease, not for the pause that comes first', () => {
  assert.equal(after(pressed('take_over')).asked, 'take_over');
  assert.equal(after(pressed('take_over'), fact({ type: 'status', status: 'paused' })).asked, 'take_over');
  assert.equal(after(pressed('take_over'), fact(event('lease', { holder: 's1' }))).asked, null);
});

test('a pause waits for the status', () => {
  assert.equal(after(pressed('pause'), fact(event('action_finished', {}))).asked, 'pause');
  assert.equal(after(pressed('pause'), fact({ type: 'status', status: 'paused' })).asked, null);
});

test('a refusal, an end, a lost line and another run leave nothing asked', () => {
  for (const change of [{ type: 'refused' }, { type: 'moved' }, { type: 'lost' }, fact({ type: 'run_ended', outcome: 'failed' })]) {
    assert.equal(after(pressed('take_over'), change).asked, null, change.type);
  }
  assert.equal(after(pressed('stop')).asked, null);
});

test('what this window held before its line was lost is free for it again', () => {
  const entry = { run: { lease: { holder: 's1' } } };
  const pendingCommand = after({ type: 'session', was: null }, { type: 'lost' }, { type: 'session', was: 's1' });
  // The service died silently: the page is free, and counts as lost.
  assert.deepEqual(lease({ pendingCommand, sessionId: 's2' }, entry), { possible: true, holder: null, mine: false, lost: 's1', asked: false });
});
