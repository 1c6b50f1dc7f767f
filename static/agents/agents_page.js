// List of all agents: titles, inputs, outputs and buttons. A file that cannot be used shows its faults with
// their places.

import { h, icon, intent } from '../shared/ui/dom.js';
import { morph } from '../shared/ui/morph.js';
import { inline } from '../shared/ui/service_text.js';
import { faultText } from '../shared/ui/fields.js';
import { KIND_ICON, descriptionOf, kindOf, titleOf } from './spec/spec.js';

class Agents extends HTMLElement {
  #last = {};
  #query = '';

  update({ t, agents, drafts, route }) {
    this.hidden = route !== 'agents';
    const same = this.#last.t === t && this.#last.agents === agents && this.#last.drafts === drafts && this.#last.query === this.#query;
    if (this.hidden || same) return;
    this.#last = { t, agents, drafts, query: this.#query };
    morph(this,
      h('header', { class: 'page-head' }, h('h1', { tabindex: '-1' }, t('agents.title')), h('p', {}, t('agents.lead'))),
      ...this.#body(t, agents, drafts));
  }

  #body(t, { items, error }, drafts) {
    const fresh = h('button', { class: 'primary', data: { key: 'new', testid: 'new-agent' }, onclick: () => intent(this, 'ask', { question: { kind: 'new' } }) }, icon('plus'), t('agents.new'));
    if (error) return [h('div', { class: 'empty', data: { key: 'error' } }, icon('alert'), h('p', {}, t('agents.error')), h('button', { class: 'small', onclick: () => intent(this, 'reloadAgents') }, t('retry')))];
    if (items === null) return [h('p', { class: 'empty', data: { key: 'loading' } }, t('loading'))];
    const all = [...newDrafts(items, drafts), ...items.map((agent) => ({ agent, draft: drafts.some(({ name }) => name === agent.name) }))];
    const found = all.filter(({ agent }) => matchesQuery(agent, this.#query));
    const search = h('label', { class: 'search' }, icon('search'), h('span', { class: 'sr' }, t('agents.search')),
      h('input', { type: 'search', placeholder: t('agents.search'), value: this.#query, data: { testid: 'agent-search' }, oninput: (event) => this.#search(event.target.value) }));
    const none = all.length === 0
      ? h('div', { class: 'empty', data: { key: 'none' } }, icon('lanes'), h('h2', {}, t('agents.empty')), h('p', {}, t('agents.empty.lead')))
      : h('p', { class: 'empty', role: 'status', data: { key: 'nothing' } }, t('agents.nothing', { query: this.#query }));
    return [
      h('div', { class: 'agent-tools', data: { key: 'tools' } }, search, fresh),
      found.length ? h('ul', { class: 'agent-list', data: { key: 'list' } }, found.map((row) => this.#row(t, row))) : none,
    ];
  }

  #search(query) {
    this.#query = query;
    this.update({ ...this.#last, route: 'agents' });
  }

  #row(t, { agent, draft, isNew }) {
    const { name } = agent;
    const [title, kind, faults] = [titleOf(agent, t.locale), kindOf(agent), agent.faults ?? []];
    const description = descriptionOf(agent, t.locale);
    const isBad = faults.length > 0;
    const isOwn = kind === 'orchestration'; // a native agent, without a file to edit
    const button = (symbol, label, title, question) => h('button', { class: 'quiet square', 'aria-label': label, title, onclick: () => intent(this, 'ask', { question }) }, icon(symbol));
    return h('li', { class: 'agent', data: { key: name, name, bad: isBad ? '' : undefined } },
      h('span', { class: 'agent-icon', data: { kind: isBad ? 'bad' : kind } }, icon(isBad ? 'alert' : KIND_ICON[kind] ?? 'file')),
      h('div', { class: 'agent-text' },
        h('h2', {}, h('a', { href: `#/agents/${name}${isOwn ? '/run' : ''}` }, title)),
        h('p', { class: 'agent-meta' }, h('code', {}, name), kind && h('span', {}, t(`kind.${kind}`)),
          draft && h('span', { class: 'pill', data: { tone: 'warn' } }, t(isNew ? 'agents.unsaved.new' : 'agents.unsaved'))),
        description && h('p', { class: 'agent-about' }, inline(description)),
        isBad ? h('ul', { class: 'faults' }, faults.slice(0, 4).map((fault) => h('li', {}, icon('alert'), h('span', {}, faultText(fault, t))))) : signatureLine(t, agent)),
      h('div', { class: 'agent-acts' },
        !isBad && !isNew && h('a', { class: 'button small', href: `#/agents/${name}/run`, 'aria-label': t('agents.run.of', { name: title }), data: { testid: `run-${name}` } }, icon('play'), t('agents.run')),
        !isOwn && h('a', { class: 'button small', href: `#/agents/${name}`, 'aria-label': t(kind === 'lanes' ? 'agents.board.of' : 'agents.edit.of', { name: title }), data: { testid: `edit-${name}` } }, icon(kind === 'lanes' ? 'lanes' : 'pencil'), t(kind === 'lanes' ? 'agents.board' : 'agents.edit')),
        !isBad && !isNew && !isOwn && button('copy', t('agents.copy.of', { name: title }), t('agents.copy'), { kind: 'copy', agent: name, title }),
        !isOwn && button('trash', t('agents.delete.of', { name: title }), t('agents.delete'), { kind: 'delete', agent: name, title, isNew })));
  }
}

const newDrafts = (items, drafts) => drafts.filter(({ name }) => !items.some((agent) => agent.name === name))
  .map(({ name, spec }) => ({ agent: spec ?? { name }, draft: true, isNew: true }));

function matchesQuery(agent, query) {
  const text = [agent.name, agent.title_ua, agent.title_en, agent.description_ua, agent.description_en, kindOf(agent)].join(' ').toLowerCase();
  return query.toLowerCase().split(/\s+/).filter(Boolean).every((word) => text.includes(word));
}

/** Inputs and outputs of an agent, in one line. */
function signatureLine(t, { inputs = [], outputs = [] }) {
  if (inputs.length + outputs.length === 0) return null;
  const names = (list) => (list.length ? list.map(({ name }) => h('code', { class: 'var' }, name)) : h('span', {}, '—'));
  return h('p', { class: 'agent-flow' }, h('span', { class: 'sr' }, t('agents.takes')), names(inputs), icon('arrow'), h('span', { class: 'sr' }, t('agents.gives')), names(outputs));
}

customElements.define('af-agents', Agents);
