// Requests with an effect that left, as lines beneath the action that caused them, or beneath the question that
// came after the action and let them leave: what was sent stands below what was asked.
//
// Request: { method, url, origin, coveredBy, by, client, actionKey, n }; equal ones are counted in `n`. `actionKey`
// is the key of the action's entry.

import { h, icon } from '../shared/ui/dom.js';
import { ruleWord } from '../shared/text/format.js';
import { placeOf, visibleLine } from '../shared/text/visible.js';

const SHOWN = 3; // lines beneath an action; the rest unfolds
const MOST = 60; // different requests of one action; more of those that nobody was asked about are left out

/** Handles the event `effect`. Requests of the page's own, before any action, have no line. */
export function addSentRequest(entries, fact, data) {
  const action = entries.findLastIndex((e) => e.kind === 'action' && e.runId === fact.run_id && data.action_id && e.actionId === data.action_id);
  if (action < 0) return entries;
  const question = entries.findLastIndex((e) => e.kind === 'question' && e.reference === data.covered_by);
  const { by, client } = entries[question] ?? {};
  const request = { method: data.method ?? '', url: data.url ?? '', origin: data.origin ?? '', coveredBy: data.covered_by ?? '', by: by ?? null, client: client ?? null, actionKey: entries[action].key };
  const place = Math.max(action, question);
  return entries.with(place, { ...entries[place], sent: count(entries[place].sent ?? [], request) });
}

/** Returns the requests that left because of the action whose entry has this key, in the order of the entries. */
export const sentBecauseOf = (entries, key) => entries.flatMap(({ sent = [] }) => sent.filter((request) => request.actionKey === key));

const same = (one, other) => one.method === other.method && one.coveredBy === other.coveredBy && one.actionKey === other.actionKey && placeOf(one.url) === placeOf(other.url);

function count(sent, request) {
  const at = sent.findIndex((known) => same(known, request));
  if (at >= 0) return sent.with(at, { ...sent[at], n: sent[at].n + 1 });
  return sent.length >= MOST && rank(request) > 0 ? sent : [...sent, { ...request, n: 1 }];
}

/**
 * Lines of these requests: the asked ones first, the rest of many unfolds. `isReasonShown`: false beneath the question
 * that let them leave.
 */
export function sentLines(sent, t, isReasonShown = true) {
  const ordered = [...(sent ?? [])].sort((one, other) => rank(one) - rank(other));
  const [first, rest] = [ordered.slice(0, SHOWN), ordered.slice(SHOWN)];
  return [
    ...first.map((request) => line(request, t, isReasonShown)),
    rest.length > 0 && h('details', { class: 'behind sent-more' }, h('summary', {}, t('sent.more', { n: rest.length }), icon('next')), ...rest.map((request) => line(request, t, isReasonShown))),
  ];
}

const rank = ({ coveredBy }) => (coveredBy === 'page' ? 2 : coveredBy.startsWith('rule:') ? 1 : 0);

function line({ n, ...request }, t, isReasonShown) {
  const text = requestLine(request);
  return h('p', { class: 'entry-sub sent-line', title: visibleLine(request.url), data: { testid: 'sent' } }, icon('send'),
    h('span', {}, t('sent.line', { request: n > 1 ? t('sent.times', { request: text, n }) : text }), isReasonShown && ` — ${coveredWords(request, t)}`));
}

/** Returns "POST shop.example/cart". */
export const requestLine = ({ method, url, origin }) => [visibleLine(method).toUpperCase(), placeOf(url || origin)].filter(Boolean).join(' ');

/** Returns the reason why a request left: "approved by you", "by rule …", "by a permission". */
export function coveredWords({ coveredBy, by, client }, t) {
  if (coveredBy === 'page') return t('sent.by.page');
  if (coveredBy === 'unasked') return t('sent.by.unasked');
  if (coveredBy.startsWith('rule:')) {
    const rule = visibleLine(coveredBy.slice('rule:'.length));
    return t('sent.by.rule', { rule: t.has(`rule.${rule}`) ? ruleWord(rule, t) : rule });
  }
  if (by === 'policy') return t('sent.by.policy');
  if (by === 'approval') return t('sent.by.approval');
  if (by !== null && by !== undefined) return client && client.kind !== 'page' ? t('sent.by.client', { where: clientWords(client, t) }) : t('sent.by.you');
  return t('sent.by.grant');
}

function clientWords(client, t) {
  const key = `resolved.where.${client.kind}`;
  return t(t.has(key) ? key : 'resolved.where.api', { name: visibleLine(client.name) || t('resolved.where.program') });
}
