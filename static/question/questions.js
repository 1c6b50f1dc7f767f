// Open questions of a run tree, oldest first.

export function reduceQuestions(questions, fact) {
  switch (fact.type) {
    case 'agent_question': {
      if (questions.some((open) => open.reference === fact.reference)) return questions;
      return [...questions, question(fact)];
    }
    case 'question_resolved':
      return questions.filter((open) => open.reference !== fact.reference);
    case 'run_ended':
      return questions.filter((open) => open.runId !== fact.run_id);
    default:
      return questions;
  }
}

export function question(fact) {
  return {
    reference: fact.reference,
    runId: fact.run_id,
    kind: fact.kind,
    reason: fact.reason ?? '',
    text: fact.text ?? '',
    payload: fact.payload ?? {},
    remember: fact.remember ?? ['once'],
    expiresAt: fact.expires_at ?? null,
    onExpire: fact.on_expire ?? null,
    at: fact.at,
  };
}

/** Returns the question in this language, if the service sent it in both; texts of agents and pages stay. */
export function translateQuestion(question, locale) {
  const translation = question?.payload?.texts?.[locale];
  if (!translation) return question;
  const payload = { ...question.payload };
  for (const name of ['effect', 'question']) if (translation.text && payload[name] !== undefined) payload[name] = translation.text;
  for (const name of ['about', 'labels']) if (translation[name] !== undefined) payload[name] = translation[name];
  if (translation.options) payload.options = payload.options.map((value, at) => ({ value, label: translation.options[at] ?? value }));
  return { ...question, text: translation.text ?? question.text, reason: translation.reason ?? question.reason, payload };
}

/** Reports whether the question folds to its heading while the plan is edited. */
export const isFolded = ({ planning, question, questionReadonly }) =>
  Boolean(question) && !questionReadonly && planning.draft !== null && planning.approves !== question.reference && planning.asked !== question.reference;

/** Returns whole seconds until the question expires, or null if it never does. */
export function secondsLeft(open, nowMs) {
  if (!open?.expiresAt) return null;
  return Math.max(0, Math.ceil((Date.parse(open.expiresAt) - nowMs) / 1000));
}

// Milliseconds for which a card must have been visible before a key answers. Letters of somebody who is typing
// must not approve, so a key also needs a preceding silence.
const SEEN_MS = 300;
const SILENCE_MS = 1200;

/** `lastTypedAt`: time of the last letter before this key. */
export function mayAnswerByKey({ now, shownAt, lastTypedAt }) {
  return now - shownAt >= SEEN_MS && now - lastTypedAt >= SILENCE_MS;
}
