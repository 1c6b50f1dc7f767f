// Announcements to screen readers, and when they end.

import assert from 'node:assert/strict';
import test from 'node:test';
import { Announcer } from '../../static/app/announcer.js';
import { done, planned } from './planned.mjs';

globalThis.location ??= { origin: 'http://here' };
const t = (key) => key;

test('a question is said at once, and no longer when it is answered', () => {
  const [polite, urgent] = [{ textContent: '' }, { textContent: '' }];
  const announcer = new Announcer(polite, urgent);
  announcer.tell([{ type: 'agent_question', reference: 'q1', kind: 'confirm', text: 'May I send it?', payload: {} }], t);
  assert.equal(urgent.textContent, 'asked.confirm: May I send it?');
  announcer.tell([{ type: 'agent_message', text: 'Sending.' }], t);
  assert.equal(polite.textContent, 'Sending.');
  assert.notEqual(urgent.textContent, '');
  announcer.tell([{ type: 'question_resolved', reference: 'q7' }], t);
  assert.notEqual(urgent.textContent, '', 'one of another task is answered');
  announcer.tell([{ type: 'question_resolved', reference: 'q1' }], t);
  assert.equal(urgent.textContent, '');
});

test('what another task says is read with its title', () => {
  const [polite, urgent] = [{ textContent: '' }, { textContent: '' }];
  const announcer = new Announcer(polite, urgent);
  announcer.tell([{ type: 'agent_message', text: 'Sending.' }], t, 'Buy a lamp');
  assert.equal(polite.textContent, 'Buy a lamp: Sending.');
  announcer.tell([{ type: 'run_ended', outcome: 'succeeded' }], t, 'Buy a lamp');
  assert.equal(polite.textContent, 'Buy a lamp: ended.succeeded');
  announcer.tell([{ type: 'agent_question', reference: 'q1', kind: 'confirm', text: 'May I?', payload: {} }], t, 'Buy a lamp');
  assert.equal(urgent.textContent, 'Buy a lamp: asked.confirm: May I?');
});

test('of a plan is said when it is another, of background work its beginning and its end', () => {
  const polite = { textContent: '' };
  const announcer = new Announcer(polite, { textContent: '' });
  const words = Object.assign((key, { n, label } = {}) => [key, n ?? label].filter((part) => part !== undefined).join(' '), { agent: (name) => name, locale: 'en' });
  const announced = [...planned, done({ success: true })].map((fact) => { polite.textContent = ''; announcer.tell([{ run_id: 'r1', ...fact }], words); return polite.textContent; });
  assert.deepEqual(announced.filter(Boolean), ['plan.made 3', 'plan.again 5', 'budget.warns.tokens', 'task.begun Building the report', 'task.begun Watching the price', 'task.done Building the report']);
});
