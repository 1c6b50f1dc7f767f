// Work that is not saved: this browser keeps agents that are being written, and this window the words that were
// not sent when one had to sign in.

import { fromDraft, toDraft } from './models/draft.js';
import { forget, recall, remember } from './preferences.js';

export const draftKey = (name) => `draft.${name}`;

export const draftOf = (name) => fromDraft(recall(draftKey(name)));

/** `base`: the version that it is written over. Whether it is kept. */
export const keepDraft = (name, base, doc) => remember(draftKey(name), toDraft({ base, doc }, new Date().toISOString()));

export const dropDraft = (name) => forget(draftKey(name));

const WORDS = 'askfirst.words';

export function keepWords(text) {
  try {
    if (text.trim()) sessionStorage.setItem(WORDS, text);
  } catch {
    // storage may be forbidden
  }
}

/** Given once. */
export function keptWords() {
  try {
    const text = sessionStorage.getItem(WORDS);
    sessionStorage.removeItem(WORDS);
    return text ?? '';
  } catch {
    return '';
  }
}
