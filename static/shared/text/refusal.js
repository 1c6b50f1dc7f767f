// Explains a refusal of the service: reason and advice.

import { errorWord } from './format.js';
import { advice } from './action_text.js';

// Sentences of the service that are more specific than their code; a test finds them in its source.
const SENTENCES = [
  ['profile', /^another task is using the browser profile "(.*)"; try/],
  ['ended', /^the run has ended/],
  ['waiting', /^the run is waiting for an answer/],
  ['not_paused', /^the run is not paused/],
  ['paused', /^the run is already paused/],
  ['not_asked', /^the run has not asked anything/],
  ['at_work', /^the run is already running/],
  ['not_started', /^the run has not started yet/],
  ['yours', /^you are already in control/],
  ['no_page', /^the page is not available now/],
  ['unopened', /^the run has no page open yet/],
];

// Codes with many causes: the message of the service is shown instead.
const VAGUE = new Set(['busy', 'bad_message', 'bad_plan', 'bad_model', 'model_unreachable']);

/** Returns { title, advice }. */
export function refusal(error, t) {
  const message = error?.message ?? '';
  for (const [key, sentence] of SENTENCES) {
    const found = sentence.exec(message);
    if (found) return { title: t(`refusal.${key}`, { name: found[1] ?? '' }), advice: '' };
  }
  const detail = VAGUE.has(error?.code) && message ? sentenceOf(message) : '';
  return { title: errorWord(error, t), advice: detail || (t.has(`advice.${error?.code}`) ? advice(error, t) : '') };
}

const sentenceOf = (message) => `${message[0].toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? '' : '.'}`;
