// Storage of unsent texts while the person signs in again, for this window.

const KEY = 'askfirst.words';

/** Stores unsent texts: [[run id or null, text]]. */
export function storeUnsentTexts(unsent) {
  try {
    if (unsent.length) sessionStorage.setItem(KEY, JSON.stringify(unsent));
  } catch {
    // storage may be forbidden
  }
}

/** Returns the stored texts once. */
export function takeUnsentTexts() {
  try {
    const unsent = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    sessionStorage.removeItem(KEY);
    return unsent;
  } catch {
    return [];
  }
}
