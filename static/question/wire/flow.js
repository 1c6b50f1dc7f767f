// Text that goes from one site to another: both sites, and the text.

import { h, icon } from '../../shared/ui/dom.js';
import { hostOf, visible } from '../../shared/text/visible.js';
import { longText } from './values.js';

/** @typedef {{ from: string[], to: string, text: string }} Flow */

const LONG = 160; // characters of the text shown at once

export function flowParts({ flow }, t) {
  if (!flow) return null;
  const from = [flow.from ?? []].flat();
  return h('section', { class: 'card-flow', 'aria-label': t('flow.label'), data: { testid: 'flow' } },
    h('dl', { class: 'flow-ends' },
      h('div', {}, h('dt', {}, t('flow.from')), from.map((origin) => h('dd', {}, hostOf(origin)))),
      h('span', { class: 'flow-arrow', 'aria-hidden': 'true' }, icon('arrow')),
      h('div', {}, h('dt', {}, t('flow.to')), h('dd', {}, hostOf(flow.to)))),
    flow.text && h('blockquote', { class: 'flow-text', dir: 'auto' }, longText(t('flow.quote', { text: visible(flow.text) }), t, LONG)),
    h('p', { class: 'card-note' }, t('flow.once')));
}
