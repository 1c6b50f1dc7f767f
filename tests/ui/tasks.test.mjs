// Tasks in the list and at the head of the page: places, times, states of waiting.  // S1.31
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { serviceMessage } from '../../static/chat/service_messages.js';
import { emptyRun, reduceRun } from '../../static/run_state/run.js';
import { withWaiting } from '../../static/shared/run_status.js';
import { placesOf } from '../../static/browsers/browsers.js';
import { shortMoment, translator } from '../../static/shared/text/locale.js';
import { fileSize, taskTitle } from '../../static/shared/text/format.js';
import { event, story } from './facts.mjs';

const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const [uk, en] = ['uk', 'en'].map((locale) => translator(JSON.parse(read(`static/locales/${locale}.json`)), locale));
const fold = (...facts) => story({ type: 'run_started', agent: 'browser', input: { text: 'x' } }, ...facts).reduce(reduceRun, emptyRun());
const says = (text, final = false) => ({ type: 'agent_message', text, html: '', final });

test('a run that waits for a browser is known by what the service says of it, until it goes on', () => {
  const source = read('src/texts/page.rs');
  const messages = [...source.matchAll(/fn waiting_for_\w+\(.*\) \{\n\s*uk: "(.+)",\n\s*en: "(.+)",/g)];
  const sentences = messages.flatMap(([, uk, en]) => [uk, en]).map((text) => text.replaceAll(/\{\w+\}/g, '2'));
  assert.equal(sentences.length, 4);
  for (const said of sentences) {
    assert.equal(fold(says(said)).inLine, true, said);
    assert.equal(fold(says(said), event('user_message', { text: 'hurry' })).inLine, true, said);
    assert.equal(fold(says(said), event('observation', { look: 1, url: 'http://a.test/' })).inLine, false, said);
    assert.equal(fold(says(said, true)).inLine, false, said);
  }
  assert.equal(fold(says('Waiting for 2 s.')).inLine, false);
});

test('what the service says in passing is read in the language of its reader', () => {
  const sources = read('src/texts/page.rs');
  for (const [key, params, said] of [
    ['line.full', { slots: '4', ahead: '2' }, ['Waiting for a free browser: all slots (4) are in use, ahead in line: 2.', 'Чекаю на вільний браузер: зайнято всі місця (4), попереду в черзі: 2.']],
    ['line.profile', { name: 'shop' }, ['Waiting for the browser profile “shop”: another task is using it.', 'Чекаю на профіль браузера «shop»: його використовує інше завдання.']],
    ['line.reopened', {}, ['The browser closed unexpectedly. Opening the page again to see what is on it.', 'Браузер раптово закрився. Відкриваю сторінку знову і дивлюся, що на ній.']],
  ]) {
    for (const sentence of said) {
      assert.deepEqual(serviceMessage(sentence), { key, params }, sentence);
      const shape = Object.entries(params).reduce((text, [name, value]) => text.replace(value, `{${name}}`), sentence);
      assert.ok(sources.includes(shape), shape);
    }
  }
  assert.equal(serviceMessage('Waiting for a free browser: I think.'), null);
});

test('the list of tasks knows whose hands a page is in and who waits for a browser', () => {
  const list = { items: [{ contexts: [{ run_id: 'a', state: 'held', holder: 's1' }, { run_id: 'b', state: 'held', holder: 's7' }, { run_id: 'c', state: 'working', holder: null }] }], waiting: [{ run_id: 'd' }] };
  assert.deepEqual(placesOf(list, ['s1']), { a: 'yours', b: 'other', d: 'line' });
  assert.deepEqual(placesOf(null, []), {});
});

test('a task whose child asks the person waits for them, whatever the rest does', () => {
  const roots = [{ run_id: 'a', status: 'running' }, { run_id: 'b', status: 'running' }, { run_id: 'c', status: 'succeeded' }];
  const waiting = [{ run_id: 'x', root_run_id: 'b' }, { run_id: 'y', root_run_id: 'c' }];
  assert.deepEqual(withWaiting(roots, waiting).map(({ status }) => status), ['running', 'waiting', 'succeeded']);
  assert.deepEqual(withWaiting(roots, null), roots);
});

test('tasks of an earlier day are told apart by their time', () => {
  const now = new Date(2025, 4, 20, 18, 0);
  const [morning, evening] = [9, 21].map((hour) => shortMoment(new Date(2025, 4, 3, hour, 5).toISOString(), 'uk', now));
  assert.match(morning, /^3 трав\., 09:05$/);
  assert.notEqual(morning, evening);
  assert.equal(shortMoment(new Date(2025, 4, 20, 9, 5).toISOString(), 'uk', now), '09:05');
  assert.equal(shortMoment('', 'uk', now), '');
});

test('a title that was cut keeps its dots on the line', () => {
  assert.equal(taskTitle('open http://x:1/demo/ …', 'http://x:1'), 'open /demo/\u00a0…');
});

test('sizes of files are words that there are', () => {
  assert.deepEqual([1, 8, 10, 12_300, 1_240_000].map((size) => fileSize(size, en)), ['1 byte', '8 bytes', '10 bytes', '12 kB', '1.2 MB']);
  assert.equal(fileSize(3, uk), '3 байти');
});
