// First focus in a question of the page: an Enter must do nothing that cannot be undone.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { make } from './page.mjs';
import { translator } from '../../static/shared/text/locale.js';

await import('../../static/layout/ask_dialog.js');
const en = translator(JSON.parse(readFileSync(new URL('../../static/locales/en.json', import.meta.url), 'utf8')), 'en');

const DATA = /^\[data-(\w+)(?:=([\w-]+))?\]$/;
let focused = null;
Object.assign(globalThis.HTMLElement.prototype, {
  showModal() {},
  close() {},
  focus() { focused = this; },
  querySelector(selector) {
    const [, name, value] = DATA.exec(selector) ?? [];
    return this.all.find((node) => name && name in node.dataset && (value === undefined || node.dataset[name] === value)) ?? null;
  },
});

/** Returns the focused element of a question. */
function first(asks) {
  focused = null;
  make('af-ask').update({ t: en, dialogQuestion: asks, agents: { items: [] }, drafts: [], editing: { dialogQuestion: null }, route: 'welcome' });
  return focused?.dataset.testid ?? focused?.attributes.name ?? null;
}

test('what cannot be undone is asked with the focus on Cancel', () => {
  const offer = { name: 'lamp', exists: true, spec: {}, mended: [], left_out: [], yaml: '' };
  for (const asks of [
    { kind: 'delete', agent: 'lamp', title: 'Lamp' },
    { kind: 'runs', ids: ['r1'], title: 'Buy a lamp', agent: 'browser', active: 0 },
    { kind: 'comments', lines: [3] },
    { kind: 'keep', run: 'r1', offer },
  ]) assert.equal(first(asks), 'ask-no', asks.kind);
  assert.equal(first({ kind: 'new' }), 'title_en');
  assert.equal(first({ kind: 'copy', agent: 'lamp', title: 'Lamp' }), 'name');
  assert.equal(first({ kind: 'keep', run: 'r1', offer: { ...offer, exists: false } }), 'title_en');
});
