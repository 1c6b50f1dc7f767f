// Tools above the task list: search field, filters, and actions on the selected tasks.

import { h, icon, intent } from '../shared/ui/dom.js';
import { STATES, isNarrowed } from './list_filter.js';

export function searchField(host, t, { query }) {
  return h('label', { class: 'search run-search', data: { key: 'search' } }, icon('search'), h('span', { class: 'sr' }, t('runs.search')),
    h('input', { type: 'search', value: query, placeholder: t('runs.search'), autocomplete: 'off', spellcheck: 'false', enterkeyhint: 'search', data: { loose: '', testid: 'search-tasks' }, oninput: (event) => intent(host, 'searchTasks', { query: event.target.value }), onkeydown: (event) => clears(host, event) }));
}

/** Clears the field with Escape, which then stops no task. */
function clears(host, event) {
  if (event.key !== 'Escape' || event.target.value === '') return;
  event.preventDefault();
  event.target.value = '';
  intent(host, 'searchTasks', { query: '' });
}

export function listHead(host, t, { filter, picked }) {
  const option = (state) => h('option', { value: state, selected: state === filter.state }, t(`runs.state.${state}`));
  const states = h('select', { class: 'run-states', 'aria-label': t('runs.state'), data: { testid: 'task-states', narrowed: filter.state === 'all' ? undefined : '' }, onchange: (event) => intent(host, 'showTasks', { state: event.target.value }) }, Object.keys(STATES).map(option));
  const pick = h('button', { type: 'button', class: 'quiet square small', 'aria-pressed': String(picked !== null), 'aria-label': t('runs.several'), title: t('runs.several'), data: { testid: 'pick-tasks' }, onclick: () => intent(host, 'pickTasks', { on: picked === null }) }, icon('ticks'));
  return h('div', { class: 'run-head', data: { key: 'head' } }, h('h2', {}, t('runs.title')), states, pick);
}

export function pickedBar(host, t, { filter, picked }) {
  if (picked === null) return null;
  const restores = filter.state === 'archived';
  const none = picked.length === 0;
  return h('div', { class: 'run-picked', role: 'group', 'aria-label': t('runs.several'), data: { key: 'picked', testid: 'picked' } },
    h('p', { role: 'status' }, t('runs.picked', { n: picked.length })),
    h('button', { type: 'button', class: 'small', disabled: none, onclick: () => intent(host, 'archiveTasks', { ids: picked, on: !restores }) }, icon('archive'), h('span', {}, t(restores ? 'runs.unarchive' : 'runs.archive'))),
    h('button', { type: 'button', class: 'small danger', disabled: none, data: { testid: 'delete-picked' }, onclick: () => intent(host, 'askDelete', { ids: picked }) }, icon('trash'), h('span', {}, t('runs.delete'))),
    h('button', { type: 'button', class: 'small', onclick: () => intent(host, 'pickTasks', { on: false }) }, t('runs.picked.done')));
}

/** Empty list: no tasks yet, or none that match. */
export function emptyList(host, t, filter) {
  if (!isNarrowed(filter)) return h('p', { class: 'rail-note' }, t('runs.empty'));
  const archive = filter.state !== 'archived' && filter.query.trim() !== '';
  return h('div', { class: 'rail-note', data: { testid: 'nothing-found' } }, h('p', {}, t('runs.nothing')),
    archive && h('button', { type: 'button', class: 'small', onclick: () => intent(host, 'showTasks', { state: 'archived' }) }, t('runs.nothing.archive')),
    h('button', { type: 'button', class: 'small', onclick: () => intent(host, 'showTasks', { query: '', state: 'all' }) }, t('runs.nothing.all')));
}
