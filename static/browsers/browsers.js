// What the list of browsers says, in the page's words.

/** What a Chromium is called. */
export function named({ profile, endpoint }, t) {
  if (endpoint) return t('browsers.elsewhere', { endpoint });
  return profile ? t('browsers.profile', { name: profile }) : t('browsers.shared');
}

/** Whether closing it would take something from a run or a person. */
export const isBusy = ({ contexts, endpoint }) => Boolean(endpoint) || contexts.some(({ state }) => state === 'working' || state === 'held');

/** The key of a context's state; `mine` are the session ids of this person's windows. */
export const lodging = ({ state, holder }, mine) => (state === 'held' && mine.includes(holder) ? 'yours' : state);

/** Where runs are that is not told by their status: run id -> 'yours' | 'other' (whose hands the page is in) | 'line'. */
export function placesOf(list, mine) {
  const held = (list?.items ?? []).flatMap(({ contexts }) => contexts).filter(({ state }) => state === 'held');
  return Object.fromEntries([
    ...held.map(({ run_id: run, holder }) => [run, mine.includes(holder) ? 'yours' : 'other']),
    ...(list?.waiting ?? []).map(({ run_id: run }) => [run, 'line']),
  ]);
}
