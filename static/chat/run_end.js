// What a run ended by, as the entries of its transcript since the person's last words tell it.

/** The rule that refused last, since the person's last words. */
export const deniedBy = (entries) => sinceSaid(entries).findLast((e) => e.kind === 'policy')?.rule ?? null;

/** Whether it ended by a person's no, which stands in the talk itself. */
export const isDeclined = (entries) => sinceSaid(entries).findLast((e) => e.kind === 'question')?.answer?.confirmed === false;

/** What was used up: what the person did not give more of, else what the service told to be at its end. */
export function spentOf(entries) {
  const here = sinceSaid(entries);
  const asked = here.findLast((e) => e.kind === 'question' && e.questionKind === 'budget');
  if (asked) return asked.answer?.confirmed ? null : asked.payload.limit ?? null; // who gave more has come to another limit
  return here.findLast((e) => e.kind === 'budget' && e.used >= e.most)?.limit ?? null;
}

/** Who ends for what another run came to asks nobody: it is no conversation. */
export const asksForMore = (entries) => {
  const here = sinceSaid(entries);
  const told = here.findLast((e) => e.kind === 'budget' && e.used >= e.most);
  return here.some((e) => e.kind === 'question' && e.questionKind === 'budget') || !told?.below;
};

const sinceSaid = (entries) => entries.slice(1 + entries.findLastIndex((e) => e.kind === 'user'));

/** What an end is told by besides its word. */
export const endOf = (entries, outcome) => ({
  limit: outcome === 'exhausted' ? spentOf(entries) : null,
  hears: outcome !== 'exhausted' || asksForMore(entries),
  denied: outcome === 'denied' ? deniedBy(entries) : outcome === 'cancelled' && isDeclined(entries) ? 'declined' : null,
});

const CODE = new Set(['python', 'shell', 'tool']);

/** Where code broke, its last words begin with a sentence for people; what follows is for whoever mends the code. */
export function brokenBy(entries, fact) {
  const isOf = (e) => e.runId === fact.run_id;
  if (fact.outcome !== 'failed' || !entries.some((e) => isOf(e) && e.kind === 'action' && CODE.has(e.action) && e.state === 'failed')) return entries;
  const place = entries.findLastIndex((e) => isOf(e) && e.kind === 'message' && e.final);
  return place < 0 ? entries : entries.with(place, { ...entries[place], broke: true });
}
