// Input events for pointers, keys and input methods on the live page.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clicksAt, inputMeans, keyMeans, modifiersOf, partOf, pieces, wheelOf } from '../../static/live/take_over/input_events.js';

test('a point is a part of the picture at any size and place of it, never outside', () => {
  for (const box of [{ left: 0, top: 0, width: 1280, height: 720 }, { left: 300.5, top: 82, width: 390, height: 219.375 }]) {
    const at = partOf({ clientX: box.left + box.width / 4, clientY: box.top + box.height / 2 }, box);
    assert.deepEqual(at, { x: 0.25, y: 0.5 });
    assert.deepEqual(partOf({ clientX: -10, clientY: 5000 }, box), { x: 0, y: 1 });
  }
  assert.deepEqual(partOf({ clientX: 1, clientY: 1 }, { left: 0, top: 0, width: 0, height: 0 }), { x: 0, y: 0 });
});

test('clicks that follow closely are double and triple', () => {
  let clicks = null;
  const counts = [[0, 5], [200, 6], [400, 6], [600, 6], [2000, 6], [2100, 60]].map(([at, x]) => (clicks = clicksAt(clicks, { at, x, y: 0 })).count);
  assert.deepEqual(counts, [1, 2, 3, 1, 1, 1]);
});

test('a wheel turns by pixels, lines or pages', () => {
  assert.deepEqual(wheelOf({ deltaX: 1, deltaY: 2, deltaMode: 0 }, 2), { dx: 2, dy: 4 });
  assert.deepEqual(wheelOf({ deltaX: 0, deltaY: 3, deltaMode: 1 }, 2), { dx: 0, dy: 48 });
  assert.equal(wheelOf({ deltaX: 0, deltaY: 1, deltaMode: 2 }, 2).dy, 720);
});

test('letters are text, chords are keys, the clipboard is asked, an input method is left alone', () => {
  const key = (name, more = {}) => ({ key: name, ...more });
  for (const [event, means, mac] of [
    [key('a'), 'text'], [key('Ї', { shiftKey: true }), 'text'], [key('Enter'), 'key'], [key('Shift', { shiftKey: true }), 'key'],
    [key('a', { ctrlKey: true }), 'key'], [key('x', { altKey: true }), 'key'], [key('å', { altKey: true }), 'text', true],
    [key('@', { ctrlKey: true, altKey: true, getModifierState: (name) => name === 'AltGraph' }), 'text'],
    [key('v', { ctrlKey: true }), 'paste'], [key('V', { metaKey: true, shiftKey: true }), 'paste'], [key('Insert', { shiftKey: true }), 'paste'],
    [key('Escape'), 'key'], [key('Escape', { shiftKey: true }), 'leave'],
    [key('Dead'), 'method'], [key('Process'), 'method'], [key('Unidentified'), 'method'], [key('k', { isComposing: true }), 'method'], [key('Enter', { keyCode: 229 }), 'method'],
  ]) assert.equal(keyMeans(event, mac), means, event.key);
  assert.equal(modifiersOf({ altKey: true, shiftKey: true }), 9);
});

test('what the keyboards of phones edit is keys and text, and what is composed waits', () => {
  assert.deepEqual(inputMeans({ inputType: 'insertText', data: 'ї' }), { text: 'ї' });
  assert.deepEqual(inputMeans({ inputType: 'insertLineBreak' }), { key: 'Enter', modifiers: 0 });
  assert.deepEqual(inputMeans({ inputType: 'deleteContentBackward' }), { key: 'Backspace', modifiers: 0 });
  for (const inputType of ['insertCompositionText', 'insertFromComposition', 'deleteByComposition', 'insertFromPaste', 'historyUndo']) {
    assert.equal(inputMeans({ inputType, data: 'x' }), null, inputType);
  }
});

test('long text goes in pieces, with no character cut in two', () => {
  assert.deepEqual(pieces('abcde', 2), ['ab', 'cd', 'e']);
  assert.deepEqual(pieces('a😀b', 2), ['a', '😀', 'b']);
  assert.deepEqual(pieces(''), []);
});
