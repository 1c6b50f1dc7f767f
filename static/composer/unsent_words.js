// Storage of unsent texts while the person signs in again, for this window.

const WORDS = 'askfirst.words';

/** Stores unsent texts: [[run id or null, text]]. */
export function storeUnsentTexts(unsent) {
  try {
    if (unsent.length) sessionStorage.setItem(WORDS, JSON.stringify(unsent));
  } catch {
    // storage may be forbidden
  }
}

/** Returns the stored texts once. */
export function takeUnsentTexts() {
  try {
    const unsent = JSON.parse(sessionStorage.getItem(WORDS) ?? '[]');
    sessionStorage.removeItem(WORDS);
    return unsent;
  } catch {
    return [];
  }
}
