// What Escape means: first what lies on top, then what is being written (it is
// not to be lost), and only then the run itself. One press stops it; right after one
// has let go of the page Escape may still be meant for that, and the first press
// only says what a second would do.

import { HINT_MS } from '../layout/notices.js';

const LETTING_GO_MS = 1000; // a press so soon after letting the page go is still meant for the page
const JUST_BACK_MS = 5000;

/** `sinceBack`, `sinceHint`: milliseconds since the person let the page go, and since they were told. */
export function escapeMeans({ drawer, instead, composing, written, active, hands = false, sinceBack = Infinity, sinceHint = Infinity }) {
  if (composing) return null; // it is the input method's
  if (drawer) return 'drawer';
  if (instead) return 'instead';
  if (!active || written || hands || sinceBack < LETTING_GO_MS) return null;
  return sinceBack >= JUST_BACK_MS || sinceHint <= HINT_MS ? 'stop' : 'hint';
}

/** An order that is for the run itself and not for its turn. */
export const meansStop = (text) => /^\s*(?:stop|стоп|зупинись|зупинися|зупини)\s*[.!]?\s*$/i.test(text);
