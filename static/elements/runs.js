// The list of tasks: what waits for the person first, then the newest.

import { h, icon, intent } from './dom.js';
import { statusWord, taskTitle } from '../models/format.js';
import { shortMoment } from '../models/locale.js';

class Runs extends HTMLElement {
  #last = {};

  update({ t, runs, current, route, agents }) {
    const same = this.#last.t === t && this.#last.runs === runs && this.#last.current === current && this.#last.route === route && this.#last.agents === agents;
    if (same) return;
    this.setAttribute('aria-label', t('runs.title'));
    const focused = this.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    this.#last = { t, runs, current, route, agents };
    this.replaceChildren(
      h('a', { class: 'new-task', href: '#/new', data: { key: 'new' }, 'aria-current': route === 'welcome' ? 'page' : null }, icon('plus'), t('runs.new')),
      h('div', { class: 'run-list', data: { testid: 'runs' } }, h('h2', {}, t('runs.title')), this.#list(t, runs, ['run', 'inside'].includes(route) ? current : null)),
      h('a', { class: 'rail-link', href: '#/agents', data: { key: 'agents' }, 'aria-current': ['agents', 'editor', 'form'].includes(route) ? 'page' : null }, icon('lanes'), t('agents.title')),
      h('a', { class: 'rail-link', href: '#/browsers', data: { key: 'browsers' }, 'aria-current': route === 'browsers' ? 'page' : null }, icon('window'), t('browsers.title')),
      h('a', { class: 'rail-link', href: '#/model', data: { key: 'model' }, 'aria-current': route === 'model' ? 'page' : null }, icon('plug'), t('model.title')),
      h('a', { class: 'rail-link', href: '#/permissions', data: { key: 'permissions' }, 'aria-current': route === 'permissions' ? 'page' : null }, icon('key'), t('grants.title')),
    );
    if (focused) this.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  }

  #list(t, runs, current) {
    if (runs.error) {
      return h('div', { class: 'rail-note' }, h('p', {}, t('runs.error')), h('button', { class: 'small', onclick: () => intent(this, 'reloadRuns') }, t('retry')));
    }
    if (runs.items === null) return h('p', { class: 'rail-note' }, t('loading'));
    if (runs.items.length === 0) return h('p', { class: 'rail-note' }, t('runs.empty'));
    const list = h('ul', {}, runs.items.map((run) => h('li', { class: 'run-entry' }, this.#row(t, run, current, runs.places[run.run_id]), this.#within(t, run))));
    const more = runs.cursor && h('button', { class: 'small more', data: { key: 'more' }, onclick: () => intent(this, 'moreRuns') }, t('runs.more'));
    return h('div', {}, list, more);
  }

  #within(t, run) {
    return h('a', { class: 'run-inside', href: `#/inside/${run.run_id}`, title: t('in.title'), 'aria-label': t('in.title.of', { title: taskTitle(t.titled(run.title, run.agent), location.origin) || t.agent(run.agent ?? '') }), data: { key: `inside-${run.run_id}` } }, icon('timeline'));
  }

  #row(t, run, current, place) {
    const status = !place ? statusWord(run.status, t) : t(place === 'line' ? 'status.line' : `hands.${place}`);
    return h('a', { class: 'run-row', href: `#/runs/${run.run_id}`, data: { key: run.run_id, status: run.status }, 'aria-current': run.run_id === current ? 'page' : null },
      h('span', { class: 'state-dot', data: { status: run.status }, 'aria-hidden': 'true' }),
      h('span', { class: 'run-title' }, taskTitle(t.titled(run.title, run.agent), location.origin) || t.agent(run.agent ?? '') || t('runs.untitled')),
      h('span', { class: 'run-meta' }, `${status} · ${shortMoment(run.updated_at ?? run.created_at, t.locale)}`));
  }
}

customElements.define('af-runs', Runs);
