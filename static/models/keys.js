// What Escape means: first what lies on top, then what is being written (it is
// not to be lost), and only then the run itself.

export function escapeMeans({ drawer, instead, composing, written, active }) {
  if (composing) return null; // it is the input method's
  if (drawer) return 'drawer';
  if (instead) return 'instead';
  return active && !written ? 'stop' : null;
}

/** An order that is for the run itself and not for its turn. */
export const meansStop = (text) => /^\s*(?:stop|стоп|зупинись|зупинися|зупини)\s*[.!]?\s*$/i.test(text);
