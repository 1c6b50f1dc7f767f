// Rules of style sheets that draw words or show something under the pointer. Their selectors find the few elements
// that need a closer look: asking for the style of `::before` costs more than the whole walk if it is done for each.

const GENERATED = /::?(?:before|after|marker)$/;
const PRIVATE_USE = /\p{Co}/gu;
/** Properties by which a rule shows something that was hidden. */
const SHOWING = ["display", "visibility", "opacity", "height", "max-height", "width", "transform", "clip-path", "left", "right"];
const MOST_RULES = 20000;
const MOST_SELECTORS = 400;

const RULE_LISTS = ["before", "after", "numbered", "hovers", "pointed"];
/**
 * Rules of a sheet: {count, last, before, after, numbered, hovers, pointed, closed}. `numbered` are selectors that draw
 * counters, `pointed` those of what has a cursor of POINTERS under the pointer only.
 */
const rulesBySheet = new WeakMap();
/** True once a rule has been read by which fingers do not scroll something, since scripts move it. */
let someTouchless = false;
const parsing = document.createDocumentFragment();

const sheetsOfDocument = getter(Document.prototype, "styleSheets");
const sheetsOfShadow = getter(ShadowRoot.prototype, "styleSheets");
const adoptedOfDocument = getter(Document.prototype, "adoptedStyleSheets");
const adoptedOfShadow = getter(ShadowRoot.prototype, "adoptedStyleSheets");

const FONT_SHEET = /\/\/fonts?\./;
/** Copies of sheets of other sites by address, which no script can read; Rust passes their texts. */
const copiedSheets = new Map();
const unreadSheets = new Set();
const askedSheets = new Set();
const MOST_COPIED = 20;

/** Returns the addresses of sheets whose texts are to be passed; each once. */
function closedSheets() {
  const wanted = [...unreadSheets].slice(0, MOST_COPIED);
  unreadSheets.clear();
  for (const address of wanted) askedSheets.add(address);
  return wanted;
}

/** Takes the text of a sheet that cannot be read. */
function copySheet(address, text) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  copiedSheets.set(address, sheet);
  return true;
}

/** Returns the sheets of a document or shadow root. */
function sheetsOf(root) {
  const isDocument = nodeType(root) === 9;
  return [...(isDocument ? sheetsOfDocument : sheetsOfShadow)(root), ...(isDocument ? adoptedOfDocument : adoptedOfShadow)(root)];
}

/** Returns the rules of all sheets of a root, in one record. */
function rulesOf(root) {
  const all = { before: [], after: [], numbered: [], hovers: [], pointed: [], closed: false };
  for (const sheet of sheetsOf(root)) {
    const rules = rulesOfSheet(sheet);
    for (const list of RULE_LISTS) if (rules[list].length > 0) all[list].push(...rules[list].slice(0, MOST_SELECTORS));
    all.closed ||= rules.closed;
  }
  return all;
}

function rulesOfSheet(sheet) {
  let list;
  try {
    list = sheet.cssRules;
  } catch {
    const copy = copiedSheets.get(sheet.href);
    if (copy !== undefined) return rulesOfSheet(copy);
    if (sheet.href && !askedSheets.has(sheet.href) && !FONT_SHEET.test(sheet.href)) unreadSheets.add(sheet.href);
    return { before: [], after: [], numbered: [], hovers: [], pointed: [], closed: !FONT_SHEET.test(sheet.href ?? "") };
  }
  const known = rulesBySheet.get(sheet);
  if (known !== undefined && known.count === list.length && known.last === list[list.length - 1]) return known;
  const rules = { count: list.length, last: list[list.length - 1], before: [], after: [], numbered: [], hovers: [], pointed: [], closed: false, left: MOST_RULES };
  readRules(list, "", rules, 0);
  rulesBySheet.set(sheet, rules);
  return rules;
}

function readRules(list, outer, rules, depth) {
  for (let i = 0; i < list.length && rules.left-- > 0; i++) {
    const rule = list[i];
    if (rule.styleSheet) mergeImported(rule.styleSheet, rules);
    const written = rule.selectorText;
    const selector = written === undefined ? outer : outer === "" ? written : nested(written, outer);
    if (written !== undefined) readRule(rule, selector, rules);
    else if (outer !== "" && rule.style) readRule(rule, outer, rules);
    const inner = rule.cssRules;
    if (inner?.length > 0 && depth < 12) readRules(inner, selector, rules, depth + 1);
  }
}

function mergeImported(sheet, rules) {
  const inner = rulesOfSheet(sheet);
  for (const list of RULE_LISTS) rules[list].push(...inner[list]);
  rules.closed ||= inner.closed;
}

/** Returns the selector of a nested rule in full. */
const nested = (selector, outer) => (selector.includes("&") ? selector.replaceAll("&", `:is(${outer})`) : `:is(${outer}) ${selector}`);

function readRule(rule, selector, rules) {
  if (selector.includes(":before") || selector.includes(":after") || selector.includes("::marker")) readGenerated(rule, selector, rules);
  if (selector.includes(":hover")) readHover(rule, plainlyHovered(selector), rules);
  someTouchless ||= rule.style.touchAction === "none";
}

function readGenerated(rule, selector, rules) {
  const { content } = rule.style;
  if (!content || content === "none" || content === "normal" || content.replace(PRIVATE_USE, "").replace(/["'\s\\]/g, "") === "") return;
  for (const one of splitSelectors(selector)) {
    if (!GENERATED.test(one)) continue;
    const plain = one.replace(GENERATED, "");
    const whole = plain === "" || /[\s>+~]$/.test(plain) ? `${plain}*` : plain;
    if (!isSelector(whole)) continue;
    rules[one.endsWith("after") ? "after" : "before"].push(whole);
    if (content.includes("counter")) rules.numbered.push(whole);
  }
}

/** Records what shows under the pointer: {target, host}, selectors of what shows and of what the pointer is over. */
function readHover(rule, selector, rules) {
  const points = POINTERS.has(rule.style.cursor);
  const shows = SHOWING.some((name) => rule.style.getPropertyValue(name) !== "");
  if (!points && !shows) return;
  for (const one of splitSelectors(selector)) {
    if (points) readPointed(one, rules);
    const host = shows ? hoveredPart(one) : "";
    if (host === "") continue;
    const target = withoutHover(one);
    if (isSelector(target) && isSelector(host) && target !== host) rules.hovers.push({ target, host });
  }
}

/** Matches a choice of states with that of the pointer among them: `:is(:hover, :focus-within)`. */
const CHOICE_WITH_HOVER = /:(?:is|where)\((?:[^()]*,)?\s*:hover\s*(?:,[^()]*)?\)/g;

/** Returns a selector in which the pointer is over something, where it was one of several states or excluded. */
const plainlyHovered = (selector) => (selector.includes("(") ? selector.replace(CHOICE_WITH_HOVER, ":hover").replaceAll(":not(:hover)", ":hover") : selector);

const HOVERED = /(?<!\\):hover(?![\w-])/g;
const withoutHover = (selector) => selector.replace(HOVERED, "").replace(/:(?:is|where|not)\(\s*\)/g, "").replace(GENERATED, "");

/** Records the selector of what has another cursor under the pointer. */
function readPointed(selector, rules) {
  const target = withoutHover(selector);
  if (target === selector) return;
  const whole = /[\s>+~]$/.test(target) ? `${target}*` : target;
  if (whole !== "" && !/^(?:\*|html|body|a|button)$/.test(whole) && isSelector(whole)) rules.pointed.push(whole);
}

/** Returns the compound selector with `:hover`, if something other than it is styled; else "". */
function hoveredPart(selector) {
  const at = selector.indexOf(":hover");
  if (at < 0) return "";
  let start = at;
  let depth = 0;
  while (start > 0 && (depth > 0 || !/[\s>+~,(]/.test(selector[start - 1]))) {
    start--;
    if (selector[start] === ")" || selector[start] === "]") depth++;
    else if (selector[start] === "(" || selector[start] === "[") depth--;
  }
  const rest = selector.slice(at + 6);
  if (!/[\s>+~]/.test(rest.replace(/\([^()]*\)/g, "").trimEnd()) && !selector.slice(0, start).endsWith("(")) return "";
  return selector.slice(start, at) + (/^[:.[#][^\s>+~,)]*/.exec(rest)?.[0] ?? "") || "*";
}

/** Splits a list of selectors at its outer commas. */
function splitSelectors(text) {
  if (!text.includes(",")) return [text];
  const parts = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const letter = text[i];
    if (letter === "(" || letter === "[") depth++;
    else if (letter === ")" || letter === "]") depth--;
    else if (letter === "," && depth === 0) {
      parts.push(text.slice(from, i).trim());
      from = i + 1;
    }
  }
  parts.push(text.slice(from).trim());
  return parts;
}

/** Reports whether a text can be queried as a selector. */
function isSelector(text) {
  try {
    parsing.querySelector(text);
    return true;
  } catch {
    return false;
  }
}
