// Text of pages and programs, shown to somebody who decides by it: characters that are invisible or turn the
// direction of text are written out, so that a text reads as what it is.

// Controls, soft hyphen, zero-width characters, direction marks, overrides and isolates, tags.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

const written = (char) => `[U+${char.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}]`;

/** Returns the text with hidden characters written out, such as "[U+202E]". */
export const visible = (text) => wordsOf(text).replace(/\r\n?/g, '\n').replace(HIDDEN, written);

/** Returns the text on one line. */
export const visibleLine = (text) => visible(text).replace(/\s+/g, ' ').trim();

/** Returns any value as text. */
export function wordsOf(value) {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Returns the host of an address, in ASCII and never shortened: its end says whose it is. */
export function hostOf(address) {
  const url = parse(address);
  if (!url) return visibleLine(address);
  return visibleLine(url.host || `${url.protocol}${url.pathname}`);
}

/** Returns host and path of an address, without what it carries. */
export function placeOf(address) {
  const url = parse(address);
  if (!url?.host) return hostOf(address);
  return visibleLine(`${url.host}${url.pathname === '/' ? '' : url.pathname}`);
}

function parse(address) {
  try {
    return new URL(wordsOf(address));
  } catch {
    return null;
  }
}
