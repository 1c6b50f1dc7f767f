// Every entry of the transcript as one readable line.
//
//   line(entry, t) -> string          what happened
//   advice(error, t, action) -> string        what to do about it

import { clockTime, duration, shortNumber } from './locale.js';
import { spokenIn } from '../../question/questions.js';
import { labelOf } from '../../background_tasks/tasks.js';

const LONG = 90; // characters of a value or name shown within a line

export const cut = (text, max = LONG) => {
  const flat = String(text ?? '').replace(/\s+/g, ' ').trim();
  return flat.length > max ? `${flat.slice(0, max - 1)}…` : flat;
};

export function line(entry, t) {
  const write = LINES[entry.kind];
  return write ? write(entry, t) : '';
}

const LINES = {
  user: (e) => cut(e.text, 400),
  thoughts: (e, t) => t(e.items.length > 1 ? 'thoughts.more' : 'thoughts.one', { text: cut(e.items[0].content, 120), n: e.items.length - 1 }),
  action: actionLine,
  look: (e, t) => t(e.broken ? 'look.broken' : 'look', { title: cut(e.title || shortUrl(e.url)) }),
  message: (e) => cut(e.text, 400),
  question: (e, t) => (e.state === 'open' ? questionTitle(e, t) : resolvedLine(e, t)),
  policy: (e, t) => t('policy.deny', { effect: effectWord(e.effect, t) }),
  plan: (e, t) => t(e.n === 0 ? 'plan.gone' : e.again ? 'plan.again' : 'plan.made', { n: e.n }),
  task: (e, t) => t(`task.${taskForm(e.task)}`, { label: labelOf(e.task, t) }),
  lease: (e, t) => t(e.holder ? 'lease.taken' : { back: 'lease.returned', lost: 'lease.broke' }[e.left] ?? 'lease.freed'),
  compacted: (e, t) => t('compacted', { n: e.n }),
  budget: (e, t) => t(`budget.warns.${e.limit}`, { part: percent(e.most > 0 ? e.used / e.most : 0), used: amount(e.limit, e.used, t), most: amount(e.limit, e.most, t) }),
  child: (e, t) => t('child', { agent: t.agent(e.agent ?? '') }),
  call: (e, t) => (e.outcome === null ? t('child', { agent: t.agent(e.agent) }) : t('child.ended', { agent: t.agent(e.agent), status: statusWord(e.outcome, t) })),
  childended: (e, t) => t('child.ended', { agent: t.agent(e.agent), status: statusWord(e.outcome, t) }),
  error: (e, t) => errorWord(e, t),
  ended: (e, t) => t([`ended.${e.outcome}.${e.limit ?? e.denied}`].find((key) => t.has(key)) ?? `ended.${e.outcome}`),
};

// ---------------------------------------------------------------- actions

export function actionLine(e, t) {
  if (e.state === 'stopped') return t('action.cut', { line: actionLine({ ...e, state: 'running' }, t) });
  const form = { running: 'doing', ok: 'done' }[e.state] ?? 'failed';
  const params = actionParams(e, t);
  const special = variant(e, form);
  if (special && t.has(special)) return t(special, params);
  const key = `action.${e.action || NO_ACTION}.${form}`;
  return t.has(key) ? t(key, params) : t(`action.any.${form}`, params);
}

/** The name that the service gives to an answer of the model without an action. */
const NO_ACTION = 'none';

/** Whether a model's answer held no action, so that it is asked again. */
export const isUnusable = (action, code) => (action || NO_ACTION) === NO_ACTION && code === 'invalid_action';

/** "Натискаю «Увійти»" for the caption under the live page. */
export const doingLine = (doing, t) => actionLine({ ...doing, state: 'running' }, t);

/** What a click does to things that are no buttons. */
const CLICKED = {
  checkbox: 'toggle', switch: 'toggle', menuitemcheckbox: 'toggle',
  radio: 'choose', menuitemradio: 'choose', option: 'choose', tab: 'choose', treeitem: 'choose',
};

function variant(e, form) {
  const toggled = form === 'done' && toggledTo(e);
  if (toggled) return `action.click.${toggled}.done`;
  if (e.action === 'click' && CLICKED[e.target?.role]) return `action.click.${CLICKED[e.target.role]}.${form}`;
  if (e.action === 'scroll' && e.params.direction) return `action.scroll.${e.params.direction}.${form}`;
  if (e.action === 'wait' && e.params.text) return `action.wait.text.${form}`;
  if (e.action === 'extract' && !e.target) return `action.extract.page.${form}`;
  return null;
}

/** `checked` is how it was before the click; older tasks do not tell it. */
function toggledTo({ action, target }) {
  if (action !== 'click' || CLICKED[target?.role] !== 'toggle' || typeof target.checked !== 'boolean') return null;
  if (target.role === 'switch') return target.checked ? 'off' : 'on';
  return target.checked ? 'untick' : 'tick';
}

function actionParams(e, t) {
  const p = e.params ?? {};
  return {
    action: t.agent?.(e.action ?? '') || e.action || '',
    target: targetName(e.target, t, p.eid),
    url: shortUrl(p.url),
    text: cut(p.text ?? p.question ?? p.response),
    key: p.key ?? '',
    option: cut([p.options ?? p.option ?? []].flat().join(', ')),
    seconds: p.seconds ?? '',
  };
}

export function targetName(target, t, eid) {
  const role = target?.role && t.has(`role.${target.role}`) ? t(`role.${target.role}`) : '';
  if (target?.name) return t('target.named', { name: cut(target.name, 60), role }).trim();
  if (role) return role;
  return eid === undefined || eid === null ? t('target.none') : t('target.eid', { eid: String(eid) });
}

// ---------------------------------------------------------------- questions

export function questionTitle(asked, t) {
  const q = spokenIn(asked, t.locale);
  return q.payload?.effect || q.payload?.question || q.payload?.text || q.text || q.reason || t('question.untitled');
}

export function resolvedLine(e, t) {
  const [how, text] = [resolution(e), cut(answerText(e.answer))];
  // Of an answer of the past it may not be known whose it was; then nobody is named.
  const key = e.by === 'user' && !e.client?.you ? (form) => `resolved.by.${form}` : (form) => `resolved.${form}`;
  const own = key(`${e.questionKind ?? e.kind}.${how}`);
  return t(t.has(own) ? own : key(how), { text, where: answeredIn(e.client, t) });
}

/** Where somebody else answered: " in another window". */
function answeredIn(client, t) {
  if (!client) return '';
  const key = `resolved.where.${client.kind}`;
  return ` ${t(t.has(key) ? key : 'resolved.where.api', { name: client.name || t('resolved.where.program') })}`;
}

function resolution(e) {
  if (e.by === 'expired' || e.by === 'stopped') return e.by;
  const answer = e.answer ?? {};
  if ((e.questionKind ?? e.kind) === 'confirm' || typeof answer.confirmed === 'boolean') {
    if (e.by === 'policy') return answer.confirmed ? 'policy_allowed' : 'policy_denied';
    if (answer.confirmed) return 'approved';
    return answer.comment ? 'instead' : 'denied';
  }
  if (answer.done) return 'done';
  return answerText(answer) ? 'answered' : 'settled';
}

function answerText(answer) {
  if (typeof answer === 'string') return answer;
  return answer?.text ?? answer?.comment ?? answer?.message ?? '';
}

// ---------------------------------------------------------------- words

export const statusWord = (status, t) => (t.has(`status.${status}`) ? t(`status.${status}`) : String(status ?? ''));

/** Whose hands the page is in, where that says more than the status: the end of a key. */
export function handsWord({ mine, holder, lost }, status, windows) {
  if (mine) return 'yours';
  if (holder !== null) return windows.includes(holder) ? 'own' : 'other';
  return lost !== null && status === 'paused' ? 'lost' : null;
}

export const effectWord = (effect, t) => (t.has(`effect.${effect}`) ? t(`effect.${effect}`) : String(effect ?? ''));

/** What a rule of the gate is about; a rule of one's own has only its id. */
export const ruleWord = (rule, t) => (t.has(`rule.${rule}`) ? t(`rule.${rule}`) : t('grants.rule', { rule: rule ?? '' }));

/** What a person can do where a run has ended: the way that its end leaves open. */
export function endedNext(e, t) {
  if (e.hears === false) return '';
  const key = [`ended.${e.outcome}.${e.limit ?? e.denied}.next`, `ended.${e.outcome}.next`].find((one) => t.has(one));
  return key ? t(key) : '';
}

/** What a person can do about an error, where it was one of an action with its name; the server's own words stay beside it. */
export function advice(error, t, action = null) {
  if (action !== null && isUnusable(action, error?.code)) return t('advice.unusable_answer');
  const key = `advice.${error?.code}`;
  return t(t.has(key) ? key : 'advice.any');
}

export const errorWord = (error, t) => (t.has(`error.${error?.code}`) ? t(`error.${error.code}`) : error?.message || t('error.any'));

export const shortUrl = (url) => cut(String(url ?? '').replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, ''), 64);

/** "12 kB", in the words of the language; bytes have no short word that is one in English, so they are written out. */
export function fileSize(bytes, t) {
  const [unit, divisor, digits, unitDisplay] = bytes < 1000 ? ['byte', 1, 0, 'long'] : bytes < 1e6 ? ['kilobyte', 1000, 0, 'short'] : ['megabyte', 1e6, 1, 'short'];
  return new Intl.NumberFormat(t.locale, { style: 'unit', unit, unitDisplay, maximumFractionDigits: digits }).format(bytes / divisor);
}

/** Rounded down: nothing is whole before it is. */
export const percent = (part) => (Number.isFinite(part) ? `${Math.floor(part * 100 + 1e-9)}%` : '');

const taskForm = ({ status }) => ({ queued: 'begun', running: 'begun', waiting: 'begun', paused: 'begun', succeeded: 'done', partial: 'done', cancelled: 'cancelled' })[status] ?? 'failed';

/** So much of what a run may use, in words. */
export function amount(limit, value, t) {
  if (limit === 'money') return money(value, t);
  if (limit === 'wall_s') return duration(value);
  return shortNumber(value, t.locale);
}

function money(value, { locale, currency }) {
  const digits = { maximumFractionDigits: value < 0.1 ? 4 : 2 };
  // The settings may name what is no code of a currency, such as "credits".
  if (!/^[A-Z]{3}$/.test(currency ?? '')) return `${new Intl.NumberFormat(locale, digits).format(value)} ${currency ?? ''}`.trim();
  return new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay: 'narrowSymbol', ...digits }).format(value);
}

/** An order in one line, as a title; our own address says nothing there. Cut by whoever shows it. */
export const taskTitle = (title, origin) => cut(String(title ?? '').replaceAll(origin, '').replace(/\s*\n\s*/g, '; '), 400).replace(/ …$/, '\u00a0…'); // no line of its own

/** The first order and how many follow: short, and without what was typed into fields further on. */
export function shortTitle(title, origin, t) {
  const orders = String(title ?? '').split('\n').map((one) => one.trim()).filter(Boolean);
  const first = taskTitle(orders[0], origin);
  return orders.length > 1 ? t('title.more', { title: first, n: orders.length - 1 }) : first;
}

/** A result of any shape as text for a folded block. */
export const resultText = (result) =>
  result === null || result === undefined || result === '' ? '' : typeof result === 'string' ? result : JSON.stringify(result, null, 2);

export const timeOf = (entry, t) => (entry.at ? clockTime(entry.at, t.locale) : '');
