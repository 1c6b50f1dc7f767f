// Status words: what a page itself says of an action, in live regions, in toasts and by its heading.

const STATUS_REGIONS = "[role=alert],[role=status],[aria-live=polite],[aria-live=assertive],output";
/** Words in classes of messages that come and go. */
const TOAST_CLASS = /(?:^|[\s_-])(?:toasts?|toaster|snackbar|flash|notices?|notifications?|messagelist|messages?-?(?:success|error|info|warning)|alert-?(?:success|danger|error|info|warning)?)(?:$|[\s_-])/i;
const TOASTS = '[class*="toast" i],[class*="snackbar" i],[class*="flash" i],[class*="notice" i],[class*="notification" i],[class*="message" i],[class*="alert" i]';
const MOST_REGIONS = 60;
const MOST_SAID = 2;
const LONGEST_SAID = 120;
const LONGEST_REGION = 300;

/** Returns the live regions of documents and shadow roots that show words: their words by element. */
function statusRegions(all) {
  const found = new Map();
  for (const root of all) {
    const regions = queryAll(root, STATUS_REGIONS);
    for (let i = 0; i < regions.length && found.size < MOST_REGIONS; i++) {
      const words = statusWords(regions[i]);
      if (words !== "") found.set(regions[i], words);
    }
  }
  return found;
}

/** Returns the words of a message; empty for one that shows none, more than a message has, or that something is loading. */
function statusWords(el) {
  if (!isShown(el) || isSecret(el) || textContent(el).length > 20 * LONGEST_REGION || query(el, "input,select,textarea") !== null) return "";
  const words = clean(visibleText(el, LONGEST_REGION + 1));
  return words.length > LONGEST_REGION || !/\p{L}{2}/u.test(words) || LOADING_TEXT.test(words) ? "" : words;
}

/** Returns the words of the main headings that show. */
function mainHeadings(all) {
  const found = new Set();
  for (const root of all) {
    const headings = queryAll(root, "h1,h2,[role=heading][aria-level='1'],[role=heading][aria-level='2']");
    for (let i = 0; i < headings.length && i < MOST_REGIONS; i++) if (isShown(headings[i])) found.add(clean(visibleText(headings[i], LONGEST_REGION)));
  }
  return found;
}

/** Returns the elements that say something now which they did not say before: their words by element. */
function newStatusWords(all, before, added) {
  const now = statusRegions(all);
  for (const el of added) {
    if (!isLive(el) || now.size >= MOST_REGIONS) continue;
    const inner = [el, ...Array.from(queryAll(el, TOASTS)).slice(0, MOST_REGIONS)];
    for (const one of inner) {
      const words = !now.has(one) && TOAST_CLASS.test(attr(one, "class") ?? "") ? statusWords(one) : "";
      if (words !== "") now.set(one, words);
    }
  }
  // A region that was drawn anew says what the one in its place said.
  const went = [...before].filter(([el]) => !isConnected(el)).map(([, words]) => words);
  const said = new Map();
  for (const [el, words] of now) {
    const at = went.indexOf(words);
    if (before.get(el) === words) continue;
    if (at >= 0 && !before.has(el)) went.splice(at, 1);
    else said.set(el, words);
  }
  return innermostWords(said);
}

/** Leaves out what only repeats the words of something in it. */
function innermostWords(said) {
  const kept = new Map();
  for (const [el, words] of said) {
    if (![...said].some(([other, same]) => other !== el && same === words && contains(el, other))) kept.set(el, words);
  }
  return kept;
}

const toldWords = (said) => [...new Set(said.values())].slice(0, MOST_SAID).map((words) => cut(words, LONGEST_SAID));

/** Returns what a document says that an action has loaded: messages stand in it from the beginning. */
function traceOfNewDocument() {
  const body = bodyOf(document);
  return { says: body === null ? [] : toldWords(newStatusWords(allRoots(), new Map(), [body])) };
}

/** Returns the first words of what appeared; a mere number after those before it in its line. */
function wordsOfNew(el) {
  const words = openingWords(el);
  if (words === "" || /\p{L}/u.test(words) || isSecret(el)) return words;
  let before = "";
  for (let node = previousSibling(el), steps = 0; node !== null && steps < 10; node = previousSibling(node), steps++) {
    if (nodeType(node) === 3) before = textData(node) + before;
    else if (nodeType(node) === 1 && INLINE.has(localName(node)) && !isSecretRich(node)) before = textContent(node) + before;
    else break;
  }
  return cut(clean(`${before} ${words}`), MOST_WORDS);
}
