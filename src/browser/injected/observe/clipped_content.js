// Content that its container cuts off without scroll bars: strips that scripts or keys move, and folded blocks. Items of
// a strip are listed, since moving the focus to them scrolls there; other cut content is announced by a note.

const LEAST_CUT = 8;
/** Least height of folded content, in CSS pixels. */
const LEAST_FOLD = 12;
const MOST_CUT_NOTES = 10;
const LONGEST_CUT_NAMES = 100;

/**
 * Returns what an element with hidden overflow can be scrolled to by scripts and keys, as the `reach` of its clip; null
 * if it is no strip of items built alike.
 */
function reachOfStrip(el, { left, top, right, bottom }, style) {
  const [width, height] = [clientWidthOf(el), clientHeightOf(el)];
  const [across, down] = [scrollWidthOf(el) - width, scrollHeightOf(el) - height];
  if (width < 40 || height < 16 || (across <= LEAST_CUT && down <= LEAST_CUT) || width >= innerWidth) return null;
  let strip = el;
  for (let steps = 0; steps < 3 && childElementCount(strip) === 1; steps++) strip = firstElementChild(strip);
  const [first, last] = [firstElementChild(strip), strip.lastElementChild];
  if (first === null || first === last || !isAlike(first, last) || INLINE.has(localName(first))) return null;
  const room = { x: Math.max(0, across), y: Math.max(0, down) };
  const [x, y] = [Math.abs(scrollLeftOf(el)), scrollTopOf(el)];
  const [before, after] = style.direction === "rtl" ? [room.x - x, x] : [x, room.x - x];
  return { left: left - before, top: top - y, right: right + after, bottom: bottom + room.y - y };
}

/** Notes below the line before it what a container folds away or cuts off, if it is more than decoration. */
function noteCutContent(el, style, page, ctx) {
  if (ctx.off || ctx.mute || ctx.behind !== null || page.cutNotes >= MOST_CUT_NOTES || firstElementChild(el) === null) return;
  const [width, height] = [clientWidthOf(el), clientHeightOf(el)];
  if (width <= 1 || scrollHeightOf(el) - height <= (height <= 1 ? LEAST_FOLD : ONE_ROW) || hasOpener(el)) return;
  const { left, top, right, bottom } = rectOf(el);
  const edge = { left, top: top - 2, right, bottom: Math.max(bottom, top + 2), width, height: Math.max(height, 4) };
  if (placeOf(edge, ctx.ownClip) !== IN_VIEW) return;
  const names = cutNames(el, bottom);
  if (names.length === 0) return;
  page.cutNotes++;
  const what = cut(names.map((name) => `"${name.replace(/["\\]/g, "'")}"`).join(", "), LONGEST_CUT_NAMES);
  const how = height <= 1 ? "folded away here" : "cut off here";
  page.flush();
  page.push({ role: "note", name: `${names.length === MOST_CUT_NAMES ? "more is" : "content is"} ${how}: ${what}; press what opens it, or extract to read it`, el, tag: "", kind: TEXT, place: IN_VIEW });
}

/** Reports whether the element before a container says itself whether the container is open. */
function hasOpener(el) {
  for (const node of [previousElement(el), previousElement(parentNode(el) ?? el)]) {
    if (node !== null && nodeType(node) === 1 && (matches(node, "[aria-expanded],summary") || query(node, "[aria-expanded]") !== null)) return true;
  }
  return false;
}

const MOST_CUT_NAMES = 4;

/** Returns names of controls, or first words, below the edge of a container. */
function cutNames(el, edge) {
  const names = [];
  const inner = queryAll(el, CONTROLS);
  for (let i = 0; i < inner.length && i < 60 && names.length < MOST_CUT_NAMES; i++) {
    if (!isShown(inner[i]) || rectOf(inner[i]).top < edge - 1) continue;
    const name = nameOf(inner[i], roleOf(inner[i]));
    if (name !== "") names.push(cut(name, 40));
  }
  if (names.length > 0) return names;
  for (let node = firstElementChild(el), steps = 0; node !== null && steps < 60; node = nextElement(node), steps++) {
    if (!isShown(node) || rectOf(node).bottom <= edge + 4) continue;
    const text = contentName(node);
    return text.length < 20 ? [] : [cut(text, 60)];
  }
  return names;
}
