// Texts and states of the list of browsers.

/** Returns the name of a Chromium. */
export function chromiumName({ profile, endpoint }, t) {
  if (endpoint) return t('browsers.elsewhere', { endpoint });
  return profile ? t('browsers.profile', { name: profile }) : t('browsers.shared');
}

/** Reports whether closing this browser would interrupt a run or a person. */
export const isBusy = ({ contexts, endpoint }) => Boolean(endpoint) || contexts.some(({ state }) => state === 'working' || state === 'held');

/** Returns the message key of a context's state; `windows`: session ids of this person's windows. */
export const contextStateKey = ({ state, holder }, windows) => (state === 'held' && windows.includes(holder) ? 'yours' : state);

/**
 * Returns places of runs beyond their status: run id -> 'yours' | 'other' (holder of the page) | 'line' (waits
 * for a slot).
 */
export function placesOf(list, windows) {
  const held = (list?.items ?? []).flatMap(({ contexts }) => contexts).filter(({ state }) => state === 'held');
  return Object.fromEntries([
    ...held.map(({ run_id: run, holder }) => [run, windows.includes(holder) ? 'yours' : 'other']),
    ...(list?.waiting ?? []).map(({ run_id: run }) => [run, 'line']),
  ]);
}
