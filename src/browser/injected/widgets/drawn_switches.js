// Switches and boxes that are only drawn: named by the text that they belong to, with a state that is told by symbols,
// classes, data, the place of a knob, or by what changed when they were pressed.

const MOST_PARTS = 12;
const ON_WORDS = /^(?:on|checked|ticked|toggled|selected|active|enabled|true|yes|1|done|completed?|is[-_]?(?:on|checked|active|selected|toggled|enabled))$/i;
const OFF_WORDS = /^(?:off|unchecked|unticked|inactive|unselected|false|no|0|is[-_]?(?:off|unchecked|inactive))$/i;
const STATE_DATA = ["data-state", "data-checked", "data-on", "data-selected", "data-active", "data-toggled", "data-value", "data-status"];
const ON_SYMBOLS = /^[☑☒✓✔✅●◉⦿★♥❤🗹🔘]\ufe0f?$/u;
const OFF_SYMBOLS = /^[☐○◯☆♡□▢⬜🤍]\ufe0f?$/u;
/** Classes of icon fonts that draw a box, a radio or a switch, ticked or not. */
const ON_ICONS = /(?:^|[\s-])(?:(?:check(?:ed)?|check-?mark)-?(?:square|circle)|(?:square|circle)-(?:check|dot)|checkbox-(?:marked|checked|on)|checkbox(?:-fill)?-checked|radiobox-marked|toggle-(?:on|right)|dot-circle|record-circle)(?:-(?:o|fill|filled|solid|outline|alt))*(?=\s|$)/;
const OFF_ICONS = /(?:^|\s)(?:fa[srl]?|bi|mdi|ti|la[sr]?|icon|ri|bx|ph|pi)-(?:square|circle|checkbox-blank|radiobox-blank|toggle-(?:off|left))(?:-(?:o|line|outline|regular|thin))*(?=\s|$)/;
const TOGGLE_WORDS = /\b(?:switch|toggle|check|checkbox|box|tick|radio|slider|track|knob|thumb|star|bool)\b/;

const partsOfDrawn = (el) => [el, ...Array.prototype.slice.call(queryAll(el, "*"), 0, MOST_PARTS)];

/** Returns the first symbol that an element shows before any words: ☐, ★. */
const leadingSymbol = (el) => /^[^\p{L}\p{N}\s]\ufe0f?/u.exec(contentName(el))?.[0] ?? "";

/**
 * Returns whether a drawn switch or box is on; null if nothing tells. Words on an element with text of its own may
 * mean something else, so that only its parts are read.
 */
function drawnState(el) {
  const seen = pressedStates.get(el);
  if (seen !== undefined && !isChosenByClass(el) && !holdsItemParts(el) && !isListOrSorted(el)) {
    const now = drawnLook(el).text;
    if (now === seen.on) return true;
    if (now === seen.off) return false;
  }
  const star = isDrawnScale(el) ? null : starState(el);
  if (star !== null || isDrawnScale(el)) return star;
  const symbol = leadingSymbol(el);
  if (ON_SYMBOLS.test(symbol)) return true;
  if (OFF_SYMBOLS.test(symbol)) return false;
  const named = !isSymbol(contentName(el));
  const parts = partsOfDrawn(el).filter((part) => !named || (part !== el && isSymbol(contentName(part))));
  if (named && !parts.some(isToggleLike) && !isToggleLike(el)) return null;
  for (const part of named ? [...parts, el] : parts) {
    const told = toldState(part);
    if (told !== null) return told;
  }
  return named ? null : knobState(el);
}

/** Reports whether the author calls an element a switch or a box. */
const isToggleLike = (el) => TOGGLE_WORDS.test(`${attr(el, "class") ?? ""} ${attr(el, "id") ?? ""}`.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[-_]+/g, " ").toLowerCase());

function toldState(el) {
  const stated = attr(el, "aria-checked") ?? attr(el, "aria-pressed");
  if (stated !== null) return stated === "true";
  for (const name of STATE_DATA) {
    const value = attr(el, name);
    if (value === null) continue;
    if (ON_WORDS.test(value) || (value === "" && name !== "data-value")) return true;
    if (OFF_WORDS.test(value)) return false;
  }
  const classes = attr(el, "class") ?? "";
  if (ON_ICONS.test(classes)) return true;
  if (OFF_ICONS.test(classes)) return false;
  for (const token of classesOf(el)) {
    const word = token.replace(/^.*(?:--|__)/, "").replace(/^(?:switch|toggle|checkbox|check|box|radio|star|sw|cb)[-_](?=.)/, "");
    if (ON_WORDS.test(word)) return true;
    if (OFF_WORDS.test(word)) return false;
  }
  return null;
}

/** Returns the state of a switch by the place of its knob: a small square in a wide, rounded box. */
function knobState(el) {
  const box = rectOf(el);
  if (box.height < 10 || box.height > 50 || box.width < box.height * 1.4 || box.width > box.height * 3.2) return null;
  const middle = knobMiddle(el, box);
  return middle === null || Math.abs(middle - 0.5) < 0.06 ? null : middle > 0.5;
}

/** Returns the middle of a knob within its box, from 0 to 1 in the direction of writing; null if there is none. */
function knobMiddle(el, box) {
  const along = (x) => (styleOf(el).direction === "rtl" ? 1 - x / box.width : x / box.width);
  for (const part of queryAll(el, "*")) {
    const { left, width, height } = rectOf(part);
    if (width > 4 && width < box.width * 0.65 && Math.abs(width - height) < 3 && isShown(part)) return along(left + width / 2 - box.left);
  }
  for (const place of ["::before", "::after"]) {
    const style = getComputedStyle(el, place);
    const width = Number.parseFloat(style.width);
    if (style.content === "none" || !(width > 4 && width < box.width * 0.65)) continue;
    const shift = /matrix\((?:[^,]+,){4}([^,]+)/.exec(style.transform);
    const left = (Number.parseFloat(style.left) || 0) + (Number.parseFloat(style.marginLeft) || 0) + (shift === null ? 0 : Number(shift[1]));
    return along(left + width / 2);
  }
  return null;
}

/** Looks of pressed elements: {on, off}, as texts. */
const pressedStates = new WeakMap();
/** Look of an element before it was pressed. */
const beforePress = new WeakMap();
const pressedElements = new Set();

/** Returns how a drawn element looks: {text, tokens, knob, colour}. */
function drawnLook(el) {
  const tokens = new Set();
  const data = [];
  partsOfDrawn(el).forEach((part, i) => {
    for (const token of classesOf(part)) if (!/hover|focus|ripple|press|autohide|resizing|dragging/i.test(token)) tokens.add(`${i}.${token}`);
    for (const name of part.getAttributeNames()) if (/^(?:data-|aria-)|^src$|^d$/.test(name)) data.push(`${i}.${name}=${attr(part, name)}`);
  });
  const box = rectOf(el);
  const knob = box.width > 0 ? knobMiddle(el, box) : null;
  const colour = styleOf(el).backgroundColor;
  const place = knob === null ? "" : knob > 0.5 ? "end" : "start";
  const paint = paintOf(el);
  return { tokens, knob, colour, paint, words: contentName(el), text: `${[...tokens].sort().join(" ")}|${data.join(" ")}|${place}|${contentName(el)}|${isColourful(colour)}|${paint}` };
}

const FILLED_SHAPES = "path,circle,rect,polygon,ellipse";

/** Returns how the first shape of a drawing is filled: -1 without a drawing, 0 not at all, 1 by a shade of grey, 2 by a colour. */
function paintOf(el) {
  const shape = query(el, FILLED_SHAPES);
  if (shape === null) return -1;
  const { fill } = styleOf(shape);
  return fill === "none" || /^rgba\(.*, 0\)$/.test(fill) ? 0 : isColourful(fill) ? 2 : 1;
}

/** Reports whether a colour is no shade of grey. */
function isColourful(colour) {
  const [, r, g, b, alpha] = /rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)/.exec(colour) ?? [];
  return r !== undefined && Number(alpha ?? 1) > 0.3 && Math.max(r, g, b) - Math.min(r, g, b) > 60;
}

/** Records the look of a drawn element that is about to be pressed. */
function notePress(el) {
  if (lastRoleAndName.get(el)?.role !== "clickable" && !(localName(el) === "button" && isSymbol(contentName(el)))) return;
  beforePress.set(el, drawnLook(el));
  pressedElements.add(el);
  if (pressedElements.size > 20) pressedElements.delete(pressedElements.values().next().value);
}

/** Compares pressed elements with their looks before, to learn which look means on. */
function learnFromPresses() {
  for (const el of pressedElements) {
    pressedElements.delete(el);
    const before = beforePress.get(el);
    if (before === undefined || !isConnected(el)) continue;
    const now = drawnLook(el);
    const turned = now.text === before.text || pressedStates.has(el) ? null : turnedOn(before, now);
    if (turned !== null) pressedStates.set(el, turned ? { on: now.text, off: before.text } : { on: before.text, off: now.text });
  }
}

/** Returns whether a change of look is one to on; null if the element shows something else now. */
function turnedOn(before, now) {
  const symbols = [before.words, now.words];
  if (symbols[0] !== symbols[1] && !symbols.every(isSymbol)) return null;
  // A square that comes or goes is an arrow or a handle, not the knob of a switch.
  if ((before.knob === null) !== (now.knob === null)) return null;
  if (before.knob !== null && now.knob !== null && Math.abs(before.knob - now.knob) > 0.1) return now.knob > before.knob;
  const added = [...now.tokens].filter((token) => !before.tokens.has(token)).length;
  const removed = [...before.tokens].filter((token) => !now.tokens.has(token)).length;
  if (added !== removed) return added > removed;
  if (isColourful(now.colour) !== isColourful(before.colour)) return isColourful(now.colour);
  return now.paint !== before.paint ? now.paint > before.paint : true;
}

const LONGEST_BESIDE = 100;
const NOT_BESIDE = words("body html main form table tbody thead ul ol nav header footer dialog fieldset");
const ANY_ACTED = `a[href],button,input,select,textarea,[role=button],[role=link],[role=checkbox],summary,[role=switch],[role=radio],[role=tab],[role=option],[contenteditable]`;

/** Returns the text that a drawn element without words belongs to: of its row or line. */
function textBesideDrawn(el) {
  for (let node = el, steps = 0; steps < 4; steps++) {
    if (/^(?:td|th)$/.test(localName(node)) || CELLS.has(attr(node, "role"))) return textOfCell(node);
    const parent = drawnParent(node);
    if (parent === null || NOT_BESIDE.has(localName(parent))) return steps === 0 || parent === null ? "" : textNextTo(node, el);
    if (holdsOthers(parent, el)) return textNextTo(node, el) || (isBox(el) ? titleOfRow(node) : "");
    const text = contentName(parent).replace(contentName(el), "").trim();
    if (text !== "" && !isSymbol(text)) return text.length <= LONGEST_BESIDE ? text : "";
    node = parent;
  }
  return "";
}

const LEAST_RATING = 3;
const MOST_RATING = 10;
const RATED = /star|heart|rat(?:e|ing)|score/i;
/** Matches a star or heart, perhaps drawn twice: empty, and full above. */
const RATING_SYMBOLS = /^([★☆⭐✩✭✮✯🌟♥♡❤🤍])\ufe0f?(?: \1\ufe0f?)*$/u;

/** Words of icons that tell whether a star is filled. */
const FILLING = /\b(?:o|outline|half|empty|full|fill(?:ed)?|alt)\b/g;

/** Returns the place of a star among the like of a rating, as "3 of 5"; "" for other elements. */
function placeInRating(el) {
  for (let item = el, steps = 0; steps < 3; steps++) {
    const parent = parentNode(item);
    if (parent === null || nodeType(parent) !== 1 || childrenOf(parent)[4 * MOST_RATING] !== undefined) return "";
    const all = Array.prototype.filter.call(childrenOf(parent), (one) => localName(one) === localName(item) && isShown(one) && !takesRatingBack(one));
    if (!all.includes(item)) return "";
    if (all.length >= LEAST_RATING && all.length <= MOST_RATING && all.every(isRatingSymbol)) return `${all.indexOf(item) + 1} of ${all.length}`;
    if (childElementCount(parent) > 1) return "";
    item = parent;
  }
  return "";
}

const TAKES_BACK = /cancel|clear|reset/i;

/** Reports whether an item beside the stars of a rating is named as what takes it back. */
const takesRatingBack = (item) => [item, firstElementChild(item)].some((part) => part !== null && TAKES_BACK.test(attr(part, "class") ?? ""));

/** Reports whether an element shows a star or heart and no words. */
function isRatingSymbol(el) {
  const text = contentName(el);
  return text === "" ? isCalledRated(el) : RATING_SYMBOLS.test(text);
}

/** Reports whether something else can be acted on within an element. */
function holdsOthers(holder, el) {
  const inner = queryAll(holder, "*");
  for (let i = 0; i < inner.length && i < 60; i++) {
    const one = inner[i];
    if (one === el || contains(one, el) || contains(el, one)) continue;
    if (matches(one, ANY_ACTED) || listening.has(one) || (localName(one).includes("-") && drawsControlFor(one, ANY_ACTED, el)) || (isAlike(one, el) && classesOf(el).length > 0)) return true;
  }
  return false;
}

/** Returns the text directly after an element, or before it, up to the next thing to act on. */
function textNextTo(el, of = el) {
  const after = textAlong(el, nextSibling, of);
  const before = textAlong(el, previousSibling, of);
  return previousElement(el) === null || before === "" ? after || before : before;
}

/** Reports whether an element is a box of its own, to which a text beside it belongs even if it reacts, too. */
const isBox = (el) => isNativeBox(el) || SWITCHES.has(attr(el, "role") ?? "");

const isNativeBox = (el) => localName(el) === "input" && /^(?:checkbox|radio)$/.test(inputType(el));

function textAlong(el, step, of) {
  for (let node = step(el), left = 4; node !== null && left > 0; node = step(node), left--) {
    const type = nodeType(node);
    const listens = type === 1 && listening.has(node) && !isBox(of);
    if (type === 1 && (matches(node, ANY_ACTED) || listens || query(node, ANY_ACTED) !== null || isAlike(node, el) || drawsControlFor(node, ANY_ACTED, of))) return "";
    const text = type === 3 ? clean(textData(node)) : type === 1 && isShown(node) ? contentName(node) : "";
    if (text !== "" && !isSymbol(text)) return text.length <= LONGEST_BESIDE ? text : "";
  }
  return "";
}

const STEPS_ACROSS = [30, 90, 180, 320];

/** Returns the text of the cell that is drawn beside a cell, in a table of its own where columns are pinned. */
function textDrawnBeside(el) {
  const cell = closest(el, "td,[role=gridcell]");
  if (cell === null || !isShown(cell)) return "";
  const { right, top, bottom } = rectOf(cell);
  for (const step of STEPS_ACROSS) {
    const hit = hitWithin(ownerDocument(el), right + step, (top + bottom) / 2);
    const other = hit === null ? null : closest(hit, "td,[role=gridcell]");
    const text = other === null || other === cell || parentNode(other) === parentNode(cell) ? "" : contentName(other);
    if (text !== "" && !isSymbol(text)) return text.length <= LONGEST_BESIDE ? text : "";
  }
  return "";
}

/** Returns the first words of the row or item around an element. */
function titleOfRow(el) {
  for (let node = el, steps = 0; node !== null && steps < 4; node = drawnParent(node), steps++) {
    if (!isRowLike(node)) continue;
    const title = firstWords(node, new Set([el]));
    return title.length <= LONGEST_BESIDE ? title : "";
  }
  return "";
}

/** Reports whether a cell stands in the header of its table; a first row of plain cells is a row like others. */
const isOfHead = (cell) => closest(cell, "thead") !== null || (parentNode(cell) === closest(cell, "table")?.rows?.[0] && (localName(cell) === "th" || query(parentNode(cell), "th") !== null));

/** Reports whether a cell is a numbered one of the same kind as another, which it does not name: a day beside a blank one. */
const isDayBeside = (other, cell) => classesOf(cell).length > 0 && isAlike(other, cell) && /^\d{1,2}$/.test(contentName(other));

/** Returns the title of the row and the header of the column of a cell. */
function textOfCell(cell) {
  const own = contentName(cell);
  if (own !== "" && !isSymbol(own)) return own.length <= LONGEST_BESIDE ? own : "";
  const row = parentElement(cell);
  if (row === null || isOfHead(cell)) return "";
  let title = "";
  for (let other = firstElementChild(row); other !== null && title === ""; other = nextElement(other)) {
    if (other !== cell && !isSymbol(contentName(other)) && !isDayBeside(other, cell) && !isOneButton(other)) title = contentName(other);
  }
  const first = closest(cell, "table")?.rows?.[0];
  const head = first && !Array.prototype.some.call(first.cells, (one) => one.colSpan > 1) ? first.cells[cell.cellIndex] : undefined;
  const column = head && !contains(row, head) ? contentName(head) : "";
  return [title, column].filter((text) => text !== "" && text.length <= LONGEST_BESIDE / 2).join(", ");
}
