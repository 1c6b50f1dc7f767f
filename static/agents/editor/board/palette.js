// Agents to put on the board, by dragging one into a lane, or by pressing it, which adds it to the last lane.

import { h, icon } from '../../../shared/ui/dom.js';
import { descriptionOf, kindOf, titleOf, KIND_ICON } from '../../spec/spec.js';

let query = ''; // search text, kept when another agent is opened

export function palette(host, { t, agents, spec }, add) {
  const all = [...(agents ?? []).filter(({ name }) => name !== spec.name), spec].filter(({ faults }) => !faults?.length);
  const found = all.filter((agent) => `${agent.name} ${agent.title_ua ?? ''} ${agent.title_en ?? ''}`.toLowerCase().includes(query.toLowerCase()));
  const again = () => host.redraw();
  return h('aside', { class: 'palette', 'aria-label': t('palette.title'), data: { key: 'palette' } },
    h('h2', {}, t('palette.title')), h('p', { class: 'field-note' }, t('palette.lead')),
    all.length > 7 && h('label', { class: 'search' }, icon('search'), h('span', { class: 'sr' }, t('agents.search')), h('input', { type: 'search', placeholder: t('agents.search'), value: query, oninput: (event) => { query = event.target.value; again(); } })),
    h('ul', {}, found.map((agent) => entry(t, agent, agent === spec, add))));
}

function entry(t, agent, isItself, add) {
  const title = isItself ? t('board.itself', { title: titleOf(agent, t.locale) }) : titleOf(agent, t.locale);
  return h('li', { data: { key: agent.name } },
    h('button', { class: 'palette-agent', title: descriptionOf(agent, t.locale) || null, 'aria-label': t('palette.add', { title }), data: { drag: 'agent', agent: agent.name, testid: `palette-${agent.name}` }, onclick: () => add(agent.name) },
      h('span', { class: 'grip', 'aria-hidden': 'true' }, icon('grip')), icon(KIND_ICON[kindOf(agent)] ?? 'file'), h('span', {}, title)));
}
