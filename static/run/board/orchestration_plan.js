// Plan of an orchestration: its steps in order with their states; a parallel block is a frame with its merge
// rule.

import { h, icon } from '../../shared/ui/dom.js';
import { inline, failureText } from '../../shared/ui/service_text.js';
import { planOf, resultOf } from './orchestration.js';
import { stateIcon } from '../../shared/run_status.js';

/** Returns null for a run without a plan of steps. */
export function runPlan(t, span, run, timeline) {
  const steps = planOf(span, run, timeline);
  if (!steps) return null;
  // Errors of a step are shown at the step.
  const faults = (resultOf(run)?.errors ?? []).filter((one) => one.step === null);
  return h('section', { class: 'in-section', data: { key: 'plan', testid: 'orchestration' } }, h('h3', {}, t('orch.plan')),
    faults.length > 0 && faultLines(t, faults, () => null),
    steps.length === 0 ? h('p', { class: 'in-none' }, t(run.ended_at ? 'orch.none' : 'orch.planning')) : h('ol', { class: 'orch' }, steps.map((step, at) => h('li', { data: { key: step.id || String(at) } }, step.children ? block(t, step) : card(t, step)))));
}

/** Lines of errors, each with the step and a link to its run. */
export function faultLines(t, errors, hrefOf, responseOf = () => null) {
  const step = ({ step: id, run }) => (run && hrefOf(run) ? h('a', { href: hrefOf(run) }, t('orch.step', { id })) : t('orch.step', { id }));
  const where = (one) => (one.step === null ? one.path && h('code', {}, one.path) : step(one));
  return h('ul', { class: 'faults' }, errors.map((one) => h('li', {}, icon('alert'), h('span', {}, [where(one), where(one) && ': ', ...(responseOf(one.run) ? failureText(t, one.message, responseOf(one.run)) : inline(one.message))].filter(Boolean)))));
}

const word = (t, status) => (t.has(`item.state.${status}`) ? t(`item.state.${status}`) : status);

const state = (t, status) => h('span', { class: 'state', data: { state: status } }, icon(stateIcon(status)), h('span', {}, word(t, status)));

function block(t, step) {
  return h('div', { class: 'orch-block', role: 'group', 'aria-label': `${t('orch.block')}: ${step.id}` },
    h('header', {}, icon('lanes'), h('span', { class: 'orch-name' }, step.id), h('span', { class: 'orch-merge', title: t(`orch.merge.${step.merge}.how`) }, t.has(`orch.merge.${step.merge}`) ? t(`orch.merge.${step.merge}`, { n: step.quorum ?? '' }) : step.merge), state(t, step.status)),
    h('ul', {}, step.children.map((child, at) => h('li', { data: { key: child.id || String(at) } }, card(t, child)))));
}

function card(t, { id, agent, status, run, attempt, error }) {
  const inner = [h('span', { class: 'orch-name' }, id), h('span', { class: 'orch-agent' }, t.agent(agent)), attempt > 1 && h('span', { class: 'orch-agent' }, t('rb.attempt', { n: attempt })), state(t, status), error && h('span', { class: 'orch-error' }, error)].filter(Boolean);
  return run ? h('a', { class: 'orch-step', href: `#/inside/${run}`, data: { state: status } }, inner) : h('div', { class: 'orch-step', data: { state: status } }, inner);
}
