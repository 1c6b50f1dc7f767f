// Work that is not saved: this browser keeps agents that are being written, and this window the words that were
// not sent when one had to sign in.

import { fromDraft, toDraft } from './draft.js';
import { forget, recall, remember } from '../../shared/preferences.js';

export const draftKey = (name) => `draft.${name}`;

export const draftOf = (name) => fromDraft(recall(draftKey(name)));

/** `base`: the version that it is written over. Whether it is kept. */
export const keepDraft = (name, base, doc) => remember(draftKey(name), toDraft({ base, doc }, new Date().toISOString()));

export const dropDraft = (name) => forget(draftKey(name));

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
