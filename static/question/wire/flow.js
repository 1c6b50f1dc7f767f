// Text that goes from one site to another: both sites, and all that would go with the foreign part marked.

import { h, icon } from '../../shared/ui/dom.js';
import { hostOf, visible } from '../../shared/text/visible.js';
import { longText, unfolding } from './values.js';

/**
 * `text` is the foreign part; `whole` all that would go, such as what is typed or the address. Older questions have
 * no `whole`.
 * @typedef {{ from: string[], to: string, text: string, whole?: string }} Flow
 */

const LONG = 160; // characters of the text shown at once
const AROUND = 60; // characters on each side of the foreign part in an excerpt

export function flowParts({ flow }, t) {
  if (!flow) return null;
  const from = [flow.from ?? []].flat().map(hostOf);
  return h('section', { class: 'card-flow', 'aria-label': t('flow.label'), data: { testid: 'flow' } },
    h('dl', { class: 'flow-ends' },
      h('div', {}, h('dt', {}, t('flow.from')), from.map((host) => h('dd', {}, host))),
      h('span', { class: 'flow-arrow', 'aria-hidden': 'true' }, icon('arrow')),
      h('div', {}, h('dt', {}, t('flow.to')), h('dd', {}, hostOf(flow.to)))),
    ...flowText(flow, t),
    h('p', { class: 'card-note' }, t('flow.lasts', { from: from.join(', '), to: hostOf(flow.to) })));
}

function flowText(flow, t) {
  const [part, whole] = [visible(flow.text), visible(flow.whole)];
  const at = part === '' ? -1 : whole.indexOf(part);
  if (whole === '' || whole === part) return [part && quote(longText(t('flow.quote', { text: part }), t, LONG))];
  if (at < 0) return [quote(longText(t('flow.quote', { text: whole }), t, LONG)), part && h('p', { class: 'card-note' }, longText(t('flow.part', { text: part }), t, LONG))];
  return [quote(markedText(whole, at, at + part.length, t))];
}

const quote = (content) => h('blockquote', { class: 'flow-text', dir: 'auto' }, content);

/** The whole text with its foreign part marked; of a long one the surroundings of that part until it is unfolded. */
function markedText(whole, from, to, t) {
  const nodes = (before, after) => [before, h('mark', {}, whole.slice(from, to)), after].filter((node) => node !== '');
  const all = nodes(whole.slice(0, from), whole.slice(to));
  if (whole.length <= LONG) return all;
  const [start, end] = [Math.max(0, from - AROUND), Math.min(whole.length, to + AROUND)];
  const excerpt = nodes(`${start > 0 ? '…' : ''}${whole.slice(start, from)}`, `${whole.slice(to, end)}${end < whole.length ? '…' : ''}`);
  return unfolding(whole, excerpt, all, t);
}
