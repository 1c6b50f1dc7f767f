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

const sinceSaid = (entries) => entries.slice(1 + entries.findLastIndex((e) => e.kind === 'user'));
