// Ratings by stars and hearts: whether one is full, how many are, and radios whose labels are stars.

const FULL_STAR = /(?:^|[-_])(?:full|fill(?:ed)?|solid|active|on|selected|checked|rated)$/i;
const EMPTY_STAR = /(?:^|[-_])(?:empty|zero|off|outlined?|border|o|blank|inactive|unselected)$/i;
const HALF_STAR = /(?:^|[-_])half$/i;
const MOST_IN_STAR = 6;

/** Returns what classes say of a star: "full", "half", "empty" or "". */
function fillingIn(classes) {
  if (classes.some((name) => HALF_STAR.test(name))) return "half";
  const [full, empty] = [FULL_STAR, EMPTY_STAR].map((words) => classes.some((name) => words.test(name)));
  return full === empty ? "" : full ? "full" : "empty";
}

const classesWithin = (el) => [el, ...Array.prototype.slice.call(queryAll(el, "[class]"), 0, MOST_IN_STAR)].flatMap(classesOf);

/** Reports whether a class of an element, or of what is right around or in it, speaks of a rating. */
const isCalledRated = (el) => [el, parentElement(el), firstElementChild(el)].some((part) => part !== null && RATED.test(attr(part, "class") ?? ""));

/** Returns what tells a star from the others of its rating: its own class, or that of the only icon in it; "" if nothing does. */
function fillingOfStar(el) {
  if (!isCalledRated(el) || !isSymbol(contentName(el)) || placeInRating(el) === "") return "";
  for (const told of [classesOf, classesWithin]) {
    const own = fillingIn(told(el));
    const others = [previousElement(el), nextElement(el)].filter((one) => one !== null && localName(one) === localName(el)).map((one) => fillingIn(told(one)));
    if (own !== "" && (told === classesOf || queryAll(el, "svg,i").length < 2)) return own;
    if (others.includes("full") || others.includes("half")) return "empty";
    if (others.includes("empty")) return "full";
  }
  return "";
}

/** Returns whether a star of a rating is full; null for other elements. */
function starState(el) {
  const filling = fillingOfStar(el);
  return filling === "" ? null : filling === "full";
}

const isHalfStar = (el) => fillingOfStar(el) === "half";

const CLIPPED = /hidden|clip/;
const MOST_LAYERS = 12;
const MOST_IN_RATING = 3;
const isStarShape = (el) => RATING_SYMBOLS.test(contentName(el)) || (contentName(el) === "" && /^(?:svg|i|span|img)$/.test(localName(el)));

/** Returns the number of stars that a text consists of; 0 if it has anything else. */
function starsOfText(text) {
  const stars = [...text.replace(/[\s\ufe0f]/g, "")];
  return stars.every((one) => RATING_SYMBOLS.test(one)) ? stars.length : 0;
}

/** Returns how many stars of a layer there are: as elements or as symbols in a row; 0 if it has anything else. */
function starsInLayer(el) {
  const shapes = Array.from(childrenOf(el));
  const isRow = shapes.length >= LEAST_RATING && shapes.every((one) => isStarShape(one) && localName(one) === localName(shapes[0]));
  const count = isRow ? shapes.length : starsOfText(contentName(el));
  return count >= LEAST_RATING && count <= MOST_RATING ? count : 0;
}

/** Returns the element with as many stars that a layer of full ones lies over: one beside it, or the one around it; or null. */
function layerBelow(above, count) {
  for (const beside of [previousElement(above), nextElement(above)]) if (beside !== null && starsInLayer(beside) === count) return beside;
  const around = parentElement(above);
  return around !== null && childElementCount(around) === 1 && starsInText(around) === count ? around : null;
}

/** Returns the stars of a rating whose full stars are a layer above as many empty ones, cut off where they end: "3.5 of 5"; or null. */
function layersOfStars(el) {
  if (childElementCount(el) > MOST_IN_RATING || !isSymbol(contentName(el)) || query(el, CONTROLS) !== null) return null;
  const parts = queryAll(el, ":not(svg,svg *)");
  for (let i = 0; i < parts.length && i < MOST_LAYERS; i++) {
    const above = parts[i];
    const style = styleOf(above);
    if (style.position !== "absolute" || !CLIPPED.test(style.overflowX)) continue;
    const count = starsInLayer(above);
    const below = count === 0 ? null : layerBelow(above, count);
    const whole = below === null ? 0 : rectOf(below).width;
    if (whole > 0) return `${Math.round(Math.min(1, rectOf(above).width / whole) * count * 10) / 10} of ${count}`;
  }
  return null;
}

/** Returns the number of stars in the text of an element itself, without that of others in it. */
function starsInText(el) {
  let text = "";
  for (let node = firstChild(el); node !== null; node = nextSibling(node)) if (nodeType(node) === 3) text += textData(node);
  return starsOfText(text);
}

/** Adds the state of a rating whose stars are drawn in two layers, and mutes those. */
function tellRating(el, page, ctx) {
  const rated = layersOfStars(el);
  if (rated === null) return;
  page.addText(` ★ ${rated} `, el, ctx.clip);
  ctx.mute = true;
}

/** Returns the place of a radio among those of its group, if their labels show pictures only: "2 of 5"; "" for others. */
function placeInRadios(el) {
  const group = attr(el, "name");
  if (!isNativeBox(el) || inputType(el) !== "radio" || !group) return "";
  const named = queryAll(closest(el, "form,fieldset") ?? getRootNode(el), `input[name="${CSS.escape(group)}"]`);
  if (named.length > 2 * MOST_RATING) return "";
  const all = Array.prototype.filter.call(named, (one) => inputType(one) === "radio" && attr(one, "value") !== "" && attr(one, "value") !== "0");
  if (all.length < LEAST_RATING || all.length > MOST_RATING || !all.includes(el)) return "";
  const isPictured = (one) => labelElementsOf(one).some((label) => isSymbol(contentName(label)) && (RATING_SYMBOLS.test(contentName(label)) || query(label, "svg,i,img") !== null));
  if (!all.every(isPictured)) return "";
  const numbers = all.map((one) => Number(attr(one, "value")));
  if (numbers.some(Number.isNaN)) return "";
  // Stars may stand in the page in reverse.
  return `${numbers.every((one) => one >= 1 && one <= all.length) ? Number(attr(el, "value")) : all.indexOf(el) + 1} of ${all.length}`;
}
