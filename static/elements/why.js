// Why a run stands as it does, in one line, and what would move it.

import { h, icon } from './dom.js';
import { inline } from './prose.js';

const WHO = { person: 'hand', time: 'clock', run: 'lanes', model: 'thought', nobody: 'info' };

/** `why`: { because, moves: [{ who, how, link }] } as the service says it. */
export function whyLine(t, why, name) {
  const moves = (why.moves ?? []).filter(({ how }) => how);
  return h('p', { class: name, data: { testid: 'why', status: why.status } }, icon(WHO[moves[0]?.who] ?? 'info'),
    h('span', {}, inline(why.because), ...moves.map(({ how, link }) => [' · ', link ? h('a', { href: ours(link) }, how) : h('span', { class: 'why-move' }, ...inline(how))]).flat()));
}

/** Links lead within this page. */
const ours = (link) => (link.startsWith('/#') ? link.slice(1) : link);
