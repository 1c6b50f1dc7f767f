// Inputs and outputs of an item, or the result of the whole run.

import { h, icon } from '../../shared/ui/dom.js';
import { failureText } from '../../shared/ui/service_text.js';
import { faultLines } from './orchestration_plan.js';
import { stateIcon } from '../../shared/run_status.js';
import { errorWord, resultText } from '../../shared/text/format.js';
import { resultOf } from './orchestration.js';
import { titleOf } from '../../agents/spec/spec.js';

/** For an item: { item, state, called, root, close }; for the run: { whole, root, isSingle }. */
export function itemDetail(t, { item, state, called, root, close, whole, runs = {}, isSingle = false }) {
  if (isSingle) return single(t, whole);
  if (whole) return h('section', { class: 'detail', 'aria-label': t('detail.whole'), data: { key: 'whole', testid: 'run-result' } }, h('h3', {}, t('detail.whole')), error(t, whole.error), orchestrated(t, whole, root, runs) ?? values(t, whole.vars ?? {}, whole.response));
  return h('section', { class: 'detail', 'aria-labelledby': 'detail-title', data: { key: item.id, testid: 'item-detail' } },
    h('header', {}, h('h3', { id: 'detail-title' }, titleOf(called, t.locale) || item.agent), h('span', { class: 'state', data: { state: state.status } }, icon(stateIcon(state.status)), h('span', {}, t(`item.state.${state.status}`))),
      h('span', { class: 'spring' }), state.runId && h('a', { class: 'button small', href: `#/runs/${root}/${state.runId}`, data: { testid: 'child-run' } }, icon('zoom'), t('detail.run')),
      h('button', { class: 'quiet bare', 'aria-label': t('detail.close'), onclick: close }, icon('cross'))),
    error(t, state.error, state.response),
    t.has(`detail.${state.status}`) && h('p', { class: 'rb-hint' }, t(`detail.${state.status}`)),
    state.input && h('div', {}, h('h4', {}, t('detail.in')), values(t, state.input)),
    (Object.keys(state.vars ?? {}).length > 0 || (state.vars && !state.error)) && h('div', {}, h('h4', {}, t('detail.out')), values(t, state.vars, state.response)),
    !state.input && !state.error && t.has(`detail.${state.status}`) === false && h('p', { class: 'rb-hint' }, t('detail.nothing')));
}

// Run of a single step, during and after it.
const single = (t, run) => h('section', { class: 'detail', 'aria-label': t('detail.whole'), data: { key: 'single', testid: 'run-result' } },
  error(t, run.error),
  h('div', {}, h('h4', {}, t('detail.in')), values(t, run.input)),
  run.outcome && h('div', {}, h('h4', {}, t('detail.out')), values(t, run.vars ?? {}, run.response)));

// Failed steps with their reasons, and outputs of the others.
function orchestrated(t, whole, root, runs) {
  const result = resultOf(whole);
  if (!result) return null;
  const { errors } = result;
  if (errors.length + Object.keys(result.values).length === 0) return values(t, {}, whole.response);
  return h('div', { class: 'detail-values' },
    errors.length > 0 && h('div', { class: 'orch-errors', data: { testid: 'orch-errors' } }, h('h4', {}, t('orch.failed')), faultLines(t, errors, (run) => `#/runs/${root}/${run}`, (run) => runs[run]?.response)),
    Object.keys(result.values).length > 0 && values(t, result.values));
}

function error(t, fault, response = null) {
  if (!fault) return null;
  const words = typeof fault === 'string' ? fault : fault.message || errorWord(fault, t);
  return h('div', { class: 'detail-error', data: { testid: 'item-error' } }, icon('alert'), h('div', {}, failureText(t, words, response)));
}

function values(t, map, response = null) {
  const rows = Object.entries(map).filter(([name]) => name !== 'locale'); // set by the page for every run
  if (rows.length === 0) return h('div', { class: response ? 'pre' : 'rb-hint' }, response ? failureText(t, response, response) : t('detail.none'));
  return h('dl', { class: 'detail-values' }, rows.map(([name, value]) => h('div', {}, h('dt', { class: 'var' }, name), h('dd', {}, h('pre', {}, resultText(value) || (value === '' ? '“”' : '—'))))));
}
