// CSS counters and quotation marks: values at the elements that draw them. No script can read them from the browser, so they are counted
// again, over the elements that count only.

const MOST_COUNTING = 4000;

/** Texts of counters by element and place, of the last observation. */
let counted = new WeakMap();

/** Counts over the elements of a document that may reset, set or increment a counter. */
function countIn(root, numbered) {
  const all = new Set(numbered);
  countsItems = numbered.length <= MOST_COUNTING && Array.prototype.some.call(numbered, drawsItemNumber);
  for (const el of queryAll(root, countingSelector(root) + (countsItems ? ",ol,ul,menu,li" : ""))) all.add(el);
  if (all.size > MOST_COUNTING) return;
  const inOrder = [...all].sort((a, b) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
  const scopes = new Map();
  const waiting = [];
  const endBefore = (el) => {
    while (waiting.length > 0 && (el === null || !contains(waiting.at(-1), el))) countPlace(waiting.pop(), "::after", scopes);
  };
  for (const el of inOrder) {
    endBefore(el);
    const style = getComputedStyle(el);
    if (countsItems) countItems(el, style, scopes);
    countElement(el, style, scopes);
    if (localName(el) === "li") countPlace(el, "::marker", scopes);
    countPlace(el, "::before", scopes);
    waiting.push(el);
  }
  endBefore(null);
}

/** True while the numbers of list items are counted, which lists reset and items increment without any rule. */
let countsItems = false;
const ITEM_COUNTER = /counters?\(\s*list-item\b/;
const COUNTED_LISTS = words("ol ul menu");

const drawsItemNumber = (el) => ["::before", "::after", "::marker"].some((place) => ITEM_COUNTER.test(getComputedStyle(el, place).content));

/** Resets, increments or sets the number of list items as an element does by itself, unless a rule says otherwise. */
function countItems(el, style, scopes) {
  const isStated = (text) => pairsOf(text).some(([name]) => name === "list-item");
  const parent = parentNode(el);
  if (COUNTED_LISTS.has(localName(el)) && !isStated(style.counterReset)) {
    const first = Number.parseInt(attr(el, "start") ?? "", 10);
    const value = hasAttr(el, "reversed") ? (Number.isNaN(first) ? Array.prototype.filter.call(childrenOf(el), (one) => localName(one) === "li").length : first) + 1 : (Number.isNaN(first) ? 1 : first) - 1;
    const stack = scopeAt(scopes, "list-item", el);
    if (stack.at(-1)?.parent === parent) stack.pop();
    stack.push({ parent, value });
  }
  if (style.display !== "list-item") return;
  const stack = scopeAt(scopes, "list-item", el);
  if (stack.length === 0) stack.push({ parent, value: 0 });
  if (!isStated(style.counterIncrement)) stack.at(-1).value += parent !== null && nodeType(parent) === 1 && localName(parent) === "ol" && hasAttr(parent, "reversed") ? -1 : 1;
  const own = localName(el) === "li" ? Number.parseInt(attr(el, "value") ?? "", 10) : Number.NaN;
  if (!Number.isNaN(own)) stack.at(-1).value = own;
}

const countingSelectors = new WeakMap();

/** Returns the selectors of all rules that count, as one list. */
function countingSelector(root) {
  const sheets = sheetsOf(root);
  const key = sheets[0];
  const size = sheets.reduce((sum, sheet) => sum + (rulesBySheet.get(sheet)?.count ?? 0), sheets.length);
  const known = key && countingSelectors.get(key);
  if (known?.size === size) return known.text;
  const found = ["[style*=counter-]"];
  const search = (list, outer, depth) => {
    for (let i = 0; i < list.length && i < MOST_RULES; i++) {
      const rule = list[i];
      const selector = rule.selectorText === undefined || outer === "" ? rule.selectorText ?? outer : nested(rule.selectorText, outer);
      const { style } = rule;
      if (style && selector && (style.counterIncrement || style.counterReset || style.counterSet)) {
        for (const one of splitSelectors(selector)) {
          const plain = one.replace(GENERATED, "") || "*";
          if (isSelector(plain)) found.push(plain);
        }
      }
      if (rule.cssRules?.length > 0 && depth < 12) search(rule.cssRules, selector ?? outer, depth + 1);
    }
  };
  for (const sheet of sheets) if (rulesBySheet.has(sheet)) search(sheet.cssRules, "", 0);
  const text = found.slice(0, MOST_SELECTORS).join();
  if (key) countingSelectors.set(key, { size, text });
  return text;
}

/** Parses "a 1 b 2" into pairs. */
const pairsOf = (text) => (text === "none" ? [] : [...text.matchAll(/(?:reversed\()?([\w-]+)\)? (-?\d+)/g)].map((part) => [part[1], Number(part[2])]));

function countElement(el, style, scopes) {
  const parent = parentNode(el);
  for (const [name, value] of pairsOf(style.counterReset)) {
    const stack = scopeAt(scopes, name, el);
    if (stack.at(-1)?.parent === parent) stack.pop();
    stack.push({ parent, value });
  }
  const change = (name, update) => {
    const stack = scopeAt(scopes, name, el);
    if (stack.length === 0) stack.push({ parent, value: 0 });
    stack.at(-1).value = update(stack.at(-1).value);
  };
  for (const [name, by] of pairsOf(style.counterIncrement)) change(name, (value) => value + by);
  for (const [name, to] of pairsOf(style.counterSet)) change(name, () => to);
}

/** Returns the counters of a name whose scope the element is in, the innermost last. */
function scopeAt(scopes, name, el) {
  let stack = scopes.get(name);
  if (stack === undefined) scopes.set(name, (stack = []));
  while (stack.length > 0 && stack.at(-1).parent !== null && !contains(stack.at(-1).parent, el)) stack.pop();
  return stack;
}

function countPlace(el, place, scopes) {
  const style = getComputedStyle(el, place);
  if (style.content === "none" || style.content === "normal") return;
  countElement(el, style, scopes);
  if (!style.content.includes("counter")) return;
  const values = new Map();
  for (const [, name] of style.content.matchAll(/counters?\(\s*([\w-]+)/g)) values.set(name, scopeAt(scopes, name, el).map((one) => one.value));
  const known = counted.get(el) ?? {};
  known[place] = values;
  counted.set(el, known);
}

const COUNTER = /counter(s?)\(\s*([\w-]+)\s*(?:,\s*"((?:[^"\\]|\\.)*)"\s*)?(?:,\s*([\w-]+)\s*)?\)/g;

/** Replaces counters in the value of `content` by their texts in quotes. */
const withCounters = (content, el, place) => content.replace(COUNTER, (_, many, name, between = "", style = "decimal") => {
  const values = counted.get(el)?.[place]?.get(name) ?? [];
  const shown = (many ? values : values.slice(-1)).map((value) => counterText(value, style));
  return `"${shown.join(between)}"`;
});

const ROMAN = [[1000, "m"], [900, "cm"], [500, "d"], [400, "cd"], [100, "c"], [90, "xc"], [50, "l"], [40, "xl"], [10, "x"], [9, "ix"], [5, "v"], [4, "iv"], [1, "i"]];

/** Letters and digits of the counter styles that write with other ones. */
const COUNTER_LETTERS = {
  "lower-greek": "αβγδεζηθικλμνξοπρστυφχψω", hiragana: "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわゐゑをん",
  katakana: "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヰヱヲン",
};
const COUNTER_DIGITS = { "arabic-indic": "٠١٢٣٤٥٦٧٨٩", persian: "۰۱۲۳۴۵۶۷۸۹", devanagari: "०१२३४५६७८९", bengali: "০১২৩৪৫৬৭৮৯", thai: "๐๑๒๓๔๕๖๗๘๙", "cjk-decimal": "〇一二三四五六七八九" };
const LATIN_LETTERS = "abcdefghijklmnopqrstuvwxyz";

function counterText(value, style) {
  const upper = style.startsWith("upper-");
  const raise = (text) => (upper ? text.toUpperCase() : text);
  if (style === "none" || /^(?:disc|circle|square|disclosure-(?:open|closed))$/.test(style)) return "";
  if (style === "decimal-leading-zero") return String(value).padStart(2, "0");
  if (COUNTER_DIGITS[style] !== undefined) return String(value).replace(/\d/g, (digit) => COUNTER_DIGITS[style][Number(digit)]);
  if (value < 1 || value > 3999) return String(value);
  if (style.endsWith("-roman")) {
    let text = "";
    for (const [size, letters] of ROMAN) for (; value >= size; value -= size) text += letters;
    return raise(text);
  }
  const letters = COUNTER_LETTERS[style] ?? (/-(?:alpha|latin)$/.test(style) ? LATIN_LETTERS : "");
  if (letters === "") return String(value);
  let text = "";
  for (let left = value; left > 0; left = Math.floor((left - 1) / letters.length)) text = letters[(left - 1) % letters.length] + text;
  return raise(text);
}

const LONE_QUOTE = /^(?:open|close)-quote$/;
/** Quotation marks by language, outer and inner ones. */
const QUOTES_OF = { uk: "«»„“", ru: "«»„“", fr: "«»«»", es: "«»“”", it: "«»“”", pl: "„”«»", de: "„“‚‘", cs: "„“‚‘" };

/** Replaces quotation marks in the value of `content` by their texts in quotes. */
const withQuotes = (content, el) => (content.includes("-quote") ? content.replace(/"(?:[^"\\]|\\.)*"|(?:no-)?(?:open|close)-quote/g, (part) => (part.startsWith('"') ? part : quotationMark(el, part))) : content);

function quotationMark(el, part) {
  if (part.startsWith("no-")) return '""';
  const own = [...getComputedStyle(el).quotes.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((found) => found[1]);
  const language = (attr(closest(el, "[lang]") ?? el, "lang") ?? "").slice(0, 2).toLowerCase();
  const marks = own.length > 1 ? own : Array.from(QUOTES_OF[language] ?? "“”‘’");
  let depth = 0;
  for (let node = drawnParent(el); node !== null; node = drawnParent(node)) if (drawnBefore.has(node) && getComputedStyle(node, "::before").content.includes("open-quote")) depth++;
  return JSON.stringify(marks[Math.min(2 * depth, marks.length - 2) + (part === "open-quote" ? 0 : 1)] ?? "");
}
