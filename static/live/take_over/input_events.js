// What a pointer, a key or an input method means on the live page: pure, so
// that every case can be tested without a page.

const MODIFIERS = [['altKey', 1], ['ctrlKey', 2], ['metaKey', 4], ['shiftKey', 8]];
const DOUBLE_MS = 450;
const NEAR = 8; // px between the clicks of a double one
const LINE = 16; // px of a line of a wheel
const PAGE = 720;

export const modifiersOf = (event) => MODIFIERS.reduce((sum, [flag, bit]) => (event[flag] ? sum + bit : sum), 0);

/** A point of the window as a part of the picture's box, never outside of it. */
export function partOf({ clientX, clientY }, box) {
  const part = (value, start, size) => (size > 0 ? Math.min(1, Math.max(0, (value - start) / size)) : 0);
  return { x: part(clientX, box.left, box.width), y: part(clientY, box.top, box.height) };
}

/** Pointer events bear no click count: clicks that follow closely in time and place count on, up to three. */
export function clicksAt(before, { at, x, y }) {
  const follows = before && at - before.at < DOUBLE_MS && Math.hypot(x - before.x, y - before.y) < NEAR;
  return { at, x, y, count: follows ? (before.count % 3) + 1 : 1 };
}

/** A turn of the wheel in pixels of the page. */
export function wheelOf({ deltaX, deltaY, deltaMode }, scale) {
  const unit = [scale, LINE, PAGE][deltaMode] ?? 1;
  return { dx: deltaX * unit, dy: deltaY * unit };
}

/** What becomes of a key that goes down: 'leave' the page, let the field take it as 'text' or the clipboard
 *  as 'paste', let the input method have it, or send the 'key'. */
export function keyMeans(event, mac = false) {
  if (event.key === 'Escape' && event.shiftKey) return 'leave';
  // 229 is how an input method's keys look, also to Safari, whose last one composes no more.
  if (event.isComposing || event.keyCode === 229 || ['Process', 'Unidentified', 'Dead'].includes(event.key)) return 'method';
  const chord = event.ctrlKey || event.metaKey;
  if (chord && !event.altKey && event.key.toLowerCase() === 'v') return 'paste';
  if (event.shiftKey && event.key === 'Insert') return 'paste';
  if (event.key.length !== 1) return 'key';
  // AltGr writes, and so does Option on a Mac.
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

/** What an input event of the field means: { key, modifiers }, { text }, or null. What is being composed
 *  comes when it is whole. */
export function inputMeans({ inputType, data }) {
  if (KEYS[inputType]) return { key: KEYS[inputType][0], modifiers: KEYS[inputType][1] };
  if ((inputType === 'insertText' || inputType === 'insertReplacementText') && data) return { text: data };
  return null;
}

const PIECE = 20_000; // characters of a frame

/** Text in pieces that fit a frame; no character is cut in two. */
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
