// Question cards about a whole task: approval of its plan, and extension of its budget.

import { h, icon, intent } from '../shared/ui/dom.js';
import { badge, body, head, instead, judge, title } from './card_kinds.js';
import { meter } from '../shared/ui/meter.js';
import { amount } from '../shared/text/format.js';

/** Asks for approval of the plan before anything is done: approve, edit first, or decline with a text. */
export function approveCard(q, t, parts) {
  const items = q.payload.items ?? [];
  const change = h('button', { type: 'button', class: 'big', data: { testid: 'plan-change' }, onclick: () => intent(change, 'editPlan', { run: q.runId, approves: q.reference }) }, icon('pencil'), t('approve_plan.change'));
  return [
    head(t, parts, badge('list', 'ask', t('asked.approve_plan'))),
    body(t, title(q, t),
      h('ol', { class: 'plan-asked' }, items.map((item) => h('li', {}, h('span', {}, item.description), item.acceptance_criteria && h('span', { class: 'plan-done-when' }, `${t('plan.criteria')}: ${item.acceptance_criteria}`)))),
      h('p', { class: 'card-note' }, t('approve_plan.lead'))),
    !parts.readonly && h('div', { class: 'card-foot' },
      judge(t, parts, { yes: t('approve_plan.approve'), more: change }),
      instead(t, parts),
      parts.status),
  ];
}

/** Asks to extend a used-up limit by the same amount, or to end. */
export function budgetCard(q, t, parts) {
  const { limit = 'tokens', used = 0, most = 0 } = q.payload;
  const words = t(`budget.used.${limit}`, { used: amount(limit, used, t), most: amount(limit, most, t) });
  return [
    head(t, parts, badge('clock', 'ask', t('asked.budget'))),
    body(t, title(q, t),
      meter({ part: most > 0 ? Math.min(1, used / most) : 1, warns: true }, words),
      h('p', { class: 'card-note' }, t('budget.lead'))),
    !parts.readonly && h('div', { class: 'card-foot' }, judge(t, parts, { yes: t('budget.go'), no: t('budget.end') }), parts.status),
  ];
}
