// Conversion of pointer, key and input method events for the live page. Pure, for tests without a page.

const MODIFIERS = [['altKey', 1], ['ctrlKey', 2], ['metaKey', 4], ['shiftKey', 8]];
const DOUBLE_MS = 450;
const NEAR = 8; // px between the clicks of a double click
const LINE = 16; // px of one line of wheel movement
const PAGE = 720;

export const modifiersOf = (event) => MODIFIERS.reduce((sum, [flag, bit]) => (event[flag] ? sum + bit : sum), 0);

/** Converts a point of the window to a fraction of the picture's box, clamped to it. */
export function partOf({ clientX, clientY }, box) {
  const part = (value, start, size) => (size > 0 ? Math.min(1, Math.max(0, (value - start) / size)) : 0);
  return { x: part(clientX, box.left, box.width), y: part(clientY, box.top, box.height) };
}

/** Counts clicks that follow closely in time and place, up to three, because pointer events have no click count. */
export function clicksAt(before, { at, x, y }) {
  const follows = before && at - before.at < DOUBLE_MS && Math.hypot(x - before.x, y - before.y) < NEAR;
  return { at, x, y, count: follows ? (before.count % 3) + 1 : 1 };
}

/** Converts wheel movement to pixels of the page. */
export function wheelOf({ deltaX, deltaY, deltaMode }, scale) {
  const unit = [scale, LINE, PAGE][deltaMode] ?? 1;
  return { dx: deltaX * unit, dy: deltaY * unit };
}

/**
 * Returns the handling of a pressed key: 'leave' the page, enter it as 'text' or 'paste' into the field, leave
 * it to the input 'method', or send the 'key'.
 */
export function keyMeans(event, mac = false) {
  if (event.key === 'Escape' && event.shiftKey) return 'leave';
  // Keys of an input method have the code 229, also in Safari, where the last one is not marked as composing.
  if (event.isComposing || event.keyCode === 229 || ['Process', 'Unidentified', 'Dead'].includes(event.key)) return 'method';
  const chord = event.ctrlKey || event.metaKey;
  if (chord && !event.altKey && event.key.toLowerCase() === 'v') return 'paste';
  if (event.shiftKey && event.key === 'Insert') return 'paste';
  if (event.key.length !== 1) return 'key';
  // AltGr enters characters, as does Option on a Mac.
  if (event.getModifierState?.('AltGraph') || (mac && event.altKey && !chord)) return 'text';
  return chord || event.altKey ? 'key' : 'text';
}

const KEYS = {
  insertLineBreak: ['Enter', 0],
  insertParagraph: ['Enter', 0],
  deleteContentBackward: ['Backspace', 0],
  deleteContentForward: ['Delete', 0],
  deleteWordBackward: ['Backspace', 2],
  deleteWordForward: ['Delete', 2],
  deleteSoftLineBackward: ['Backspace', 2],
  deleteHardLineBackward: ['Backspace', 2],
};

/**
 * Converts an input event of the field: { key, modifiers }, { text }, or null. Composed text is sent when it is
 * complete.
 */
export function inputMeans({ inputType, data }) {
  if (KEYS[inputType]) return { key: KEYS[inputType][0], modifiers: KEYS[inputType][1] };
  if ((inputType === 'insertText' || inputType === 'insertReplacementText') && data) return { text: data };
  return null;
}

const PIECE = 20_000; // characters of one frame

/** Splits text into pieces that fit a frame, without cutting a character. */
export function pieces(text, size = PIECE) {
  const all = [];
  for (let at = 0; at < text.length;) {
    let end = Math.min(text.length, at + size);
    if (end < text.length && /[\uD800-\uDBFF]/.test(text[end - 1])) end -= 1;
    all.push(text.slice(at, end));
    at = end;
  }
  return all;
}
