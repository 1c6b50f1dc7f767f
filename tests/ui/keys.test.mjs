// Keys that stop, send and close.  // S1.31
import test from 'node:test';
import assert from 'node:assert/strict';
import { escapeMeans, meansStop } from '../../static/app/key_meanings.js';
import { sendsOnEnter } from '../../static/shared/ui/dom.js';

const nothing = { drawer: false, instead: false, composing: false, written: false, active: true };

test('Escape stops the run, but first closes what lies on top', () => {
  assert.equal(escapeMeans(nothing), 'stop');
  assert.equal(escapeMeans({ ...nothing, instead: true }), 'instead');
  assert.equal(escapeMeans({ ...nothing, instead: true, drawer: true }), 'drawer');
  assert.equal(escapeMeans({ ...nothing, active: false }), null);
});

test('Escape loses no words and takes none from an input method', () => {
  assert.equal(escapeMeans({ ...nothing, written: true }), null);
  assert.equal(escapeMeans({ ...nothing, composing: true, instead: true }), null);
});

test('Escape for the page of a person does not stop the task, nor right after they let it go', () => {
  assert.equal(escapeMeans({ ...nothing, inControl: true, sinceHint: 10 }), null);
  assert.equal(escapeMeans({ ...nothing, sinceBack: 600 }), null);
  assert.equal(escapeMeans({ ...nothing, sinceBack: 600, sinceHint: 100 }), null);
  assert.equal(escapeMeans({ ...nothing, sinceBack: 2000 }), 'hint');
  assert.equal(escapeMeans({ ...nothing, sinceBack: 2500, sinceHint: 500 }), 'stop');
  assert.equal(escapeMeans({ ...nothing, sinceBack: 9000 }), 'stop');
});

test('Enter sends, except for a new line and for a word that is being composed', () => {
  assert.equal(sendsOnEnter({ key: 'Enter' }), true);
  assert.equal(sendsOnEnter({ key: 'Enter', shiftKey: true }), false);
  assert.equal(sendsOnEnter({ key: 'Enter', isComposing: true }), false);
  assert.equal(sendsOnEnter({ key: 'Enter', keyCode: 229 }), false);
  assert.equal(sendsOnEnter({ key: 'a' }), false);
});

test('a bare "stop" is for the run at once', () => {
  for (const text of ['stop', 'Stop.', ' СТОП! ', 'зупинись']) assert.equal(meansStop(text), true, text);
  for (const text of ['stop at the shop', 'click stop', '']) assert.equal(meansStop(text), false, text);
});
