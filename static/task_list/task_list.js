// Task list: pinned tasks first, then the newest; search, filters, and actions.

import { h, icon, intent } from '../shared/ui/dom.js';
import { signedIn } from '../transport/service.js';
import { morph } from '../shared/ui/morph.js';
import { runRow } from './task_row.js';
import { listHead, emptyList, pickedBar, searchField } from './list_tools.js';

const NEEDS = ['t', 'runs', 'current', 'route', 'agents'];

class Runs extends HTMLElement {
  #last = {};

  update(view) {
    if (NEEDS.every((name) => this.#last[name] === view[name]) && same(this.#last.list, view.list)) return;
    const wasRenaming = this.#last.list?.renaming ?? null;
    const wasPicking = (this.#last.list?.picked ?? null) !== null;
    this.#last = { ...Object.fromEntries(NEEDS.map((name) => [name, view[name]])), list: view.list };
    const { t, route, list } = view;
    this.setAttribute('aria-label', t('runs.title'));
    const link = (key, routes, symbol, title) => h('a', { class: 'rail-link', href: `#/${key}`, data: { key }, 'aria-current': routes.includes(route) ? 'page' : null }, icon(symbol), t(title));
    morph(this,
      h('a', { class: 'new-task', href: '#/new', data: { key: 'new' }, 'aria-current': route === 'welcome' ? 'page' : null }, icon('plus'), t('runs.new')),
      searchField(this, t, list.filter),
      h('div', { class: 'run-list', data: { key: 'list', testid: 'runs' } }, listHead(this, t, list), this.#list(view)),
      pickedBar(this, t, list),
      link('agents', ['agents', 'editor', 'form'], 'lanes', 'agents.title'),
      link('browsers', ['browsers'], 'window', 'browsers.title'),
      link('model', ['model'], 'plug', 'model.title'),
      link('permissions', ['permissions'], 'key', 'grants.title'),
      signedIn() ? h('button', { class: 'rail-link rail-button', data: { key: 'signout', testid: 'signout' }, onclick: () => intent(this, 'signOut') }, icon('leave'), t('signout')) : null);
    this.#focus(list, wasRenaming, wasPicking);
  }

  // Focuses the part in use: field of a title, the renamed row, the first box.
  #focus({ renaming, picked }, wasRenaming, wasPicking) {
    if (renaming && renaming !== wasRenaming) {
      const field = this.querySelector('.run-rename');
      field?.focus();
      field?.setSelectionRange(0, field.value.length, 'backward'); // shows its beginning
    }
    if (!renaming && wasRenaming && document.activeElement === document.body) this.querySelector(`[data-key="row-${CSS.escape(wasRenaming)}"]`)?.focus();
    if (picked !== null && !wasPicking) this.querySelector('.run-pick input')?.focus();
  }

  #list({ t, runs, list, current, route }) {
    const { items, cursor, error } = list.found ?? runs;
    if (error) return h('div', { class: 'rail-note' }, h('p', {}, t('runs.error')), h('button', { class: 'small', onclick: () => intent(this, list.found ? 'reloadFound' : 'reloadRuns') }, t('retry')));
    if (items === null) return h('p', { class: 'rail-note' }, t('loading'));
    if (items.length === 0) return emptyList(this, t, list.filter);
    const open = ['run', 'inside'].includes(route) ? current : null;
    const row = (run) => runRow(this, run, { t, current: open, place: runs.places[run.run_id], picked: list.picked, renaming: list.renaming });
    const more = cursor && h('button', { class: 'small more', data: { key: 'more' }, onclick: () => intent(this, 'moreRuns') }, t('runs.more'));
    return h('div', {}, h('ul', { 'aria-label': t('runs.title') }, items.map(row)), more);
  }
}

const same = (one, other) => one && Object.keys(other).every((key) => one[key] === other[key]);

customElements.define('af-runs', Runs);
