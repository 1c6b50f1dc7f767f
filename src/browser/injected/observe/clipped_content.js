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
  if (width < 40 || height < 16 || (across <= LEAST_CUT && down <= LEAST_CUT) || width >= innerWidth || !isStripOfItems(el)) return null;
  const room = { x: Math.max(0, across), y: Math.max(0, down) };
  const [x, y] = [Math.abs(scrollLeftOf(el)), scrollTopOf(el)];
  const [before, after] = runsLeft(style) ? [room.x - x, x] : [x, room.x - x];
  return { left: left - before, top: top - y, right: right + after, bottom: bottom + room.y - y };
}

/** Reports whether the first and the last child of an element, or of what fills it, are built alike. */
function isStripOfItems(el) {
  let strip = el;
  for (let steps = 0; steps < 3 && childElementCount(strip) === 1; steps++) strip = firstElementChild(strip);
  const [first, last] = [firstElementChild(strip), strip.lastElementChild];
  return first !== null && first !== last && isAlike(first, last) && !INLINE.has(localName(first));
}

const HIDES = /hidden/;
const MOST_USED_BESIDE = 200;
const USED = `${CONTROLS},td,th,[tabindex],[onclick],[role=gridcell],[role=columnheader]`;

/**
 * Returns how far scripts and keys can scroll an element sideways that hides what is beyond its edge: {left, right}, if
 * that is a strip of items or holds controls or cells there; else null.
 */
function roomBeside(el, box, style) {
  const width = clientWidthOf(el);
  const across = scrollWidthOf(el) - width;
  if (!HIDES.test(style.overflowX) || across <= LEAST_CUT || width < 40 || clientHeightOf(el) < 16 || style.textOverflow === "ellipsis") return null;
  if (!(width < innerWidth && isStripOfItems(el)) && !holdsUsedBeside(el, box)) return null;
  const x = Math.min(across, Math.abs(scrollLeftOf(el)));
  return runsLeft(style) ? { left: across - x, right: x } : { left: x, right: across - x };
}

/** Reports whether a control or cell lies wholly beside an element, in its flow: what was slid out on purpose does not count. */
function holdsUsedBeside(el, box) {
  const inner = queryAll(el, USED);
  const isBeside = (part) => part.left >= box.right - 1 || part.right <= box.left + 1;
  for (let i = 0; i < inner.length && i < MOST_USED_BESIDE; i++) {
    const part = rectOf(inner[i]);
    if (part.width <= 1 || part.height <= 1 || !isBeside(part) || part.top >= box.bottom || part.bottom <= box.top || !isShown(inner[i])) continue;
    if (!isSlidOut(inner[i], el, isBeside)) return true;
  }
  return false;
}

/** Reports whether an element, or what is around it within a pane, was placed or moved beside that by itself, and is no item of a belt. */
function isSlidOut(inner, pane, isBeside) {
  for (let node = inner; node !== null && node !== pane; node = drawnParent(node)) {
    const { position, transform, translate } = styleOf(node);
    if ((/^(?:absolute|fixed)$/.test(position) || transform !== "none" || translate !== "none") && isBeside(rectOf(node))) return true;
  }
  return false;
}

/** Notes below the line before it what a container folds away or cuts off, if it is more than decoration. */
function noteCutContent(el, style, page, ctx) {
  if (ctx.off || ctx.mute || ctx.behind !== null || page.cutNotes >= MOST_CUT_NOTES || firstElementChild(el) === null || page.clipped?.has(el)) return;
  const [width, height] = [clientWidthOf(el), clientHeightOf(el)];
  const over = scrollHeightOf(el) - height;
  const isBeside = over <= LEAST_FOLD && style.overflowX === "clip" && scrollWidthOf(el) - width > LEAST_CUT;
  if (width <= 1 || (over <= LEAST_FOLD && !isBeside) || hasOpener(el)) return;
  const { left, top, right, bottom } = rectOf(el);
  const edge = { left, top: top - 2, right, bottom: Math.max(bottom, top + 2), width, height: Math.max(height, 4) };
  if (placeOf(edge, ctx.ownClip) !== IN_VIEW) return;
  const names = isBeside ? textsBeyond(el, left, right) : cutNames(el, bottom, height <= 1 || over > ONE_ROW);
  if (names.length === 0) return;
  page.cutNotes++;
  const what = cut(names.map((name) => `"${name.replace(/["\\]/g, "'")}"`).join(", "), LONGEST_CUT_NAMES);
  const how = height <= 1 ? "folded away here" : "cut off here";
  page.flush();
  page.push({ role: "note", name: `${names.length === MOST_CUT_NAMES ? "more is" : "content is"} ${how}: ${what}; press what opens it, or extract to read it`, el, tag: "", kind: TEXT, place: IN_VIEW });
}

/** Reports whether the element before a container says itself whether the container is open. */
function hasOpener(el) {
  for (const node of [previousElement(el), previousElement(parentElement(el) ?? el)]) {
    if (node !== null && nodeType(node) === 1 && (matches(node, "[aria-expanded],summary") || query(node, "[aria-expanded]") !== null)) return true;
  }
  return false;
}

const MOST_CUT_NAMES = 4;

/** Returns names of controls, or first words where `texts`, below the edge of a container. */
function cutNames(el, edge, texts) {
  const names = [];
  const inner = queryAll(el, CONTROLS);
  for (let i = 0; i < inner.length && i < 60 && names.length < MOST_CUT_NAMES; i++) {
    if (!isShown(inner[i]) || rectOf(inner[i]).top < edge - 1) continue;
    const name = nameOf(inner[i], roleOf(inner[i]));
    if (name !== "") names.push(cut(name, 40));
  }
  if (names.length > 0 || !texts) return names;
  for (let node = firstElementChild(el), steps = 0; node !== null && steps < 60; node = nextElement(node), steps++) {
    const box = rectOf(node);
    if (!isShown(node) || box.bottom <= edge + 4) continue;
    const text = contentName(node);
    const below = text === "" || (text.length >= 20 && box.top >= edge - 1) ? "" : wordsBelow(el, edge);
    if (below !== "") return [cut(below, 60)];
    return text.length < 20 ? [] : [cut(text, 60)];
  }
  return names;
}

const MOST_BELOW = 200;

/** Returns the first words of a block that lies wholly below the edge of a container that shows words above it; "" if there is none. */
function wordsBelow(el, edge) {
  const inner = queryAll(el, "*");
  const isBelow = (part) => part.top >= edge - 1;
  const first = wordsWithout(el, new Set());
  for (let i = 0; i < inner.length && i < MOST_BELOW; i++) {
    const box = rectOf(inner[i]);
    if (!isBelow(box) || box.width <= 1 || box.height <= 1 || !isShown(inner[i]) || styleOf(inner[i]).display.startsWith("inline")) continue;
    const text = contentName(inner[i]);
    if (!/\p{L}{3}/u.test(text) || first.startsWith(text) || isSlidOut(inner[i], el, isBelow)) continue;
    return text;
  }
  return "";
}

const MOST_BEYOND = 200;

/** Returns the words of elements that lie wholly beside an element. */
function textsBeyond(el, left, right) {
  const names = [];
  const inner = queryAll(el, "*");
  for (let i = 0; i < inner.length && i < MOST_BEYOND && names.length < MOST_CUT_NAMES; i++) {
    if (childElementCount(inner[i]) > 0 || !isShown(inner[i])) continue;
    const box = rectOf(inner[i]);
    const text = box.left >= right - 1 || box.right <= left + 1 ? contentName(inner[i]) : "";
    if (text !== "") names.push(cut(text, 40));
  }
  return names;
}

const CLIPPING_LEVELS = 12;
const MOST_CLIPPED_TRIED = 60;

/** Notes a control that is not met by any press because `clip` or `clip-path` of what is around cuts it away. */
function noteClippedControl(el, tag, role, page, ctx) {
  if (ctx.off || ctx.mute || ctx.behind !== null || (page.clippedTried = (page.clippedTried ?? 0) + 1) > MOST_CLIPPED_TRIED) return;
  const clipper = clipperOf(el);
  const name = clipper === null ? "" : nameOf(el, role, tag);
  if (name === "") return;
  const known = (page.clipped ??= new Map()).get(clipper) ?? { names: [], line: null };
  if (known.names.length >= MOST_CUT_NAMES || (known.line === null && page.cutNotes >= MOST_CUT_NOTES)) return;
  known.names.push(`"${cut(name, 40).replace(/["\\]/g, "'")}"`);
  const text = `content is cut off here: ${cut(known.names.join(", "), LONGEST_CUT_NAMES)}; press what opens it, or extract to read it`;
  if (known.line !== null) known.line.name = text;
  else {
    page.cutNotes++;
    page.flush();
    known.line = page.push({ role: "note", name: text, el: clipper, tag: "", kind: TEXT, place: IN_VIEW });
  }
  page.clipped.set(clipper, known);
}

/** Returns the element around whose clip leaves nothing of an element, or null. */
function clipperOf(el) {
  const box = boxOf(el);
  for (let node = drawnParent(el), steps = 0; node !== null && steps < CLIPPING_LEVELS; node = drawnParent(node), steps++) {
    const { overflowX, overflowY, clipPath } = styleOf(node);
    if (overflowX !== "clip" && overflowY !== "clip" && clipPath === "none") continue;
    const whole = rectOf(node);
    if (whole.width <= 1 || whole.height <= 1) continue;
    const part = clipPath === "none" ? whole : insetOf(clipPath, whole);
    // No press meets it, so its middle tells: an edge of it may show.
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    const isBeside = x >= part.right || x <= part.left;
    const isBelow = y >= part.bottom || y <= part.top;
    if (isClippedByPath(clipPath, el, x, y)) return node;
    if ((isBeside && (overflowX === "clip" || clipPath !== "none")) || (isBelow && (overflowY === "clip" || clipPath !== "none"))) return node;
  }
  return null;
}

/** Reports whether a clip path other than an inset leaves nothing of an element at a point: what covers it would let hit tests through to it. */
function isClippedByPath(clipPath, el, x, y) {
  if (clipPath === "none" || clipPath.startsWith("inset(") || styleOf(el).pointerEvents === "none") return false;
  const root = getRootNode(el);
  const hits = typeof root.elementsFromPoint === "function" ? root.elementsFromPoint(x, y) : [];
  return hits.length > 0 && !hits.some((hit) => hit === el || contains(el, hit));
}

/** Returns the box that a clip path by insets leaves of a box; the whole box for other paths, nothing for an empty circle. */
function insetOf(clipPath, { left, top, right, bottom, width, height }) {
  if (/^(?:circle|ellipse)\(0(?:px|%)?[\s)]/.test(clipPath)) return { left, top, right: left, bottom: top };
  const [, written] = /^inset\(([^)]*?)(?:\s+round[^)]*)?\)$/.exec(clipPath) ?? [];
  if (written === undefined) return { left, top, right, bottom };
  const [up, far = up, down = up, near = far] = written.split(/\s+/);
  const size = (value, all) => (value.endsWith("%") ? (Number.parseFloat(value) / 100) * all : Number.parseFloat(value)) || 0;
  return { left: left + size(near, width), top: top + size(up, height), right: right - size(far, width), bottom: bottom - size(down, height) };
}
