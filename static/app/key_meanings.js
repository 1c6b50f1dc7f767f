// Meaning of Escape: closes the topmost layer, then a text being written (without losing it), and only then
// stops the run. Right after a hand-back a press may still be meant for the page, so the first one only shows a
// hint.

import { HINT_MS } from '../layout/notices.js';

const LETTING_GO_MS = 1000; // period after a hand-back in which a press is still meant for the page
const JUST_BACK_MS = 5000;

/** `sinceBack`, `sinceHint`: milliseconds since the hand-back and since the hint. */
export function escapeMeans({ drawer, instead, composing, written, active, inControl = false, sinceBack = Infinity, sinceHint = Infinity }) {
  if (composing) return null; // belongs to the input method
  if (drawer) return 'drawer';
  if (instead) return 'instead';
  if (!active || written || inControl || sinceBack < LETTING_GO_MS) return null;
  return sinceBack >= JUST_BACK_MS || sinceHint <= HINT_MS ? 'stop' : 'hint';
}

/** Reports whether a text is a command to stop the run, instead of a message to its agent. */
export const meansStop = (text) => /^\s*(?:stop|стоп|зупинись|зупинися|зупини)\s*[.!]?\s*$/i.test(text);
