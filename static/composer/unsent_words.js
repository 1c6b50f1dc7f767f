// Words that were not sent when one had to sign in: this window keeps them until one is back.

const WORDS = 'askfirst.words';

/** `unsent`: [[run id or null, text]] */
export function keepWords(unsent) {
  try {
    if (unsent.length) sessionStorage.setItem(WORDS, JSON.stringify(unsent));
  } catch {
    // storage may be forbidden
  }
}

/** Given once. */
export function keptWords() {
  try {
    const unsent = JSON.parse(sessionStorage.getItem(WORDS) ?? '[]');
    sessionStorage.removeItem(WORDS);
    return unsent;
  } catch {
    return [];
  }
}
