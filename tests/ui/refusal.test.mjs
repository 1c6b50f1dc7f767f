// Messages for refused commands.  // S1.31
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { refusal } from '../../static/shared/text/refusal.js';
import { withoutHints, addNotice } from '../../static/layout/notices.js';
import { translator } from '../../static/shared/text/locale.js';

const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const [uk, en] = ['uk', 'en'].map((locale) => translator(JSON.parse(read(`static/locales/${locale}.json`)), locale));
const PROFILE = { code: 'busy', message: 'another task is using the browser profile "shop"; try again when it has ended' };

test('a profile that another task has is named, not hidden behind "the service is busy"', () => {
  assert.equal(refusal(PROFILE, en).title, 'Another task is using the browser profile “shop”. Try again when it has finished.');
  assert.equal(refusal(PROFILE, uk).title, 'Профіль браузера «shop» використовує інше завдання. Спробуйте, коли воно завершиться.');
});

test('every reason of the service why a command cannot be done has its own words in both languages', () => {
  const sentences = ['src/engine/lifecycle.rs', 'src/engine/takeover/lease.rs'].flatMap((path) => [...read(path).matchAll(/#\[error\("(.+)"\)\]/g)].map(([, sentence]) => sentence));
  assert.ok(sentences.length > 8);
  for (const sentence of ['the run has no page open yet', 'the page is not available now; try again']) sentences.push(sentence);
  assert.match(read('src/browser/error.rs'), /another task is using the browser profile \\"\{name\}\\"/);
  for (const message of sentences) {
    const code = /in control of the page/.test(message) ? 'lease_held' : 'busy';
    for (const t of [uk, en]) assert.notEqual(refusal({ code, message }, t).title, t('error.busy'), message);
  }
  assert.equal(refusal({ code: 'lease_held', message: 'you are already in control of a page; hand it back first' }, en).title, 'You’re already in control of a page. Hand it back first.');
});

test('what a code is too wide for is said in the words of the service', () => {
  assert.deepEqual(refusal({ code: 'busy', message: 'a run is at work in it' }, en), { title: 'The service is busy right now.', advice: 'A run is at work in it.' });
  assert.deepEqual(refusal({ code: 'busy' }, en), { title: 'The service is busy right now.', advice: 'Try again in a minute.' });
  assert.equal(refusal({ code: 'unknown_run', message: 'there is no run x' }, uk).title, 'Такого завдання немає.');
});

test('what has no advice of its own gets none', () => {
  assert.deepEqual(refusal({ code: 'agent_busy_elsewhere', message: 'no' }, en), { title: 'no', advice: '' });
});

test('the same refusal twice is one notice, and the oldest go first', () => {
  const one = (title) => ({ kind: 'error', title, advice: '' });
  let all = ['a', 'b', 'a', 'c'].reduce((list, title, id) => addNotice(list, one(title), id), []);
  assert.deepEqual(all.map(({ title, id }) => [title, id]), [['b', 1], ['a', 2], ['c', 3]]);
  all = addNotice(all, one('d'), 4);
  assert.deepEqual(all.map(({ title }) => title), ['a', 'c', 'd']);
});

test('a hint goes when what it says has been done, and faults stay', () => {
  assert.deepEqual(withoutHints([{ kind: 'hint', id: 1 }, { kind: 'error', id: 2 }]), [{ kind: 'error', id: 2 }]);
});
