// Address of the page that this window holds, and its file chooser.

import { strictEqual as eq, deepStrictEqual as same } from 'node:assert';
import { test } from 'node:test';
import { heldOf, noHeld, reduceHeld } from '../../static/live/take_over/held_page.js';

const at = (url, run = 'r1') => ({ type: 'page_address', run_id: run, url });
const chooser = (number, open = true, run = 'r1') => ({ type: 'file_chooser', run_id: run, number, multiple: true, open });
const after = (...changes) => changes.reduce(reduceHeld, noHeld);

test('the address is that of the run that is held', () => {
  eq(after(at('https://a.test/'), at('https://a.test/b')).url, 'https://a.test/b');
  eq(heldOf(after(at('https://a.test/')), 'r2').url, '');
  eq(after(at('https://a.test/'), at('https://b.test/', 'r2')).runId, 'r2');
});

test('a chooser is open until it is answered or closed', () => {
  same(after(at('u'), chooser(1)).chooser, { number: 1, multiple: true });
  eq(after(chooser(1), chooser(1, false)).chooser, null);
  eq(after(chooser(2), chooser(1, false)).chooser.number, 2);
  eq(after(chooser(1), { type: 'input', kind: 'files', number: 1, names: [] }).chooser, null);
  eq(after(chooser(1), { type: 'input', kind: 'back' }).chooser.number, 1);
  eq(after(chooser(1), chooser(4, true, 'r2')).chooser.number, 4);
});

test('other frames change nothing', () => eq(reduceHeld(noHeld, { type: 'pong' }), noHeld));
