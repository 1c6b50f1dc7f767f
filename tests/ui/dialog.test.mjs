// Dialogs of a page that this window holds: shown to it alone, answered once.  // docs/protocol.md, `page_dialog`
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { make, named } from './page.mjs';
import { dialogAnswer, dialogMessage, dialogOf, dialogWords, noDialog, reduceDialog } from '../../static/live/take_over/page_dialog.js';
import { translator } from '../../static/shared/text/locale.js';
import { View } from '../../static/run_state/view.js';
import { emptyRun, reduceRun } from '../../static/run_state/run.js';
import { event, story } from './facts.mjs';

await import('../../static/live/take_over/dialog_card.js');

const words = (locale) => JSON.parse(readFileSync(new URL(`../../static/locales/${locale}.json`, import.meta.url), 'utf8'));
const en = translator(words('en'), 'en');

const pageDialog = (number, kind = 'confirm', more = {}) => ({ type: 'page_dialog', run_id: 'r1', number, dialog: { kind, message: 'Order now?', default_text: '', ...more } });
const gone = (number) => ({ type: 'page_dialog', run_id: 'r1', number, dialog: null });
const answered = (number) => ({ type: 'input', ...dialogAnswer({ kind: 'confirm', number }, true) });
const fold = (...changes) => changes.reduce(reduceDialog, noDialog);

test('a dialog is open until it is answered here or is gone', () => {
  assert.equal(fold(pageDialog(1)).state, 'open');
  assert.equal(fold(pageDialog(1), answered(1)).state, 'sent');
  assert.equal(fold(pageDialog(1), answered(1), gone(1)), noDialog);
  assert.equal(fold(pageDialog(1), gone(1)), noDialog);
});

test('an answer is for the dialog that was seen, and what is told late of an older one changes nothing', () => {
  const second = fold(pageDialog(1), answered(1), pageDialog(2));
  assert.deepEqual([second.number, second.state], [2, 'open']);
  assert.equal(reduceDialog(second, answered(1)), second);
  assert.equal(reduceDialog(second, gone(1)), second);
  assert.equal(reduceDialog(second, { type: 'input', kind: 'key', event: 'down', key: 'Enter' }), second);
  assert.equal(reduceDialog(noDialog, answered(1)), noDialog);
});

test('only a prompt that is accepted has words in its answer', () => {
  assert.deepEqual(dialogAnswer({ kind: 'prompt', number: 3 }, true, 'Iryna'), { kind: 'dialog', number: 3, accept: true, text: 'Iryna' });
  assert.deepEqual(dialogAnswer({ kind: 'prompt', number: 3 }, false, 'Iryna'), { kind: 'dialog', number: 3, accept: false });
  assert.deepEqual(dialogAnswer({ kind: 'confirm', number: 3 }, true, 'x'), { kind: 'dialog', number: 3, accept: true });
});

test('it is shown to who holds the page of the open run, and not in a replay', () => {
  const open = fold(pageDialog(1));
  assert.equal(dialogOf(open, 'r2'), null);
  const run = story({ type: 'run_started', agent: 'browser', input: { text: 'x' } }, event('lease', { holder: 's1' })).reduce(reduceRun, emptyRun());
  const entry = { run, facts: [], feed: { lastSeq: 2 }, targetSeq: 2, snapshot: null };
  const seen = (more) => new View().of({ known: { r1: entry }, current: 'r1', replaySeq: null, pendingCommand: { asked: null, past: [] }, sessionId: 's1', dialog: open, starting: null, answers: {}, ...more }).dialog;
  assert.equal(seen({}), open);
  assert.equal(seen({ sessionId: 's2' }), null);
  assert.equal(seen({ replaySeq: 1 }), null);
});

test('every kind has its words, in both languages, and a new one is a question', () => {
  for (const locale of ['en', 'uk']) {
    for (const kind of ['alert', 'confirm', 'prompt', 'beforeunload', 'of a later server']) {
      for (const key of Object.values(dialogWords({ kind })).filter(Boolean)) assert.ok(words(locale)[key], `${locale} ${key}`);
    }
  }
  assert.equal(dialogWords({ kind: 'alert' }).no, null);
  assert.equal(dialogMessage({ kind: 'beforeunload', message: 'English' }, en), 'Unsaved changes on this page will be lost.');
});

function card(dialog) {
  const element = make('af-dialog');
  const sent = [];
  element.addEventListener('intent', ({ detail }) => sent.push(detail.fields));
  element.connectedCallback();
  element.update(en, dialog);
  const submit = () => element.all.find((node) => node.tag === 'form').dispatchEvent({ type: 'submit', preventDefault() {} });
  const press = (key, more = {}) => {
    const event = { type: 'keydown', key, stopped: false, prevented: false, stopPropagation() { event.stopped = true; }, preventDefault() { event.prevented = true; }, ...more };
    element.dispatchEvent(event);
    return event;
  };
  return { element, sent, submit, press };
}

// Advances the time since the dialog appeared.
function later(ms, does) {
  const real = performance.now;
  performance.now = () => real.call(performance) + ms;
  try { does(); } finally { performance.now = real; }
}

test('what is pressed as the card comes was meant for the page', () => {
  const { sent, submit, press } = card(fold(pageDialog(7)));
  submit();
  press('Escape');
  assert.deepEqual(sent, []);
  later(1000, submit);
  assert.deepEqual(sent, [{ kind: 'dialog', number: 7, accept: true }]);
});

test('Escape declines and is nobody else\'s, and no key leaves the card', () => {
  const { sent, press } = card(fold(pageDialog(7)));
  later(1000, () => {
    const event = press('Escape');
    assert.deepEqual([event.stopped, event.prevented], [true, true]);
    assert.equal(press('a').stopped, true);
    press('Escape', { isComposing: true });
    press('Escape', { repeat: true });
  });
  assert.deepEqual(sent, [{ kind: 'dialog', number: 7, accept: false }]);
});

test('the keyboard stays with the card, by Tab and by a press beside it', () => {
  const { element, press } = card(fold(pageDialog(7)));
  const [yes, no] = [named(element, 'dialog-yes'), named(element, 'dialog-no')];
  const message = element.all.find((node) => node.tag === 'p');
  const focused = [];
  for (const control of [yes, no, message]) control.focus = () => focused.push(control);
  assert.equal(press('Tab', { target: yes }).prevented, false);
  assert.equal(press('Tab', { target: no }).prevented, true);
  assert.equal(press('Tab', { target: message, shiftKey: true }).prevented, true);
  element.dispatchEvent({ type: 'pointerdown', target: element, preventDefault() {} });
  element.dispatchEvent({ type: 'pointerdown', target: no, preventDefault() {} });
  assert.deepEqual(focused, [message, no, yes]);
});

test('what was answered is not answered again', () => {
  const { element, sent, submit, press } = card(fold(pageDialog(7)));
  element.update(en, fold(pageDialog(7), answered(7)));
  later(1000, () => { submit(); press('Escape'); });
  assert.deepEqual(sent, []);
  assert.equal(named(element, 'dialog-yes').disabled, true);
  element.update(en, null);
  assert.deepEqual([element.hidden, element.children.length], [true, 0]);
});

test('a prompt has a field with what stands there, an alert one button', () => {
  const prompt = card(fold(pageDialog(1, 'prompt', { default_text: 'Ivan' })));
  const field = named(prompt.element, 'dialog-text');
  assert.equal(field.value, 'Ivan');
  field.value = 'Iryna';
  later(1000, prompt.submit);
  assert.deepEqual(prompt.sent, [{ kind: 'dialog', number: 1, accept: true, text: 'Iryna' }]);
  const alert = card(fold(pageDialog(2, 'alert')));
  assert.deepEqual(alert.element.all.filter((node) => node.tag === 'button').map((node) => node.textContent), ['OK']);
});
