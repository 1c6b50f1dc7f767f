// Agents that are being written and are not saved, as this browser keeps them.

import { fromDraft, toDraft } from './draft.js';
import { forget, recall, remember } from '../../shared/preferences.js';

export const draftKey = (name) => `draft.${name}`;

export const draftOf = (name) => fromDraft(recall(draftKey(name)));

/** `base`: the version that it is written over. Whether it is kept. */
export const keepDraft = (name, base, doc) => remember(draftKey(name), toDraft({ base, doc }, new Date().toISOString()));

export const dropDraft = (name) => forget(draftKey(name));
