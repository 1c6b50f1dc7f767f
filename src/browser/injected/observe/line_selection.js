// Selection of the lines to show. Lines to act on in the viewport come first and nearly always fit; then, as long as
// the budget lasts, the rest of the viewport, the lines below and those above. Long lists outside the viewport are
// folded.

const ITEMS_OUTSIDE = 10;
/** Tokens for everything around the lines: address, title, nonce, and the note about omitted lines. */
const WRAPPER_TOKENS = 60;

class Purse {
  constructor(tokens) {
    this.left = tokens;
  }

  /** Pays for a line and its containers that are not shown yet. Returns false if the budget is too small. */
  pay(line, always = false) {
    if (line.shown) return true;
    readLine(line);
    let price = priceOf(line);
    for (let holder = line.parent; holder !== null && !holder.shown; holder = holder.parent) {
      if (holder.kind === HOLDER) readLine(holder);
      price += holder.name === null ? 12 : priceOf(holder);
    }
    if (!always && price > this.left) return false;
    this.left -= price;
    let head = null;
    for (let shown = line; shown !== null && !shown.shown; shown = shown.parent) {
      if (shown.attrs === undefined) readLine(shown);
      shown.shown = true;
      if (shown.role === "row") head = listAround(shown.parent)?.head ?? null;
    }
    return head === null || this.pay(head, always) || true;
  }
}

/** Reads name and states of a line's element, once. */
function readLine(line) {
  if (line.attrs !== undefined) return;
  line.attrs = null;
  const { el, role, tag } = line;
  try {
    if (line.kind === TEXT) {
      if (line.place !== IN_VIEW || line.guessed) line.attrs = line.guessed ? { guessed: true } : {};
    } else {
      if (line.parts !== undefined) line.name ??= rowName(line);
      line.name ??= line.kind === HOLDER && !nameable(role) ? "" : nameOf(el, role, tag);
      if (line.drop && line.name === "") line.name = titleOfDropPlace(el);
      line.attrs = line.kind === HOLDER ? holderStates(el, role) : statesOf(el, role, tag);
      if (line.kind === ACTOR) describeActor(line, el, role, tag);
    }
  } catch {
    line.name ??= "";
    line.attrs ??= {};
  }
  finish(line);
}

const HINTED = words("textbox searchbox combobox listbox spinbutton checkbox radio switch slider file");

const DRAWING_NOTE = "a drawing; its words can be read only in the picture, and its parts pressed by points of it";

/** Adds what stands at an element beside its states. */
function describeActor(line, el, role, tag) {
  if (role === "canvas" && line.place === IN_VIEW && line.name === "") line.note = DRAWING_NOTE;
  else if (line.place === IN_VIEW) line.note = boundsOf(el, role, tag) || line.note;
  // The field of a drawn list takes no text, but another choice.
  if (role === "combobox" && line.attrs.options !== undefined) delete line.attrs.readonly;
  if (HINTED.has(role)) hintsInto(line.attrs, el, role, tag, line.name);
  if (line.attrs.disabled && attr(el, "title") && line.attrs.hint === undefined && clean(attr(el, "title")) !== line.name) line.attrs.hint = cut(clean(attr(el, "title")), LONGEST_NAME);
  if (line.name !== "" && guesses.get(el) === line.name) line.attrs.guessed = true;
}

/** Returns the source of a frame that this script can read; Rust adds the others. */
function holderStates(el, role) {
  const inner = role === "iframe" ? innerDocument(el) : null;
  return inner === null ? {} : { source: viewOf(inner)?.location.href ?? "" };
}

/** Reports whether a container's name is worth reading. The names of items repeat their content. */
const nameable = (role) => role !== "listitem" && role !== "row" && !CELLS.has(role);

function finish(line) {
  const attrs = line.attrs;
  if (attrs === null) return;
  // Text drawn over a transparent field stands for its value.
  if (line.drawnValue && attrs.value === undefined && line.drawnValue !== line.name) attrs.value = line.drawnValue;
  // The chosen one of several may take no presses: it is chosen already.
  if (line.dead && attrs.selected !== true && attrs.checked !== true) attrs.disabled = true;
  if (line.level !== undefined) attrs.level = line.level;
  if (line.isNew) attrs.new = true;
  if (line.place === ABOVE) attrs.above = true;
  if (line.place === BELOW) attrs.below = true;
  if (line.place === LEFT) attrs.left = true;
  if (line.place === RIGHT) attrs.right = true;
  if (line.covered) attrs.covered = true;
  if (line.scroll !== undefined) attrs.scroll = line.scroll;
}

/** Estimates the tokens of a line, at four characters per token. */
function priceOf(line) {
  let chars = line.depth * 2 + line.role.length + (line.name?.length ?? 0) + 6;
  if (line.kind === ACTOR) chars += 3 + String(nextEid).length;
  if (line.note) chars += line.note.length + line.depth * 2 + 10;
  const attrs = line.attrs;
  if (attrs) {
    if (attrs.value !== undefined) chars += attrs.value.length + 9;
    if (attrs.href !== undefined) chars += attrs.href.length + 8;
    if (attrs.options !== undefined) chars += attrs.options.join("|").length + 11;
    chars += (attrs.placeholder?.length ?? 0) + (attrs.hint?.length ?? 0);
    chars += Object.keys(attrs).length * 6;
  }
  return chars / 4;
}

function choose(page) {
  const { lines, budget } = page;
  const purse = new Purse(budget - WRAPPER_TOKENS);
  for (const line of lines) {
    if (line.place === IN_VIEW && (line.kind === ACTOR || line.keep)) purse.pay(line, purse.left > -2 * budget);
  }
  purse.left = Math.max(purse.left, budget / 4);
  for (const line of lines) {
    if (line.place === IN_VIEW && line.kind !== ACTOR && line.kind !== HOLDER) purse.pay(line);
  }
  roomForFrames(page, purse);
  const below = lines.filter((line) => isAfter(line.place));
  const above = lines.filter((line) => isBefore(line.place)).reverse();
  for (const side of [below, above]) {
    const counts = new Map();
    const rest = [];
    for (const line of side) {
      if (inFold(line, counts)) rest.push(line);
      else if (!purse.pay(line)) break;
    }
    for (const line of rest) if (!purse.pay(line)) break;
  }
}

/** Minimum number of tokens for a frame with its own walker. */
const LEAST_ROOM = 60;

/** Gives frames with their own walkers a part of the budget, in proportion to their area of the viewport. */
function roomForFrames(page, purse) {
  for (const line of page.frames) {
    if (line.place !== IN_VIEW || !line.shown) continue;
    const { left, top, right, bottom } = line.part;
    const share = ((right - left) * (bottom - top)) / Math.max(1, innerWidth * innerHeight);
    line.room = Math.round(Math.max(LEAST_ROOM, page.budget * Math.min(1, share)));
    purse.left -= line.room;
  }
}

/** Reports whether a line belongs to a list item after the first ITEMS_OUTSIDE on this side. */
function inFold(line, counts) {
  for (let item = line; item.parent !== null; item = item.parent) {
    const list = item.parent;
    if (!LISTS.has(list.role)) continue;
    let numbers = counts.get(list);
    if (numbers === undefined) counts.set(list, (numbers = new Map()));
    if (!numbers.has(item)) numbers.set(item, numbers.size);
    if (numbers.get(item) >= ITEMS_OUTSIDE) return true;
  }
  return false;
}

/** Returns what was omitted: folded lists, and counts of all other lines. */
function leftOutOf(page) {
  const out = { ...page.uncounted };
  const folds = new Map();
  for (const line of page.lines) {
    if (line.shown || line.kind === HOLDER) continue;
    const fold = foldOf(line, folds);
    if (fold !== null) continue;
    if (isBefore(line.place)) out.above++;
    else if (isAfter(line.place)) out.below++;
    if (line.kind === TEXT) out.text++;
  }
  for (const line of page.lines) {
    if (!LISTS.has(line.role) || !line.shown || !line.missing) continue;
    const fold = folds.get(line) ?? folds.set(line, { above: new Set(), below: new Set() }).get(line);
    fold.missing = line.missing;
    out.below -= line.lost?.below ?? 0;
    out.text -= line.lost?.text ?? 0;
  }
  return { out, folds };
}

function foldOf(line, folds) {
  for (let item = line; item.parent !== null; item = item.parent) {
    const list = item.parent;
    if (!LISTS.has(list.role) || !list.shown || item.shown) continue;
    if (line.place === IN_VIEW) return null;
    if (!folds.has(list)) folds.set(list, { above: new Set(), below: new Set() });
    const fold = folds.get(list);
    (isBefore(line.place) ? fold.above : fold.below).add(item);
    return fold;
  }
  return null;
}
