// Reasons for the end of a run, from the entries of its transcript since the person's last message.

/** Returns the last rule that refused, since the person's last message. */
export const deniedBy = (entries) => sinceMessage(entries).findLast((e) => e.kind === 'policy')?.rule ?? null;

/** Reports whether the person's own refusal ended the run; the transcript shows it already. */
export const isDeclined = (entries) => sinceMessage(entries).findLast((e) => e.kind === 'question')?.answer?.confirmed === false;

/**
 * Returns the used-up limit: the one that the person refused to raise, otherwise the one that the service
 * reported at the end.
 */
export function usedUpLimitOf(entries) {
  const here = sinceMessage(entries);
  const question = here.findLast((e) => e.kind === 'question' && e.questionKind === 'budget');
  if (question) return question.answer?.confirmed ? null : question.payload.limit ?? null; // after an approval, another limit was reached
  return here.findLast((e) => e.kind === 'budget' && e.used >= e.most)?.limit ?? null;
}

/**
 * Reports whether a used-up limit is asked about. A run that ended because of another run's limit asks nobody,
 * as it is no conversation.
 */
export const isExtensionRequested = (entries) => {
  const here = sinceMessage(entries);
  const spent = here.findLast((e) => e.kind === 'budget' && e.used >= e.most);
  return here.some((e) => e.kind === 'question' && e.questionKind === 'budget') || !spent?.below;
};

const sinceMessage = (entries) => entries.slice(1 + entries.findLastIndex((e) => e.kind === 'user'));

/** Details of an end besides its outcome. */
export const endOf = (entries, outcome) => ({
  limit: outcome === 'exhausted' ? usedUpLimitOf(entries) : null,
  hears: outcome !== 'exhausted' || isExtensionRequested(entries),
  denied: outcome === 'denied' ? deniedBy(entries) : outcome === 'cancelled' && isDeclined(entries) ? 'declined' : null,
});

const CODE = new Set(['python', 'shell', 'tool']);

/** Splits the error of failed code into a first sentence for people and the rest for developers. */
export function splitCodeError(entries, fact) {
  const isOf = (e) => e.runId === fact.run_id;
  if (fact.outcome !== 'failed' || !entries.some((e) => isOf(e) && e.kind === 'action' && CODE.has(e.action) && e.state === 'failed')) return entries;
  const place = entries.findLastIndex((e) => isOf(e) && e.kind === 'message' && e.final);
  return place < 0 ? entries : entries.with(place, { ...entries[place], broke: true });
}
