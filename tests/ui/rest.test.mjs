// Decisions of the page script on when a page has come to rest, played without a page.

import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const source = readFileSync(new URL('../../src/browser/injected/settle/rest.js', import.meta.url), 'utf8');
const Rest = new Function(`'use strict'; ${source}; return Rest;`)();

const LIMITS = { quietMs: 60, maxMs: 1500 };
const FRAME_MS = 20;

/**
 * Plays frames, 20 ms apart, and returns [reason, number of the last frame]. `happens` maps the number of a frame to what
 * is to be seen in it; what is pending or moves stays until another frame says otherwise.
 */
function play(happens, limits = LIMITS, most = 200) {
  let rest = new Rest(limits);
  let [changes, noise, lastChange, moves, pending] = [0, 0, 0, false, null];
  for (let number = 1; number <= most; number++) {
    const seen = happens[number] ?? {};
    const spent = number * FRAME_MS;
    if (seen.changes) [changes, lastChange] = [changes + seen.changes, spent];
    noise += seen.noise ?? 0;
    moves = seen.moves ?? moves;
    pending = seen.pending === undefined ? pending : seen.pending;
    const before = JSON.stringify(rest);
    const next = rest.after({ spent, sinceChange: spent - lastChange, changes, noise, moves, pending: () => pending });
    assert.equal(JSON.stringify(rest), before, 'a step leaves the state before it as it was');
    rest = next;
    if (rest.why !== null) return [rest.why, number];
  }
  return [null, most];
}

const always = (seen, most = 200) => Object.fromEntries(Array.from({ length: most }, (_, at) => [at + 1, seen]));

const courses = [
  ['a page that does not change is still after two frames', {}, ['still', 2]],
  ['a page that changed is quiet after a while without a change', { 1: { changes: 3 } }, ['quiet', 4]],
  ['each change begins the while anew', { 1: { changes: 1 }, 3: { changes: 1 } }, ['quiet', 6]],
  ['an animation is waited for', { 1: { moves: true }, 10: { moves: false } }, ['still', 10]],
  ['an animation without an end is not', { 1: { moves: true } }, ['animating', 75]],
  ['a page that changes in each frame is busy when the time is up', always({ changes: 1 }), ['busy', 75]],
  ['what never rests is watched for a moment', { 1: { noise: 1 } }, ['busy', 15]],
  ['a timer that changes nothing leaves the page still', { 1: { pending: 'timer' }, 12: { pending: null } }, ['still', 14]],
  ['a timer that changes the page makes it quiet two frames later', { 1: { pending: 'timer' }, 12: { pending: null, changes: 2 } }, ['quiet', 13]],
  ['what a timer draws with the next frame is waited for', { 1: { pending: 'timer' }, 12: { pending: null }, 14: { changes: 1 } }, ['quiet', 17]],
  ['a change before the timer is not what it brings', { 1: { pending: 'timer' }, 5: { changes: 1 }, 12: { pending: null }, 14: { changes: 1 } }, ['quiet', 17]],
  ['what follows a timer is waited for, too', { 1: { pending: 'timer' }, 12: { pending: null, changes: 2 }, 13: { changes: 1 } }, ['quiet', 16]],
  ['a change while the timer runs does not end the wait', { 1: { pending: 'timer' }, 5: { changes: 1 }, 12: { pending: null, changes: 1 } }, ['quiet', 13]],
  ['a sign of loading is waited for', { 1: { pending: 'loading', changes: 1 }, 40: { pending: null, changes: 4 } }, ['quiet', 41]],
  ['a sign that stays ends the wait', { 1: { pending: 'loading' }, 60: { pending: 'stuck' } }, ['loading', 60]],
  ['a page that loads and changes when the time is up is loading', { ...always({ changes: 1 }), 1: { pending: 'loading' } }, ['loading', 75]],
];

for (const [name, happens, expected] of courses) test(name, () => assert.deepEqual(play(happens), expected));

test('a wait of no time ends with its first frame', () => assert.deepEqual(play({}, { quietMs: 60, maxMs: 0 }), ['busy', 1]));

test('the page is not searched for what is pending as long as it changes', () => {
  const pending = () => assert.fail('searched');
  let rest = new Rest(LIMITS);
  for (let changes = 1; changes < 50; changes++) rest = rest.after({ spent: changes * FRAME_MS, sinceChange: 0, changes, noise: 0, moves: false, pending });
  assert.equal(rest.why, null);
});
