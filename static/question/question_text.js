// Texts of a question and of its answer, a line each.

import { cut } from '../shared/text/format.js';
import { translateQuestion } from './questions.js';

export function questionTitle(question, t) {
  const q = translateQuestion(question, t.locale);
  return q.payload?.effect || q.payload?.question || q.payload?.text || q.text || q.reason || t('question.untitled');
}

export function resolvedLine(e, t) {
  const [how, text] = [resolution(e), cut(answerText(e.answer))];
  // An old answer may have no known client; then none is named.
  const isAnswer = e.by === 'user' || e.by?.startsWith('client:');
  const key = isAnswer && !e.client?.you ? (form) => `resolved.by.${form}` : (form) => `resolved.${form}`;
  const own = key(`${e.questionKind ?? e.kind}.${how}`);
  return t(t.has(own) ? own : key(how), { text, where: answeredIn(e.client, t) });
}

/** Names the other client that answered, such as " in another window". */
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
