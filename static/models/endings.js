// What a run ended by, as the entries of its transcript since the person's last words tell it.

/** The rule that refused last, since the person's last words. */
export const deniedBy = (entries) => sinceSaid(entries).findLast((e) => e.kind === 'policy')?.rule ?? null;

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
