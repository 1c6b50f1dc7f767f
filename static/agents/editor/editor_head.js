// Head of the editor: title, state of saving, buttons, and notes about a restored draft.

import { h, icon, intent } from '../../shared/ui/dom.js';
import { kindOf, titleOf } from '../spec/spec.js';
import { errors } from '../spec/faults.js';
import { shortMoment } from '../../shared/text/locale.js';

export function editorHead(host, t, editing) {
  const { name, doc, dirty, saving, canUndo, canRedo, base } = editing;
  const tool = (symbol, key, does, props = {}) => h('button', { class: 'quiet square', 'aria-label': t(key), title: t(key), onclick: does, ...props }, icon(symbol));
  return h('header', { class: 'ed-head', data: { key: 'head' } },
    h('a', { class: 'back', href: '#/agents', 'aria-label': t('agents.title') }, icon('prev')),
    h('div', { class: 'ed-name' }, h('h1', { tabindex: '-1' }, titleOf(doc.spec, t.locale) || name),
      h('p', {}, h('code', {}, name), h('span', { class: 'ed-kind' }, doc.spec && kindOf(doc.spec) ? t(`kind.${kindOf(doc.spec)}`) : ''), state(t, editing))),
    h('div', { class: 'ed-tools', role: 'group', 'aria-label': t('editor.tools') },
      tool('undo', 'editor.undo', () => intent(host, 'undo'), { disabled: !canUndo, 'aria-keyshortcuts': 'Control+Z', data: { testid: 'undo' } }),
      tool('redo', 'editor.redo', () => intent(host, 'redo'), { disabled: !canRedo, 'aria-keyshortcuts': 'Control+Shift+Z', data: { testid: 'redo' } }),
      h('button', { class: 'small', disabled: saving, data: { testid: 'editor-run' }, onclick: () => intent(host, 'runSaved') }, icon('play'), h('span', {}, t(dirty ? 'editor.save_run' : 'agents.run'))),
      h('button', { class: 'small primary', disabled: saving || (!dirty && base !== null), 'aria-keyshortcuts': 'Control+S', data: { testid: 'save' }, onclick: () => intent(host, 'save') }, icon('check'), h('span', {}, t(saving ? 'editor.saving' : 'editor.save')))));
}

function state(t, { dirty, base, faults, unchecked }) {
  const wrong = errors(faults).length;
  const [tone, text] = unchecked ? ['warn', t('editor.unchecked')]
    : wrong ? ['bad', t('editor.faults', { n: wrong })]
      : dirty ? ['warn', t(base ? 'editor.dirty' : 'editor.new')] : ['good', t('editor.clean')];
  return h('span', { class: 'pill', role: 'status', data: { tone, testid: 'edit-state' } }, icon({ warn: 'pencil', bad: 'alert', good: 'check' }[tone]), text);
}

export function editorNotes(host, t, editing) {
  const notes = NOTES.filter(([fits]) => fits(editing)).map(([, make]) => make(host, t, editing));
  return h('div', { class: 'ed-notes', role: 'status', data: { key: 'notes' } }, notes);
}

const note = (symbol, tone, text, ...actions) => h('div', { class: 'ed-note', data: { key: text, tone } }, icon(symbol), h('p', {}, text), h('div', { class: 'ed-note-acts' }, ...actions.filter(Boolean)));

const action = (text, does, testid) => h('button', { class: 'small', onclick: does, data: { testid } }, text);

const settle = (host, patch) => intent(host, 'settle', { patch });

/** Notes by state, each with its buttons. */
const NOTES = [
  [({ conflict }) => conflict, (host, t) => note('alert', 'bad', t('note.conflict'),
    action(t('note.conflict.mine'), () => intent(host, 'save', { over: true }), 'keep-mine'), action(t('note.conflict.theirs'), () => intent(host, 'discard'), 'take-theirs'))],
  [({ met, conflict, dirty }) => met === 'restored' && !conflict && dirty, (host, t, { draftAt }) => note('info', 'good', t('note.restored', { at: shortMoment(draftAt, t.locale) }),
    action(t('note.discard'), () => intent(host, 'discard'), 'discard'), action(t('dismiss'), () => settle(host, { met: 'none' }), 'note-ok'))],
  [({ met }) => met === 'gone', (host, t) => note('info', 'warn', t('note.gone'), action(t('dismiss'), () => settle(host, { met: 'none' }), 'note-ok'))],
  [({ doc }) => doc.lead === 'yaml' && !doc.readable && !doc.behind, (host, t, { doc }) => note('alert', 'bad', t(doc.spec?.graph ? 'note.unreadable' : doc.spec ? 'note.unreadable.form' : 'note.unreadable.first'),
    doc.spec && action(t('note.unread'), () => intent(host, 'unread'), 'unread'))],
  [({ unkept }) => unkept, (_, t) => note('alert', 'warn', t('note.unkept'))],
  [({ elsewhere }) => elsewhere, (host, t) => note('info', 'warn', t('note.elsewhere'), action(t('dismiss'), () => settle(host, { elsewhere: false }), 'note-ok'))],
];
