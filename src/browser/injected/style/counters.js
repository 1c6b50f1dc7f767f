// CSS counters: values at the elements that draw them. No script can read them from the browser, so they are counted
// again, over the elements that count only.

const MOST_COUNTING = 4000;

/** Texts of counters by element and place, of the last observation. */
let counted = new WeakMap();

/** Counts over the elements of a document that may reset, set or increment a counter. */
function countIn(root, numbered) {
  const all = new Set(numbered);
  for (const el of queryAll(root, countingSelector(root))) all.add(el);
  if (all.size > MOST_COUNTING) return;
  const inOrder = [...all].sort((a, b) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
  const scopes = new Map();
  const waiting = [];
  const endBefore = (el) => {
    while (waiting.length > 0 && (el === null || !contains(waiting.at(-1), el))) countPlace(waiting.pop(), "::after", scopes);
  };
  for (const el of inOrder) {
    endBefore(el);
    countElement(el, getComputedStyle(el), scopes);
    countPlace(el, "::before", scopes);
    waiting.push(el);
  }
  endBefore(null);
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

function counterText(value, style) {
  const upper = style.startsWith("upper-");
  const raise = (text) => (upper ? text.toUpperCase() : text);
  if (style === "none" || /^(?:disc|circle|square)$/.test(style)) return "";
  if (style === "decimal-leading-zero") return String(value).padStart(2, "0");
  if (value < 1 || value > 3999) return String(value);
  if (style.endsWith("-roman")) {
    let text = "";
    for (const [size, letters] of ROMAN) for (; value >= size; value -= size) text += letters;
    return raise(text);
  }
  if (!/-(?:alpha|latin)$/.test(style)) return String(value);
  let text = "";
  for (let left = value; left > 0; left = Math.floor((left - 1) / 26)) text = String.fromCharCode(97 + ((left - 1) % 26)) + text;
  return raise(text);
}
