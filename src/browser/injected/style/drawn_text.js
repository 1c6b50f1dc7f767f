// Words that style sheets draw before and after the content of elements: prices, "required", "Sold out".

/** Elements that may have drawn words, of the observations so far; their style tells. */
const drawnBefore = new WeakSet();
const drawnAfter = new WeakSet();
let someDrawn = false;
/** Elements of each document and shadow root that may have drawn words, as of the last observation. */
const drawingIn = new WeakMap();
/** Documents and shadow roots whose rules were applied in an observation, with its number. */
const styledAt = new WeakMap();

/** Candidates for drawn words where a sheet of another site cannot be read. */
const PLAIN_ELEMENTS = ":empty:not(br,hr,img,input,textarea,select,iframe,canvas,video,script,link,meta,path,use,col,svg *),label,legend,[class*=price],[class*=badge],[class*=status],[class*=require]";
const MOST_GUESSED = 250;

/** Finds the elements of a document or shadow root that draw words or show something under the pointer, once for each observation. */
function applyRules(root) {
  if (styledAt.get(root) === observationCount) return;
  styledAt.set(root, observationCount);
  const rules = rulesOf(root);
  const drawing = new Set();
  for (const [selectors, found] of [[rules.before, drawnBefore], [rules.after, drawnAfter]]) {
    if (selectors.length === 0) continue;
    for (const el of queryAll(root, [...new Set(selectors)].slice(0, MOST_SELECTORS).join())) {
      found.add(el);
      drawing.add(el);
    }
    if (nodeType(root) === 11 && selectors.some((one) => one.startsWith(":host"))) found.add(hostOf(root));
  }
  if (rules.closed) addGuessed(root, drawing);
  if (drawing.size > 0) someDrawn = true;
  drawingIn.set(root, drawing);
  const numbered = rules.numbered.length === 0 ? [] : queryAll(root, rules.numbered.slice(0, MOST_SELECTORS).join());
  if (numbered.length > 0) countIn(root, numbered);
  noteHovers(root, rules.hovers);
  notePointed(root, rules.pointed);
  noteEditors(root);
  someLists ||= queryAll(root, "select").length > 0;
}

function addGuessed(root, drawing) {
  let left = MOST_GUESSED;
  for (const el of queryAll(root, PLAIN_ELEMENTS)) {
    if (drawing.has(el)) continue;
    if (left-- <= 0) break;
    drawing.add(el);
    drawnBefore.add(el);
    drawnAfter.add(el);
  }
}

const drawnWordsBefore = (el) => (someDrawn && drawnBefore.has(el) ? markerWords(el) + drawnWords(el, "::before") : "");
const drawnWordsAfter = (el) => (someDrawn && drawnAfter.has(el) ? drawnWords(el, "::after") : "");
const isDrawnOn = (el) => someDrawn && (drawnBefore.has(el) || drawnAfter.has(el));

/** Returns the words that style draws as the mark of a list item. */
function markerWords(el) {
  if (localName(el) !== "li" && localName(el) !== "summary") return "";
  const { content } = getComputedStyle(el, "::marker");
  const text = WRITTEN.test(content) ? contentWords(content, el, "::marker") : "";
  return ORNAMENT.test(text) ? "" : ` ${text} `;
}

/** Matches values of `content` with more than symbols of an icon font. */
const WRITTEN = /["(].*[^"\s\ue000-\uf8ff]|\(/;

/** Matches marks between and around words, which say nothing. */
const ORNAMENT = /^[\s/|·•›❯❮»«‹→←↗↘⟶–—\-,:;."“”„‘’'<>\\]*$/;

const CALLED_ICON = /(?:^|[\s_-])icons?(?:[\s_-]|$)/i;
const ONE_LETTER = /^\s*\p{L}\s*$/u;

/** Reports whether a letter stands for an icon, by its font or by what the element is called. */
const isIconLetter = (text, el, font) => (LONE_LETTER.test(text) && ICON_FONT.test(font)) || (ONE_LETTER.test(text) && CALLED_ICON.test(attr(el, "class") ?? ""));

/** Returns the words that style draws at one place of an element, spaced as they are drawn. */
function drawnWords(el, place) {
  const style = getComputedStyle(el, place);
  const isQuote = LONE_QUOTE.test(style.content);
  if (!isQuote && !WRITTEN.test(style.content)) return "";
  if (style.display === "none" || style.visibility !== "visible" || style.opacity === "0" || style.fontSize === "0px") return "";
  const text = contentWords(style.content, el, place);
  if (isQuote) return isFlowing(style) ? text : "";
  if (ORNAMENT.test(text) || isIconLetter(text, el, style.fontFamily)) return "";
  return isFlowing(style) && !style.content.includes("url(") ? text : ` ${text} `;
}

/** Reports whether drawn words stand in one line with those beside them, without a gap. A quotation mark apart is an ornament. */
const isFlowing = (style) => style.display === "inline" && style.position === "static" && ![style.marginLeft, style.marginRight].some((side) => Number.parseFloat(side) > 1);

/** Returns the words of a value of `content`; its alternative text (`"x" / "words"`) if it has one. */
function contentWords(content, el, place) {
  const written = withCounters(withQuotes(content, el), el, place)
    .replace(/attr\(\s*([\w-]+)[^)]*\)/g, (_, name) => JSON.stringify(attr(el, name) ?? ""))
    .replace(/url\("(?:[^"\\]|\\.)*"\)/g, "");
  const [, shown, other] = /^((?:"(?:[^"\\]|\\.)*"|[^"/])*)(?:\/(.*))?$/s.exec(written) ?? [null, written, undefined];
  const quoted = [...(other ?? shown).matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((part) => part[1].replace(/\\(.)/g, "$1"));
  return quoted.join("").replace(PRIVATE_USE, "");
}

const MOST_DRAWN_PARTS = 6;

/** Returns the words that style draws into an element without any other, hidden ones too. */
function drawnName(el) {
  let text = "";
  const inner = queryAll(el, "*");
  for (let i = -1; i < inner.length && i < MOST_DRAWN_PARTS; i++) {
    const part = i < 0 ? el : inner[i];
    for (const place of ["::before", "::after"]) {
      const { content, fontFamily } = getComputedStyle(part, place);
      const written = /["(]/.test(content) ? contentWords(content, part, place) : "";
      if (written !== "" && !isIconLetter(written, part, fontFamily)) text += ` ${written}`;
    }
  }
  return text.trim();
}

const LEAST_GAP = 4;

/** Reports whether an element in a line stands apart from the words before it: by its style, or as a key behind a word. */
function standsApart(el, tag, parts) {
  const style = styleOf(el);
  if (!style.display.startsWith("inline") || style.display === "inline-block") return true;
  return (tag === "kbd" && /[\p{L}\p{N}]$/u.test(parts.text)) || Number.parseFloat(style.marginLeft) >= LEAST_GAP || Number.parseFloat(style.paddingLeft) >= LEAST_GAP * 2;
}
