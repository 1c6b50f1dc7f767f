// Limits of a run and their use: a pure fold over its facts, joined with the limits of the snapshot.
//
//   budget = { reported: { tokens: { used, most } , … }, question: { reference, limit } or null }

import { totalTokens } from './usage.js';

export const noBudget = Object.freeze({ reported: Object.freeze({}), question: null });

const WARNS = 0.8;

export function reduceBudget(budget, fact) {
  if (fact.type === 'event' && fact.event === 'budget') return tell(budget, fact.data ?? {});
  if (fact.type === 'agent_question' && fact.kind === 'budget') {
    return { ...tell(budget, fact.payload ?? {}), question: { reference: fact.reference, limit: fact.payload?.limit ?? null } };
  }
  if (fact.type === 'question_resolved' && fact.reference === budget.question?.reference) return resolved(budget, fact);
  return budget;
}

function tell(budget, { limit, used, most }) {
  if (!limit || !(most > 0)) return budget;
  const had = budget.reported[limit];
  return { ...budget, reported: { ...budget.reported, [limit]: { used, most, first: had?.first ?? most } } };
}

// Approval adds the same amount once more.
function resolved(budget, { answer }) {
  const { limit } = budget.question;
  const reported = budget.reported[limit];
  const yes = answer === true || answer?.confirmed === true;
  return { reported: yes && reported ? { ...budget.reported, [limit]: { ...reported, most: reported.most + reported.first } } : budget.reported, question: null };
}

/** Returns { tokens: { used, most, part, warns }, money: … }; `most` and `part` are null without a limit. */
export function meters({ usage, budget }, limits) {
  const of = (limit, used) => {
    const most = budget.reported[limit]?.most ?? (limits?.[limit] > 0 ? limits[limit] : null);
    const part = most === null ? null : Math.min(1, used / most);
    return { used, most, part, warns: part !== null && part >= WARNS };
  };
  return { tokens: of('tokens', totalTokens(usage)), money: of('money', usage.cost) };
}
