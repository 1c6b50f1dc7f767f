// Cleaning: makes any string of a page fit for one quoted position in one line.

const LONGEST_NAME = 200;
const LONGEST_VALUE = 500;
const LONGEST_TEXT = 1000;

/** Maximum length of a value that a person is asked to approve, and so must see in full. */
const LONGEST_SENT_VALUE = 20000;

// Private characters of icon fonts, soft hyphens, zero-width spaces, direction overrides, control characters.
const INVISIBLE = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ue000-\uf8ff]/g;
const PLAIN = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;

/** Collapses white space, removes invisible characters, and makes the string well-formed. */
function clean(text) {
  if (PLAIN.test(text)) return text;
  return text.replace(INVISIBLE, "").replace(/\s+/g, " ").trim().toWellFormed();
}

/** Cuts to at most `longest` characters, ending with … if anything was cut. */
function cut(text, longest) {
  return text.length <= longest ? text : text.slice(0, longest - 1).toWellFormed().replace(/\ufffd$/, "") + "…";
}

const cleanName = (text) => cut(clean(text.length > 2000 ? text.slice(0, 2000) : text), LONGEST_NAME);
const cleanValue = (text) => cut(clean(text.length > 4000 ? text.slice(0, 4000) : text), LONGEST_VALUE);

/**
 * Returns a field's value as shown before it is sent. Of a longer value: beginning, number of omitted characters,
 * end.
 */
function shownWhole(text) {
  const all = clean(text);
  if (all.length <= LONGEST_SENT_VALUE) return all;
  const half = LONGEST_SENT_VALUE / 2 - 50;
  return `${all.slice(0, half)} … [${all.length - 2 * half} characters are not shown here] … ${all.slice(-half)}`.toWellFormed();
}

/** Splits a long text at spaces into pieces of at most LONGEST_TEXT characters. */
function pieces(text) {
  const parts = [];
  while (text.length > LONGEST_TEXT) {
    let at = text.lastIndexOf(" ", LONGEST_TEXT);
    if (at < LONGEST_TEXT / 2) at = LONGEST_TEXT;
    parts.push(text.slice(0, at).toWellFormed());
    text = text.slice(at).trimStart();
  }
  parts.push(text);
  return parts;
}
