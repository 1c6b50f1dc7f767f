// What a screen reader is told, and when it stops being said.

import assert from 'node:assert/strict';
import test from 'node:test';
import { Announcer } from '../../static/announcer.js';

const t = (key) => key;

test('a question is said at once, and no longer when it is answered', () => {
  const [polite, urgent] = [{ textContent: '' }, { textContent: '' }];
  const announcer = new Announcer(polite, urgent);
  announcer.tell([{ type: 'agent_question', kind: 'confirm', text: 'May I send it?', payload: {} }], t);
  assert.equal(urgent.textContent, 'asked.confirm: May I send it?');
  announcer.tell([{ type: 'agent_message', text: 'Sending.' }], t);
  assert.equal(polite.textContent, 'Sending.');
  assert.notEqual(urgent.textContent, '');
  announcer.tell([{ type: 'question_resolved', reference: 'q1' }], t);
  assert.equal(urgent.textContent, '');
});
