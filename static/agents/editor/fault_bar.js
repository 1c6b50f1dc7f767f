// Bar with all faults, at the foot of the editor. A press leads to the place of a fault.

import { h, icon } from '../../shared/ui/dom.js';
import { errors } from '../spec/faults.js';
import { faultText } from '../../shared/ui/fields.js';

export function faultBar(host, t, { faults, checking }, goTo) {
  if (faults.length === 0) return h('footer', { class: 'ed-faults', hidden: true, data: { key: 'faults' } });
  const wrong = errors(faults).length;
  return h('footer', { class: 'ed-faults', data: { key: 'faults', testid: 'faults' } },
    h('details', { data: { key: 'list' } },
      h('summary', { data: { tone: wrong ? 'bad' : 'warn' } }, icon(wrong ? 'alert' : 'info'), h('span', {}, wrong ? t('editor.faults', { n: wrong }) : t('editor.warnings', { n: faults.length })), checking && h('span', { class: 'ed-checking' }, t('editor.checking')), icon('next')),
      h('ul', {}, faults.map((fault) => h('li', {}, h('button', { class: 'fault', data: { severity: fault.severity }, onclick: () => goTo(fault) },
        icon(fault.severity === 'warning' ? 'info' : 'alert'), h('span', {}, faultText(fault, t))))))));
}
