// Text of a transcript entry: one readable line.
//
//   line(entry, t) -> string

import { labelOf } from '../background_tasks/tasks.js';
import { questionTitle, resolvedLine } from '../question/question_text.js';
import { actionLine } from '../shared/text/action_text.js';
import { amount, cut, effectWord, errorWord, percent, shortUrl, statusWord } from '../shared/text/format.js';

export function line(entry, t) {
  const write = LINES[entry.kind];
  return write ? write(entry, t) : '';
}

const LINES = {
  user: (e) => cut(e.text, 400),
  thoughts: (e, t) => t(e.items.length > 1 ? 'thoughts.more' : 'thoughts.one', { text: cut(e.items[0].content, 120), n: e.items.length - 1 }),
  action: actionLine,
  observation: (e, t) => t(e.broken ? 'observation.broken' : 'observation', { title: cut(e.title || shortUrl(e.url)) }),
  message: (e) => cut(e.text, 400),
  writing: (e, t) => t(`draft.${e.state}`),
  question: (e, t) => (e.state === 'open' ? questionTitle(e, t) : resolvedLine(e, t)),
  policy: (e, t) => t('policy.deny', { effect: effectWord(e.effect, t) }),
  plan: (e, t) => t(e.n === 0 ? 'plan.gone' : e.again ? 'plan.again' : 'plan.made', { n: e.n }),
  task: (e, t) => t(`task.${taskForm(e.task)}`, { label: labelOf(e.task, t) }),
  lease: (e, t) => t(e.holder ? 'lease.taken' : { back: 'lease.returned', lost: 'lease.broke' }[e.ending] ?? 'lease.freed'),
  compacted: (e, t) => t('compacted', { n: e.n }),
  budget: (e, t) => t(`budget.warns.${e.limit}`, { part: percent(e.most > 0 ? e.used / e.most : 0), used: amount(e.limit, e.used, t), most: amount(e.limit, e.most, t) }),
  child: (e, t) => t('child', { agent: t.agent(e.agent ?? '') }),
  call: (e, t) => (e.outcome === null ? t('child', { agent: t.agent(e.agent) }) : t('child.ended', { agent: t.agent(e.agent), status: statusWord(e.outcome, t) })),
  childended: (e, t) => t('child.ended', { agent: t.agent(e.agent), status: statusWord(e.outcome, t) }),
  error: (e, t) => errorWord(e, t),
  ended: (e, t) => t([`ended.${e.outcome}.${e.limit ?? e.denied}`].find((key) => t.has(key)) ?? `ended.${e.outcome}`),
};

const taskForm = ({ status }) => ({ queued: 'begun', running: 'begun', waiting: 'begun', paused: 'begun', succeeded: 'done', partial: 'done', cancelled: 'cancelled' })[status] ?? 'failed';

/** Suggests the next move of a person after a run ended. */
export function endedNext(e, t) {
  if (e.hears === false) return '';
  const key = [`ended.${e.outcome}.${e.limit ?? e.denied}.next`, `ended.${e.outcome}.next`].find((one) => t.has(one));
  return key ? t(key) : '';
}
