// Texts, icons and colours of spans.

import { cut, statusWord } from '../../shared/text/format.js';
import { actionLine, isUnusable } from '../../shared/text/action_text.js';
import { questionTitle, resolvedLine } from '../../question/question_text.js';
import { duration } from '../../shared/text/locale.js';

const ICONS = { step: 'dot', call: 'thought', action: 'cursor', question: 'question', task: 'clock', item: 'skip' };
const RUN_ICONS = { succeeded: 'check', partial: 'check', failed: 'cross', cancelled: 'stop', denied: 'shield', blocked: 'alert', exhausted: 'alert', waiting: 'hand', paused: 'pause', queued: 'clock', skipped: 'skip', running: 'spinner' };

export const spanIcon = (span) => (span.kind === 'run' || span.kind === 'task' ? RUN_ICONS[span.status] ?? 'dot' : span.kind === 'action' && span.effect !== null ? 'shield' : ICONS[span.kind] ?? 'dot');

export const groupIcon = (group) => ({ step: 'list', call: 'thought', action: 'cursor' })[group];

const BAD = new Set(['failed', 'denied', 'blocked', 'exhausted']);
const BAD_STEP = /fail|invalid|denied|unavailable|exhausted|lost|broke/i;

/** Returns the colour of a bar: good, bad, waits, busy, past. */
export function spanState({ kind, status, to }) {
  if (kind === 'question') return to === null ? 'waits' : 'asked';
  if (kind === 'step') return status === 'running' ? 'busy' : BAD_STEP.test(status) ? 'bad' : 'past';
  if (BAD.has(status)) return 'bad';
  if (status === 'waiting' || status === 'paused') return 'waits';
  if (status === 'unknown' || status === 'cancelled' || status === 'skipped') return 'off';
  return to === null ? 'busy' : 'good';
}

/** Returns the title of a span. `entry`: the transcript's entry of an action, which tells more about it. */
export function spanTitle(span, t, label = null, entry = null) {
  switch (span.kind) {
    case 'run': return label ?? t.agent(span.name);
    case 'step': return nodeWord(span.name, t);
    case 'call': return callTitle(span, t);
    case 'action': return actionTitle(span, t, entry);
    case 'question': return cut(questionTitle(questionOf(span), t).replaceAll('`', ''), 120);
    case 'task': return span.label ?? t.agent(span.name);
    default: return t.agent(span.name);
  }
}

// Returns the purpose of a model call, which is more specific than its role: a planner makes the plan or
// chooses the next action.
const callTitle = ({ name, node }, t) => (name === 'planner' && t.has(`in.call.${node}`) ? t(`in.call.${node}`) : t('in.call', { role: roleWord(name, t) }));

/** Reports whether an item's id is a name: steps of a plan have names, cards of lanes only ids. */
export const isName = (item) => Boolean(item) && !/^[0-9a-f-]{36}$/.test(item);

/** Converts the question of a span to the form that question texts take. */
export const questionOf = (span) => ({ text: span.question, reason: span.reason, payload: { texts: span.texts } });

export const groupTitle = ({ group, spans }, t) => t(`in.group.${group}`, { n: spans.length });

export const nodeWord = (node, t) => (t.has(`node.${node}`) ? t(`node.${node}`) : node.replaceAll('_', ' '));

export const roleWord = (role, t) => (t.has(`role.model.${role}`) ? t(`role.model.${role}`) : role);

/** States of a transcript's entry, by status of a span. */
const STATES = { ok: 'ok', failed: 'failed', unknown: 'stopped' };

function actionTitle(span, t, entry) {
  const { name, about = {}, status } = span;
  const { role, name: target, url, key, direction } = about;
  const state = STATES[status] ?? 'running';
  if (isRelease(span)) return actionLine({ action: 'release', params: {}, target: null, state }, t);
  if (entry) return actionLine({ ...entry, state }, t);
  return actionLine({ action: name, params: { url, key, direction }, target: target || role ? { role, name: target } : null, state }, t);
}

/** Reports whether the action let a held request leave; it has no name but the id of the action that it belongs to. */
export const isRelease = ({ name, action_id: id, effect }) => name === 'release' || (effect !== null && name === id);

/** Returns a function that finds the transcript's entry of an action; both have the number of the event in their name. */
export function entryFinder(entries) {
  const actions = new Map((entries ?? []).filter(({ kind }) => kind === 'action').map((entry) => [`${entry.runId}/${entry.key}`, entry]));
  return ({ id, run_id: run }) => actions.get(String(id).replace(`${run}/a`, `${run}/action:`)) ?? null;
}

/** Returns the milliseconds that a span took; the entry of an action tells the time that its effect took. */
export function tookMs(span, now, entry = null) {
  return entry?.tookMs ?? (span.to ?? now) - span.from;
}

/** Returns the status in a word or two. */
export function spanWord(span, t) {
  switch (span.kind) {
    case 'task': case 'item': return span.status === 'queued' ? t('item.state.queued') : statusWord(span.status, t);
    case 'run': return statusWord(span.status, t);
    case 'question': return span.status === 'open' ? t('in.open') : resolvedLine({ kind: span.name, by: span.status, answer: span.answer, client: span.client }, t);
    case 'step': return span.status === 'running' ? t('in.state.running') : outcomeWord(span.status, t);
    default: return t(`in.state.${span.status}`);
  }
}

/** Formats an outcome such as `NeedsConfirmation` as "needs confirmation", unless there is a translation. */
export const outcomeWord = (outcome, t) => (t.has(`outcome.${outcome}`) ? t(`outcome.${outcome}`) : String(outcome).replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' ').toLowerCase());

/** Returns the reason of a failed action: its own text, or the beginning of its advice. */
export function codeWord(code, t, action) {
  if (isUnusable(action, code)) return t('in.unusable');
  if (t.has(`error.${code}`)) return t(`error.${code}`);
  return t.has(`advice.${code}`) ? t(`advice.${code}`).split('. ')[0].replace(/\.$/, '') : code.replaceAll('_', ' ');
}

const units = {};

/** Formats a duration: 340 ms, 3.4 s, 42 s, 1:02:07. */
export function formatDuration(ms, locale) {
  if (ms >= 60_000) return duration(ms / 1000);
  const [unit, value, digits] = ms < 1000 ? ['millisecond', ms, 0] : ['second', ms / 1000, ms < 10_000 ? 1 : 0];
  const name = `${locale} ${unit} ${digits}`;
  units[name] ??= new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: digits });
  return units[name].format(value);
}

/** Returns the secondary text beside the title; `done` is the only action of a step. */
export function spanAside(span, t, done = null, entry = null) {
  if (span.kind === 'call') return span.model;
  if (span.kind === 'run' && span.item) return [isName(span.item.item_id) && span.item.item_id, span.item.attempt > 1 && t('rb.attempt', { n: span.item.attempt })].filter(Boolean).join(' · ');
  if (span.kind === 'action' && span.code) return codeWord(span.code, t, span.name);
  if (span.kind === 'action') return span.effect === null ? '' : t('in.effect');
  if (span.kind === 'step') return done ? actionTitle(done, t, entry) : `#${span.n}`;
  return '';
}
