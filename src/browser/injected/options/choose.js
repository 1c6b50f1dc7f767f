// Choosing options: done here in a native list; for a custom list the reply says what to click.

/**
 * Chooses options. Replies for a native list: {ok, selected}. Others: {click: [eid]}, elements to click one after the
 * other; {open: eid}, an element to click before any option is shown; {type: {eid, text}}, for a field with
 * suggestions. `opened` is true after {open}.
 */
function pick(eid, wanted, opened = false) {
  const el = nodeOf(eid);
  if (el === null) return deadEid(eid);
  const list = (Array.isArray(wanted) ? wanted : [wanted]).map(String);
  if (isDisabled(el)) return failed("disabled", "the list is disabled; do first what enables it");
  if (localName(el) === "select") return pickNative(el, list);
  if (localName(el) === "input" && el.list) return pickSuggested(el, eid, list);
  return pickWidget(el, eid, list, opened);
}

function pickNative(el, list) {
  if (list.length !== 1 && !el.multiple) return failed("one_option", "this list takes one option; name one");
  const chosen = [];
  for (const one of list) {
    const option = bestNativeOption(el, one);
    if (option === null) return noOption(one, optionLabels(el).all);
    if (option.error) return option;
    if (isDisabledOption(option)) return failed("disabled", `the option '${optionLabel(option)}' is disabled`);
    chosen.push(option);
  }
  el.focus({ preventScroll: true });
  for (const option of el.options) if (el.multiple) option.selected = chosen.includes(option);
  if (!el.multiple) chosen[0].selected = true;
  settings.set(el, () => chosen.every((option) => option.selected));
  dispatchInputEvents(el);
  return { ok: true, selected: chosen.map(optionLabel) };
}

/** Returns an option's name without the mark of disabled ones, as lines tell it. */
const withoutDisabledMark = (wanted) => (clean(wanted).endsWith(DISABLED_OPTION) ? clean(wanted).slice(0, -DISABLED_OPTION.length) : wanted);

/** Finds an option of a native list by its label, with or without that of its group, or by its value. */
function bestNativeOption(el, wanted) {
  const options = Array.from(el.options);
  const plain = withoutDisabledMark(wanted);
  const grouped = bestOption(options, plain, (item) => [optionLabel(item), ""], true);
  if (grouped !== null) return grouped;
  const found = bestOption(options, plain, (item) => [item.label, item.value]);
  if (found === null || found.value === plain) return found;
  const alike = options.filter((item) => clean(item.label) === clean(found.label) && !isDisabledOption(item));
  if (alike.length < 2 || alike.every((item) => optionLabel(item) === optionLabel(found))) return found;
  return failed("no_option", `several options are called '${cut(clean(plain), 80)}'; name one of ${alike.map((item) => `'${optionLabel(item)}'`).join(", ")}`);
}

const noOption = (wanted, names, mayHaveOthers = false) =>
  failed("no_option", `there is no option '${cut(clean(wanted), 80)}'; options: ${names.length > 0 ? names.join(", ") : "none are shown"}` +
    (mayHaveOthers ? "; the list may show only what fits the text of its field: type there what you look for" : ""));

/** Returns the field with a text that a list may fit its options to, or null. */
function fieldOfList(holder) {
  const id = attr(holder, "id");
  const field = id ? queryAll(getRootNode(holder), `input[aria-controls~="${CSS.escape(id)}"],input[aria-owns~="${CSS.escape(id)}"]`)[0] : undefined;
  return field !== undefined && isEditable(field) && String(field.value ?? "") !== "" ? field : null;
}

function pickSuggested(el, eid, list) {
  if (list.length !== 1) return failed("one_option", "this field takes one of its suggestions");
  const option = bestOption(Array.from(el.list.options), list[0], (item) => [item.label, item.value]);
  return option === null ? noOption(list[0], optionLabels(el.list).all) : { type: { eid, text: option.value } };
}

const OPENS_LIST = /^(?:listbox|menu|tree|grid|true)$/;

function pickWidget(el, eid, list, opened) {
  const role = roleOf(el);
  const native = nativeBehind(el, role || "clickable");
  const opens = role === "combobox" || native !== null || OPENS_LIST.test(attr(el, "aria-haspopup") ?? "");
  const { holder, shown } = listOf(el, role, native, opened);
  if (holder === null && !opens && canSearch(el)) return pickBySearch(el, list);
  if (holder === null && !opens) return failed("not_select", "this is no list of options; click it, then the option that shows");
  // A closed list may show the chosen option.
  const isClosed = !opened && holder !== el && attr(el, "aria-expanded") === "false";
  if (shown.length === 0 || isClosed) {
    if (!opened && holder !== el) {
      shownBefore = new WeakSet(shownLists());
      return { open: spareEid(openerBeside(el) ?? el) || eid };
    }
    if (native !== null) return pickDrawnOrNative(el, eid, native, list);
    if (canSearch(el) && hasBeenAsked(el)) return pickBySearch(el, list);
    return failed("not_select", isEditable(el) ? "no options show; type into it, then click one that shows" : "no options show; click it, then click the option");
  }
  const answer = pickShown(holder ?? native ?? el, shown, list);
  return canSearch(el) && LISTS_MATCHES.test(attr(el, "aria-autocomplete") ?? "") ? searchIfMissing(el, list, answer) : answer;
}

/** Returns the element that holds the options of a drawn list, if there is one, and the options that show. */
function listOf(el, role, native, opened = true) {
  const holder = role === "listbox" || role === "radiogroup" || role === "menu" ? el
    : controlled(el, "listbox") ?? controlled(el, "menu") ?? choiceGridOf(el) ?? (native === null ? openedList(el, opened) : null);
  return { holder, shown: Array.prototype.filter.call(holder === null ? drawnItems(el, native) : optionsIn(holder), isShown) };
}

/** Returns the grid that a field opens to choose from, or null; one within a dialog is a calendar, of which no day is an option. */
const choiceGridOf = (el) => (attr(el, "aria-haspopup") === "dialog" ? null : controlled(el, "grid"));

/** Milliseconds within which a list that was opened shows its options. */
const SHOWS_WITHIN = 300;

/** Waits for the options of a list that opens in a later task of the page; if none show, chooses in the native list behind. */
async function pickDrawnOrNative(el, eid, native, list) {
  const labels = new Set(Array.from(native.options, (option) => clean(option.label)));
  for (const began = performance.now(); performance.now() - began < SHOWS_WITHIN; ) {
    await nextFrame();
    const { holder, shown } = listOf(el, roleOf(el), native);
    if (shown.length > 0) return pickShown(holder ?? native, shown, list);
    const opened = openedList(el, true);
    const options = opened === null ? [] : Array.prototype.filter.call(optionsIn(opened), isShown);
    if (options.some((option) => labels.has(contentName(option)))) return pickShown(opened, options, list);
  }
  const items = itemsNear(el, labels);
  return items.length > 0 ? pickShown(native, items, list) : pickBehind(eid, native, list);
}

/** Returns what shows the words of options beside an element, whatever it is made of. */
function itemsNear(el, labels) {
  const box = parentNode(el);
  if (box === null || nodeType(box) !== 1 || localName(box) === "body") return [];
  return Array.prototype.filter.call(queryAll(box, "*"), (item) => firstElementChild(item) === null && !contains(el, item) && labels.has(contentName(item)) && isShown(item));
}

/** Chooses in the native list behind a drawn one; an error if the drawn one goes on to show another option. */
async function pickBehind(eid, native, list) {
  const answer = pickNative(native, list);
  if (answer.ok !== true || native.multiple) return answer;
  const wanted = answer.selected.map(plainWords);
  const others = Array.from(native.options, (option) => plainWords(optionLabel(option))).filter((name) => name !== "" && !wanted.includes(name));
  const other = await otherShown({ wanted, others }, () => {
    const now = nodeOf(eid);
    return now === null ? "" : contentName(now);
  });
  return other === null ? answer : failed("no_effect", "the list shows another option than the one that was chosen; click it, then the option that shows");
}

/** Returns the button that opens the list of a field, which itself opens it only while text is typed; or null. */
function openerBeside(el) {
  const around = isEditable(el) ? parentNode(el) : null;
  const button = around === null || nodeType(around) !== 1 ? null : query(around, "button[aria-haspopup=listbox]");
  return button !== null && isShown(button) && !isDisabled(button) ? button : null;
}

/** Returns the items of a drawn list that declares no roles: those that bear the words of the native list's options. */
function drawnItems(el, native) {
  if (native === null) return [];
  const labels = new Set(Array.from(native.options, (option) => clean(option.label)));
  const around = parentNode(native);
  const items = [...queryAll(nodeType(around) === 1 && localName(around) !== "body" ? around : el, "li,[data-value],a"), ...queryAll(el, "li,[data-value],a")];
  const bearing = items.filter((item) => item !== el && !contains(item, el) && labels.has(contentName(item)));
  return [...new Set(bearing)].filter((item) => !bearing.some((other) => other !== item && contains(item, other)));
}

const OPTIONS_OF_WIDGETS = "[role=option],[role=radio],[role=menuitemradio],[role=menuitemcheckbox]";
const CELLS_OF_GRIDS = "[role=gridcell],td:not([role])";

/** Returns the options of a list; those drawn beside it if the list is there for screen readers only, as that of Ant Design. */
function optionsIn(holder) {
  if (attr(holder, "role") === "grid") return queryAll(holder, CELLS_OF_GRIDS);
  const { width, height } = rectOf(holder);
  return width > 1 && height > 1 ? optionsWithin(holder) : drawnBesideList(holder) ?? optionsWithin(holder);
}

/** Returns the options within a list; those that it shows by slots, if it has none of its own. */
function optionsWithin(holder) {
  const own = queryAll(holder, OPTIONS_OF_WIDGETS);
  if (own.length > 0) return own;
  const found = [];
  for (const slot of queryAll(holder, "slot")) {
    drawnChildren(slot, "slot", (node) => {
      if (nodeType(node) === 1) found.push(...(matches(node, OPTIONS_OF_WIDGETS) ? [node] : queryAll(node, OPTIONS_OF_WIDGETS)));
    });
  }
  return found;
}

const LEAST_OPTION = 10;

/** Returns the innermost elements beside a list that say whether they are selected, or listen, and show words; or null. */
function drawnBesideList(holder) {
  const popup = parentNode(holder);
  if (popup === null || nodeType(popup) !== 1 || localName(popup) === "body") return null;
  const bears = (el) => (hasAttr(el, "aria-selected") || listening.has(el)) && rectOf(el).height >= LEAST_OPTION && contentName(el) !== "";
  const found = Array.prototype.filter.call(queryAll(popup, "*"), (el) => !contains(holder, el) && bears(el));
  const items = found.filter((el) => found.every((other) => other === el || !contains(el, other)));
  return items.length === 0 ? null : items;
}

/** Returns the element in which the options of a list scroll: around the drawn ones of a list without a size. */
const drawnHolder = (holder) => {
  const { width, height } = rectOf(holder);
  const popup = parentNode(holder);
  return (width > 1 && height > 1) || popup === null || nodeType(popup) !== 1 || localName(popup) === "body" ? holder : popup;
};

const isChosen = (option) => attr(option, "aria-selected") === "true" || attr(option, "aria-checked") === "true";

function pickShown(holder, shown, list, searched = false) {
  const many = attr(holder, "aria-multiselectable") === "true" || holder.multiple === true;
  if (list.length !== 1 && !many) return failed("one_option", "this list takes one option");
  const chosen = [];
  for (const one of list) {
    // Matches only the complete name, and only if the option shows it: the option that was judged is the one clicked.
    const option = bestOption(shown, withoutDisabledMark(one), wordsOfOption, true);
    if (option !== null && !isNameShown(option)) return failed("not_select", "the option shows other words than its name; look at it, then click it");
    if (option === null && !searched && paneOf(drawnHolder(holder)) !== null) return searchScrolled(holder, list);
    if (option === null) return noOption(one, shown.slice(0, 30).map(optionName), fieldOfList(holder) !== null);
    if (isDisabled(option)) return failed("disabled", `the option '${optionName(option)}' is disabled`);
    chosen.push(option);
  }
  // In a multiple choice a click toggles an option. In a single choice a click on the chosen option may close the
  // list.
  const toClick = many ? shown.filter((option) => isChosen(option) !== chosen.includes(option)) : chosen;
  const click = toClick.map(spareEid);
  if (click.includes(0)) return failed("not_select", "too many options at once; click them one by one");
  if (!many) noteChoice(chosen, shown);
  return { click, selected: chosen.map(optionName) };
}

const MOST_SCROLLS = 400;
/** Milliseconds of scrolling through a list; a caller waits eight seconds for the whole query. */
const LONGEST_SCROLLING = 5000;

/** Returns the pane that scrolls the options of a list, or null. */
function paneOf(holder) {
  const scrolls = (el) => scrollHeightOf(el) - clientHeightOf(el) > 4 && clientHeightOf(el) > 20 && /auto|scroll|hidden/.test(styleOf(el).overflowY);
  const inner = queryAll(holder, "*");
  for (let i = -1; i < inner.length && i < 20; i++) {
    const el = i < 0 ? holder : inner[i];
    if (scrolls(el)) return el;
  }
  for (let node = drawnParent(holder), steps = 0; node !== null && steps < 3 && localName(node) !== "body"; node = drawnParent(node), steps++) {
    if (scrolls(node)) return node;
  }
  return null;
}

const shownOptions = (holder) => Array.prototype.filter.call(optionsIn(holder), isShown);
const pickDrawn = (holder, list) => pickShown(holder, shownOptions(holder), list, true);
const wantedOption = (holder, wanted) => bestOption(shownOptions(holder), wanted, wordsOfOption, true);

/** Scrolls a list that draws its options only as they come into view, until it shows what is wanted. */
async function searchScrolled(holder, list) {
  const pane = paneOf(drawnHolder(holder));
  const before = scrollTopOf(pane);
  const began = performance.now();
  let answer = null;
  pane.scrollTop = 0;
  for (let steps = 0; steps < MOST_SCROLLS && performance.now() - began < LONGEST_SCROLLING; steps++) {
    await nextFrame();
    answer = pickDrawn(holder, list);
    if (answer.error?.code !== "no_option") {
      // The list may draw its options anew as they are scrolled to, so that is done before one is named.
      toMiddle(wantedOption(holder, list[0]) ?? holder);
      await nextFrame();
      await nextFrame();
      return pickDrawn(holder, list);
    }
    if (scrollTopOf(pane) + clientHeightOf(pane) >= scrollHeightOf(pane) - 1) break;
    pane.scrollTop = scrollTopOf(pane) + Math.max(40, clientHeightOf(pane) * 0.95);
  }
  pane.scrollTop = before;
  return answer;
}

/** Returns the name of an option, and its words without those that the style draws ("Press to select"). */
const wordsOfOption = (item) => [optionName(item), clean(textContent(item).slice(0, LONGEST_WORK))];

/** Returns the name of an option; that of an item without a role is its text. */
const optionName = (item) => nameOf(item, roleOf(item)) || cleanName(contentName(item));

const isNameShown = (option) => {
  const [name, shown] = [optionName(option), cleanName(contentName(option))];
  return shown === "" || name.includes(shown);
};

/**
 * Finds the option that fits best: same name, same value, same but for case and white space, then (unless `whole`)
 * one with that beginning.
 */
function bestOption(options, wanted, textOf, whole = false) {
  const exact = clean(wanted);
  const plain = exact.toLowerCase();
  const tests = [
    ([name]) => clean(name) === exact,
    ([, value]) => value !== "" && value === wanted,
    ([name, value]) => clean(name).toLowerCase() === plain || value.toLowerCase() === plain,
    ([name]) => !whole && plain !== "" && clean(name).toLowerCase().startsWith(plain),
  ];
  for (const test of tests) {
    const fit = options.filter((option) => test(textOf(option)));
    if (fit.length > 0) return fit.find((option) => !isDisabled(option)) ?? fit[0];
  }
  return null;
}
