// Details of a request that is held, or of a form that would be sent: where to, for which thing, in which dialog,
// and after which action.

import { h, icon } from '../../shared/ui/dom.js';
import { actionLine } from '../../shared/text/action_text.js';
import { hostOf, visible, visibleLine } from '../../shared/text/visible.js';
import { content, longText } from './values.js';
import { isArrived } from './download.js';

/**
 * Fields of a question's payload that the gate adds. Any may be missing, as in older questions.
 * @typedef {Object} GatePayload
 * @property {'intent' | 'wire' | 'flow'} [layer]
 * @property {{ method: string, url: string, origin: string, content_type: string, size: number | null }} [request]
 * @property {string | null} [caused_by] action that caused the request; null if the page sends it by itself
 * @property {import('./difference.js').Change[] | null} [changed]
 * @property {{ title: string, text: string }} [dialog]
 * @property {string} [subject] heading of the row or card
 * @property {import('./covers.js').Covers} [covers]
 * @property {import('./flow.js').Flow} [flow]
 * @property {number} [unchanged] values of a whole state that go along as they are
 */

/** Reports whether the question tells what would leave; older ones tell only the action. */
export const hasRequest = ({ request, flow, changed }) => Boolean(request || flow || changed?.length);

/** The thing that it is about. */
export function subjectLine({ subject, page }, t) {
  const name = visibleLine(subject);
  if (name === visibleLine(page?.title)) return null; // the next line says so
  return name && h('p', { class: 'card-subject' }, h('span', {}, t('card.subject')), ' ', h('strong', { dir: 'auto' }, name));
}

export function requestDetails(p, t) {
  const rows = [where(p, t), body(p, t), dialog(p, t)].filter(Boolean);
  if (rows.length === 0) return null;
  return h('section', { class: 'card-details', 'aria-label': t('card.details'), data: { testid: 'request' } }, h('dl', {}, rows));
}

const row = (name, ...values) => h('div', {}, h('dt', {}, name), h('dd', {}, ...values));

function where({ request, ...payload }, t) {
  if (!request) return null;
  const method = visibleLine(request.method).toUpperCase();
  return h('div', {}, h('dt', {}, t(isArrived(payload) ? 'download.from' : 'card.destination')),
    h('dd', {}, h('strong', { class: 'card-host' }, hostOf(request.url || request.origin)), ' ', method && h('code', { class: 'card-method' }, method)),
    request.url && h('dd', { class: 'card-address', dir: 'ltr' }, longText(visible(request.url), t)));
}

// Without values, type and size say what would leave.
function body({ request, values }, t) {
  if (!request || !(request.size > 0) || Object.keys(values ?? {}).length > 0) return null;
  return row(t('card.content'), content(request, t));
}

function dialog({ dialog: shown }, t) {
  if (!shown?.title && !shown?.text) return null;
  const [title, text] = [visibleLine(shown.title), visible(shown.text)];
  return row(t('card.dialog'), title && h('strong', { class: 'card-dialog', dir: 'auto' }, title), text && h('div', { class: 'card-dialog-text', dir: 'auto' }, longText(text, t)));
}

/** The action after which it would leave, with a link to the timeline. */
export function causeLine(q, t) {
  const { caused_by: by, action = {}, target, layer } = q.payload;
  if (by === undefined || (by === null && layer !== 'wire')) return null;
  if (by === null) return h('p', { class: 'card-after' }, t('card.cause.page'));
  const { action: name, ...params } = action ?? {};
  const line = name ? visibleLine(actionLine({ state: 'ok', action: name, params, target: target ?? null }, t)) : t('card.cause.action');
  return h('p', { class: 'card-after' }, t('card.cause'), ' ', h('a', { class: 'card-cause', href: `#/inside/${encodeURIComponent(q.runId ?? '')}`, title: t('card.cause.open') }, line, icon('next')));
}
