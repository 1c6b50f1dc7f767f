// Fields that list only what fits their text (autocompletes, suggestions): the wanted option is typed and then chosen
// among what shows, whether or not the page says that it is a list.

/** Milliseconds within which a list that was opened shows options by itself. */
const SHOWS_UNASKED = 600;
/** Milliseconds within which typed text brings options; a caller waits two seconds for all. */
const FOUND_WITHIN = [850, 400];
/** Milliseconds for which an option must stand: lists are drawn anew with each answer. */
const STANDS_FOR = 80;
const MOST_ARRIVED = 2000;
const SEARCHED_ITEMS = "[role=option],[role=menuitem],li,a,button,div,span,td";

/** Times at which lists without options were first asked for some, after they were opened. */
const askedSince = new WeakMap();

const canSearch = (el) => localName(el) === "input" && isEditable(el, "input") && /^(?:text|search)$/.test(inputType(el)) && !isSecret(el) && !isDisabled(el);

/** Reports whether a list that was opened has had the time to show options. */
function hasBeenAsked(el) {
  const now = performance.now();
  if (now - (askedSince.get(el) ?? -Infinity) > OPENED_FOR) askedSince.set(el, now);
  return now - askedSince.get(el) >= SHOWS_UNASKED;
}

/** Milliseconds after which a list counts as opened anew. */
const OPENED_FOR = 5000;

const LISTS_MATCHES = /^(?:list|both)$/;

/** Types what is wanted if a list shows other options: it may show the ones of before, or those that are asked for most. */
async function searchIfMissing(el, list, answer) {
  const found = await answer;
  return found.error?.code === "no_option" && list.length === 1 ? pickBySearch(el, list) : found;
}

/** Types what is wanted, all of it or else its first word, and returns what to click, as `pick` does. */
async function pickBySearch(el, list) {
  if (list.length !== 1) return failed("one_option", "this field takes one of its suggestions");
  askedSince.delete(el);
  const wanted = clean(list[0]);
  const [first] = wanted.split(/[\s,(]/);
  const arrivals = new Arrivals(el);
  try {
    for (const [at, text] of [wanted, first].entries()) {
      if (at > 0 && (text === "" || text === wanted)) break;
      typeForOptions(el, text);
      const found = await awaitOption(el, wanted, arrivals, FOUND_WITHIN[at]);
      if (found !== null) return found;
    }
    const { error } = noOption(wanted, optionsAfterTyping(el, arrivals).slice(0, 30).map(optionName));
    return failed(error.code, `${error.message}; it was typed into the field, and stands there`);
  } finally {
    arrivals.stop();
  }
}

/** Replaces the text of a field as keys do, so that the page looks for options. */
function typeForOptions(el, text) {
  el.focus({ preventScroll: true });
  HTMLInputElement.prototype.select.call(el);
  const key = { key: text.slice(-1), bubbles: true, composed: true, cancelable: true };
  dispatchTo(el, new KeyboardEvent("keydown", key));
  if (!ownerDocument(el).execCommand("insertText", false, text)) {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(el, text);
    el.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  }
  dispatchTo(el, new KeyboardEvent("keyup", key));
}

/** Resolves to what to click once an option of this name stands still, or to null after a time. */
async function awaitOption(el, wanted, arrivals, longest) {
  const began = performance.now();
  let [last, since] = [null, began];
  while (performance.now() - began < longest) {
    await nextFrame();
    const option = bestOption(optionsAfterTyping(el, arrivals), wanted, wordsOfOption, true);
    const now = performance.now();
    if (option !== last) [last, since] = [option, now];
    if (option === null || now - since < STANDS_FOR) continue;
    if (isDisabled(option)) return failed("disabled", `the option '${optionName(option)}' is disabled`);
    const eid = spareEid(option);
    return eid === 0 ? null : { click: [eid], selected: [optionName(option)] };
  }
  return null;
}

/** Returns the options that show now: those of the list that the field names, else the innermost ones that have come. */
function optionsAfterTyping(el, arrivals) {
  const { shown } = listOf(el, roleOf(el), null);
  return shown.length > 0 ? shown : arrivals.items();
}

/** Elements that have come or been changed since the typing began. */
class Arrivals {
  constructor(el) {
    this.field = el;
    this.changed = new Set();
    this.observer = new MutationObserver((records) => this.note(records));
    for (const root of allRoots()) this.observer.observe(root, { childList: true, attributes: true, subtree: true });
  }

  note(records) {
    for (const { type, target, addedNodes } of records) {
      const nodes = type === "childList" ? addedNodes : [target];
      for (let i = 0; i < nodes.length && this.changed.size < MOST_ARRIVED; i++) if (nodeType(nodes[i]) === 1) this.changed.add(nodes[i]);
    }
  }

  /** Returns the innermost of them that show words, roles of options first. */
  items() {
    this.note(this.observer.takeRecords());
    const all = new Set();
    for (const el of this.changed) {
      if (!isConnected(el) || contains(el, this.field) || !isShown(el)) continue;
      if (matches(el, SEARCHED_ITEMS)) all.add(el);
      const inner = queryAll(el, SEARCHED_ITEMS);
      for (let i = 0; i < inner.length && all.size < MOST_ARRIVED; i++) all.add(inner[i]);
    }
    const shown = [...all].filter((el) => isShown(el) && contentName(el) !== "");
    const options = shown.filter((el) => matches(el, "[role=option],[role=menuitem]"));
    return options.length > 0 ? options : shown.filter((el) => childElementCount(el) === 0 || matches(el, "li"));
  }

  stop() {
    this.observer.disconnect();
  }
}
