// Parts for which the container around them listens, without a pointer cursor: words whose class says what they do,
// swatches that name their colour. A container of a table is not read as a set of items, so these are marked here. Blank
// cells among the days of a calendar are none.

const STATED_PARTS = "[class*=reset i],[class*=close i],[class*=clear i],[class*=confirm i],[class*=cancel i],[class*=apply i],[class*=submit i],[class*=dismiss i]";
const STATED_DOING = /\b(?:reset|close|clear|confirm|cancel|apply|submit|dismiss)$/;
const LONGEST_STATED = 24;
const MOST_STATED = 20;
const SWATCH_DATA = ["data-value", "data-color", "data-colour", "title", "aria-label"];
const SWATCHES = "[data-value],[data-color],[data-colour],[title],[aria-label]";
const LEAST_SWATCHES = 5;
const MOST_SWATCHES = 400;
const SMALLEST_SWATCH = 6;
const MOST_WEEKS = 10;
const SHORTEST_MONTH = 28;

/** Reports whether an element is a few words, with a class that ends with what a press on them does. */
function isStatedPart(el) {
  if (childElementCount(el) > 0 || ACTED_ON.has(roleOf(el)) || !isShown(el)) return false;
  const text = contentName(el);
  if (text === "" || isSymbol(text) || text.length > LONGEST_STATED) return false;
  return classesOf(el).some((token) => STATED_DOING.test(wordsOfId(token).toLowerCase()));
}

/** Reports whether an element without words shows the colour that it names. */
function isSwatch(el) {
  if (firstChild(el) !== null || ACTED_ON.has(roleOf(el))) return false;
  const { width, height } = rectOf(el);
  if (Math.min(width, height) < SMALLEST_SWATCH || Math.max(width, height) > LARGEST_GRIP || !isShown(el)) return false;
  return SWATCH_DATA.some((name) => hasAttr(el, name) && CSS.supports("color", attr(el, name))) && !NO_PAINT.test(shownPaint(el));
}

/** Marks the parts of a container that listens for them, so that they are listed; returns them. */
function markStatedParts(el) {
  const parts = Array.prototype.slice.call(queryAll(el, STATED_PARTS), 0, MOST_STATED).filter(isStatedPart);
  const named = queryAll(el, SWATCHES);
  if (named.length >= LEAST_SWATCHES && named.length <= MOST_SWATCHES) {
    const swatches = Array.prototype.filter.call(named, isSwatch);
    if (swatches.length >= LEAST_SWATCHES) parts.push(...swatches);
  }
  for (const one of parts) itemAt.set(one, walkCount);
  return parts;
}

const STATED_OF_CELL = "[title],[aria-label],[data-date],[data-day],[data-time],[data-value],[tabindex],[role]";

/** Reports whether a cell is a blank one among the days of a calendar: it shows and states nothing, and nothing listens on it. */
function isBlankDay(el) {
  if (firstElementChild(el) !== null || clean(textContent(el)) !== "" || classesOf(el).length === 0 || matches(el, STATED_OF_CELL) || reactsItself(el)) return false;
  const { rows } = closest(el, "table") ?? {};
  if (rows === undefined || rows.length > MOST_WEEKS) return false;
  const days = new Set(Array.from(rows, (row) => Array.from(row.cells)).flat().filter((other) => isDayBeside(other, el)).map((other) => Number(contentName(other))));
  for (let day = 1; day <= SHORTEST_MONTH; day++) if (!days.has(day)) return false;
  return !drawsMark(el) && styleOf(el).backgroundImage === "none";
}

const MOST_BESIDE_OFF = 6;

/** Reports whether others like an element have the cursor of what reacts, so that it is switched off among them. */
function isOffBesideOn(el) {
  let left = MOST_BESIDE_OFF;
  for (const step of [previousElement, nextElement]) {
    for (let other = step(el); other !== null && left-- > 0; other = step(other)) if (isAlike(other, el) && hasPointer(other)) return true;
  }
  return false;
}

/** Reports whether an element says that it is selected; own elements may do so by the attribute alone, as native ones do. */
function isSaidSelected(el, tag) {
  const said = attr(el, "aria-selected");
  return said === "true" || (said === "" && tag.includes("-"));
}
