// Reason for a run's status, and the moves that would change it. A long reason folds; moves never do.

import { h, icon } from '../shared/ui/dom.js';
import { inline } from '../shared/ui/service_text.js';
import { reasonOf } from './why_text.js';
import { urlOf } from '../transport/service.js';

const WHO = { person: 'hand', time: 'clock', run: 'lanes', model: 'thought', nobody: 'info' };
const LONG = 90; // characters that fit beside a title

/** `why`: { status, because, moves: [{ who, how, link }] } from the service. */
export function whyLine(t, why, name, denied = null, declined = false) {
  const { text, moves } = reasonOf(why, t, denied, declined);
  if (!text && moves.length === 0) return null;
  const isLong = text.length > LONG;
  const words = h('span', { class: 'why-words' }, ...inline(text));
  const reason = isLong ? h('details', { class: 'why-fold' }, h('summary', { title: text, data: { testid: 'why-fold' } }, words, icon('next'))) : words;
  return h('div', { class: name, data: { testid: 'why', status: why.status } }, icon(WHO[moves[0]?.who] ?? 'info'),
    h('div', { class: 'why-body' }, text && reason, text && !isLong && moves.length > 0 && ' · ',
      moves.length > 0 && h('span', { class: 'why-moves' }, ...moves.map(({ how, link }, place) => [place > 0 && ' · ', link ? h('a', { href: ours(link) }, how) : h('span', { class: 'why-move' }, ...inline(how))]).flat().filter(Boolean))));
}

/** Converts links of this page to their hash. */
const ours = (link) => (link.startsWith('/#') ? link.slice(1) : urlOf(link));
