// Storage of unsaved agents in this browser.

import { fromDraft, toDraft } from './draft.js';
import { forget, recall, remember } from '../../shared/preferences.js';

export const draftKey = (name) => `draft.${name}`;

export const draftOf = (name) => fromDraft(recall(draftKey(name)));

/** Stores a draft. `base`: version of the file that it was started from. Returns false if the storage refused. */
export const keepDraft = (name, base, doc) => remember(draftKey(name), toDraft({ base, doc }, new Date().toISOString()));

export const dropDraft = (name) => forget(draftKey(name));
