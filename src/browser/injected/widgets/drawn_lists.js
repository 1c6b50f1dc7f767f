// Drawn lists beside a hidden native one (Select2, Chosen, bootstrap-select): the drawn one is acted on; the native one
// knows the name and the options. Also lists that their field does not declare, and which of several elements is chosen, where only classes tell.

const MAY_DRAW_LIST = words("combobox listbox button clickable");
const MOST_NATIVE_STEPS = 4;
/** True if the documents of the last observations have native lists. */
let someLists = false;

/** Returns the hidden native list that an element draws, or null. */
function nativeBehind(el, role) {
  const tag = localName(el);
  if (!MAY_DRAW_LIST.has(role) || tag === "select" || (tag === "input" && role !== "combobox")) return null;
  if (!someLists) return null;
  if ((role === "clickable" || role === "button") && (isInItem(el) || isInCombobox(el) || REMOVES.test(nameInPlainClass(el)))) return null;
  for (let node = el, steps = 0; node !== null && steps < MOST_NATIVE_STEPS; node = parentNode(node), steps++) {
    if (nodeType(node) !== 1 || /^(?:body|form|table|tr|fieldset|main)$/.test(localName(node))) return null;
    const beside = hiddenListBeside(node);
    // Around several fields, a hidden list within belongs to another one.
    if (beside === null && steps > 0 && holdsOtherField(node, el)) return null;
    const found = beside ?? (steps === 0 ? null : hiddenListIn(node));
    if (found !== null) return drawsChoice(el, found, steps === 0) ? found : null;
  }
  return null;
}

/** Reports whether an element is a part of a drawn list that says what it is, such as the button that takes a choice back. */
function isInCombobox(el) {
  const parent = drawnParent(el);
  return parent !== null && nodeType(parent) === 1 && closest(parent, "[role=combobox],[role=listbox]") !== null;
}

/** Reports whether an element belongs to an item of a drawn list, not to what opens it. */
function isInItem(el) {
  const item = closest(el, "li,[role=option],[role=listitem],.item,.option");
  return item !== null && query(item, "select") === null && (item === el || closest(item, "ul,ol,[role=listbox],.menu,.options") !== null);
}

function hiddenListBeside(node) {
  for (const next of [previousElement, nextElement]) {
    const beside = next(node);
    if (beside !== null && localName(beside) === "select" && isHiddenList(beside)) return beside;
  }
  return null;
}

function hiddenListIn(node) {
  const lists = queryAll(node, "select");
  return lists.length === 1 && isHiddenList(lists[0]) ? lists[0] : null;
}

function isHiddenList(list) {
  if (!isShown(list)) return true;
  const { width, height } = rectOf(list);
  return width <= 1 || height <= 1 || /^rect\(/.test(styleOf(list).clip) || isClippedByHolder(list);
}

/** Reports whether the element around another one is drawn as nothing, and clips what it holds. */
function isClippedByHolder(el) {
  const around = drawnParent(el);
  if (around === null) return false;
  const { width, height } = rectOf(around);
  return Math.min(width, height) <= 1 && styleOf(around).overflowX !== "visible";
}

function holdsOtherField(node, el) {
  const fields = queryAll(node, "input:not([type=hidden]),select,textarea,[role=combobox],[role=listbox]");
  return Array.prototype.some.call(fields, (field) => !contains(el, field) && !contains(field, el) && !isHiddenList(field));
}

/** Returns the words of a drawn list; a field stands beside those of its choice. */
const wordsShownBy = (el) => (localName(el) === "input" ? `${el.value} ${contentName(drawnParent(el) ?? el)}`.trim() : contentName(el));

/** Reports whether a field that takes no text shows the choice of a hidden native list. */
const showsListChoice = (el) => someLists && hasAttr(el, "readonly") && nativeBehind(el, "combobox") !== null;

/** Reports whether an element is the wordless arrow beside the field of a drawn list, which opens it, too. */
function isArrowOfList(el) {
  const field = previousElement(el);
  return field !== null && localName(field) === "input" && firstChild(el) === null && showsListChoice(field);
}

const DECLARED_OPENERS = "[aria-haspopup],[aria-expanded],[aria-controls],[aria-owns],[role=combobox],[role=listbox]";

/** Reports whether an element shows the choice of a native list, or could show that there is none; `isNext` if it stands next to it. */
function drawsChoice(el, list, isNext) {
  const shown = wordsShownBy(el);
  const chosen = Array.prototype.filter.call(list.options, (option) => option.selected && option.value !== "");
  if (list.multiple || chosen.length === 0) return isNext && (hasAttr(el, "role") || localName(el) === "button") || matches(el, DECLARED_OPENERS) || mayShowNoChoice(el, list, shown);
  return chosen.some((option) => shown.includes(clean(option.label || textContent(option))));
}

/** Grids by whether a field opens them to choose from, with the observation that judged them. */
const choiceGridsAt = new WeakMap();
const MOST_GRID_OPENERS = 50;

/** Reports whether a cell is a choice of a grid that a field has opened, the field or grid of which reacts in its place. */
function isChoiceCell(el) {
  const grid = closest(el, "[role=grid],[role=treegrid]");
  if (grid === null) return false;
  let known = choiceGridsAt.get(grid);
  if (known?.walk !== walkCount) choiceGridsAt.set(grid, (known = { walk: walkCount, choice: isOpenedByField(grid) }));
  if (!known.choice || query(el, CONTROLS) !== null || contentName(el) === "") return false;
  const row = closest(el, "tr,[role=row]");
  return row === null || !(listening.has(row) || isHinted(row) || hasAttr(row, "tabindex") || hasAttr(row, "aria-selected"));
}

/** Reports whether a field or button declares to open a grid. */
function isOpenedByField(grid) {
  const id = attr(grid, "id");
  if (!id) return false;
  const openers = queryAll(getRootNode(grid), "[role=combobox],[aria-haspopup=grid]");
  for (let i = 0; i < openers.length && i < MOST_GRID_OPENERS; i++) {
    if (`${attr(openers[i], "aria-controls") ?? ""} ${attr(openers[i], "aria-owns") ?? ""}`.split(/\s+/).includes(id)) return true;
  }
  return false;
}

/** Returns the text of a label that names an element by its id, although it is no field. */
function labelFor(el) {
  const id = attr(el, "id");
  const label = id ? queryAll(getRootNode(el), `label[for=${CSS.escape(id)}]`)[0] : undefined;
  return label === undefined ? "" : contentName(label);
}

const LIST_WORDS = /select|dropdown|drop-down|chosen|combo|picker|choice/i;

const CHOICE_FIELDS = "input[type=hidden],select";
const MOST_AROUND_FIELD = 3;

/** Returns the drawn list that a search field belongs to, which keeps its choice in a hidden field; else null. */
function drawnListAround(el) {
  for (let node = parentElement(el), steps = 0; node !== null && steps < MOST_AROUND_FIELD; node = parentElement(node), steps++) {
    if (/^(?:body|form|table|tr|fieldset|main)$/.test(localName(node)) || holdsOtherFieldThan(node, el)) return null;
    if (LIST_WORDS.test(attr(node, "class") ?? "") && (listening.has(node) || hasAttr(node, "tabindex") || hasPointer(node)) && query(node, CHOICE_FIELDS) !== null) return node;
  }
  return null;
}

const SHOWN_WHILE_EMPTY = /placeholder|default|hint/i;
const MOST_PARTS_OF_LIST = 20;

/** Names the search field of a drawn list by what the list says of itself: its label, what it shows while empty, its hidden field. */
function nameOfDrawnList(el) {
  const list = drawnListAround(el);
  if (list === null) return "";
  const label = labelledBy(list) || attr(list, "aria-label")?.trim();
  if (label) return label;
  const parts = Array.prototype.slice.call(queryAll(list, "[class]"), 0, MOST_PARTS_OF_LIST);
  const shown = parts.find((part) => SHOWN_WHILE_EMPTY.test(attr(part, "class")) && isShown(part) && isLabelText(contentName(part)));
  return shown === undefined ? keepGuess(el, nameInIds(query(list, CHOICE_FIELDS))) : contentName(shown);
}

/** Reports whether an element shows nothing or an option, or is called a list. */
function mayShowNoChoice(el, list, shown) {
  if (shown.length >= 60) return false;
  if (shown === "" || LIST_WORDS.test(`${attr(el, "class") ?? ""} ${attr(parentElement(el) ?? el, "class") ?? ""}`)) return true;
  return Array.prototype.some.call(list.options, (option) => clean(option.label) !== "" && shown.includes(clean(option.label)));
}

/** Returns the name that the native list has by its labels. */
function nameOfNative(el, role) {
  const list = nativeBehind(el, role);
  return list === null ? "" : labelledBy(list) || attr(list, "aria-label")?.trim() || labelText(list) || labelFor(el);
}

/** Parts of a drawn list that are none of its choice. */
const NO_VALUE = "[role=listbox],[role=menu],[role=option],button,[role=button]";

/** Classes of the one of several that is shown or chosen. */
const CHOSEN_WORD = /(?:^|\s)(?:[\w-]*--|[\w-]*__|[\w-]*__[a-z-]+_|is[-_]|[\w-]*-item-|[\w-]*-tab-|[\w-]*-node-|[\w-]*-row-|(?!(?:un|non|not|pre|de)-)[a-z]+[-_](?=selected)|(?!(?:un|non|not|no|in|pre|de)-)[a-z]{1,4}-(?=active|current))?(?:active|selected|current|chosen)(?:\s|$)/i;
/** The same as build tools rewrite them (`Tabs_active__x3`, `_active_1x2y3_4`), with a prefix of a library, and ticked buttons. */
const CHOSEN_TOKEN = /(?:^|\s)(?:[a-z]\w*?_|_)?(?:active|selected|current|chosen)_{1,2}(?=\w*\d)\w{2,12}(?:\s|$)|(?:^|\s)(?!(?:un|non|not|no|in|pre|de)_)[a-z]{1,5}_(?:active|selected|current)(?:\s|$)|(?:^|\s)checked(?:\s|$)/i;
const isCalledChosen = (classes) => CHOSEN_WORD.test(classes) || CHOSEN_TOKEN.test(classes);
const MOST_BESIDE_CHOSEN = 8;

/** Reports whether the class of an element, or of the item that it fills, alone tells that it is the chosen one of several. */
function isChosenByClass(el) {
  for (let node = groupOfWire(el), steps = 0; node !== null && steps < 2; node = parentNode(node), steps++) {
    if (nodeType(node) !== 1 || (steps > 0 && !/^(?:li|td|g)$/.test(localName(node)))) return false;
    if (!isCalledChosen(attr(node, "class") ?? "")) continue;
    if (steps > 0 && contentName(node) !== attr(el, "aria-label") && contentName(el).length < contentName(node).length * MOST_OF_IT) return false;
    if (isBesideSelected(node)) return false;
    let left = MOST_BESIDE_CHOSEN;
    for (const step of [previousElement, nextElement]) {
      for (let other = step(node); other !== null && left > 0; other = step(other), left--) {
        if (isLikeWithout(other, node)) return true;
      }
    }
    const item = steps === 0 && previousElement(el) === null && nextElement(el) === null ? parentElement(el) : null;
    for (const step of item === null || localName(item) !== "li" ? [] : [previousElement, nextElement]) {
      for (let other = step(item); other !== null && left > 0; other = step(other), left--) {
        const inner = firstElementChild(other);
        if (inner !== null && isLikeWithout(inner, el)) return true;
      }
    }
  }
  return false;
}

const SELECTED = /(?:^|[\s_-])(?:selected|highlighted?)(?:\s|$)/i;

/** Reports whether what a press changed is that an element is the selected one: it is called so, and no switch or box. */
const isSelectedByPress = (el) => SELECTED.test(attr(el, "class") ?? "") && pressedStates.has(el) && !isToggleLike(el) && !isSymbol(contentName(el));

const CALLED_SELECTED = /(?:^|[\s_-])selected(?:\s|$)/i;
const isCalledSelected = (el) => CALLED_SELECTED.test(attr(el, "class") ?? "");

/** Reports whether one of the elements beside is called selected, and this one is not: its "active" means that it may be pressed. */
function isBesideSelected(el) {
  if (isCalledSelected(el)) return false;
  const around = parentElement(el);
  return around !== null && Array.prototype.slice.call(childrenOf(around), 0, 2 * MOST_BESIDE_CHOSEN).some((other) => localName(other) === localName(el) && isCalledSelected(other));
}

/** Reports whether an element is built as a chosen one, but not chosen. */
function isLikeWithout(other, chosen) {
  const isChosen = isCalledSelected(chosen) ? isCalledSelected(other) : isCalledChosen(attr(other, "class") ?? "");
  if (localName(other) !== localName(chosen) || isChosen) return false;
  const others = classesOf(other);
  if (!hasBaseOfChosen(classesOf(chosen), others)) return false;
  const own = classesOf(chosen).filter((name) => !isCalledChosen(name));
  return own.length === 0 || /^t[dh]$/.test(localName(other)) || own.some((name) => others.includes(name));
}

/** Reports whether the siblings share the base class of this modifier class: `tab--current` extends `tab`; `time--current` extends no class used here. */
function hasBaseOfChosen(own, others) {
  const variants = own.filter((name) => name.includes("--") && isCalledChosen(name));
  if (variants.length === 0) return true;
  const isBase = (name) => others.includes(name.slice(0, name.lastIndexOf("--")));
  return variants.some(isBase) || own.some((name) => !name.includes("--") && isCalledChosen(name));
}

/** Lists and options that showed before a list was opened. */
let shownBefore = new WeakSet();
const LISTS_AND_OPTIONS = "[role=listbox],[role=menu],[role=option]";
const MOST_SHOWN_LISTS = 2000;

function shownLists() {
  const found = [];
  for (const root of allRoots()) {
    for (const el of queryAll(root, LISTS_AND_OPTIONS)) if (found.length < MOST_SHOWN_LISTS && isShown(el)) found.push(el);
  }
  return found;
}

/** Returns the list of a widget that does not say which one it controls: one that shows since it was opened, or the only one. */
function openedList(el, opened) {
  if (!opened && attr(el, "aria-expanded") !== "true") return null;
  const fresh = shownLists().filter((list) => !opened || !shownBefore.has(list));
  const holders = fresh.filter((list) => attr(list, "role") !== "option" && Array.prototype.some.call(optionsIn(list), isShown));
  if (holders.length > 1 && !opened) return nearestList(el, holders);
  if (holders.length > 0) return holders[0];
  const option = opened ? fresh.find((one) => attr(one, "role") === "option") : undefined;
  return option === undefined ? null : drawnParent(option);
}

/** Returns the only list that has come since the first look, or else the one within the closest element around; or null. */
function nearestList(el, holders) {
  const come = holders.filter((list) => newAt.has(list) || Array.prototype.some.call(optionsIn(list), (option) => newAt.has(option)));
  if (come.length === 1) return come[0];
  for (let node = drawnParent(el); node !== null; node = drawnParent(node)) {
    const inside = holders.filter((list) => contains(node, list));
    if (inside.length > 0) return inside.length === 1 ? inside[0] : null;
  }
  return null;
}

const REMOVES = /\b(?:delete|remove|close|dismiss)\b/;
const LARGEST_REMOVAL = 40;

/** Matches the letter or sign of a mark that takes something away. */
const REMOVAL_SIGN = /^[x×✕✖✗✘⨯╳]$/i;

/** Marks that take away the token around them, by that token. */
const removalMarks = new WeakMap();
/** Marks among them that are written with a letter or sign. */
const writtenRemovals = new WeakSet();
const isRemovalSign = (el) => firstElementChild(el) === null && REMOVAL_SIGN.test(clean(textContent(el).slice(0, 9)));

/** Returns the mark written with a letter that takes an element away and is none of its words, or null. */
function writtenRemovalIn(el) {
  const mark = removalMarks.get(el);
  return mark !== undefined && writtenRemovals.has(mark) && isConnected(mark) && contains(el, mark) ? mark : null;
}

/** Reports whether an element without words is the mark that takes away the token around it, for which a list listens. */
function isDrawnRemoval(el, ctx) {
  const token = ctx.partsOf ?? null;
  if (token === null || roleOf(token) !== "" || !REMOVES.test(nameInPlainClass(el))) return false;
  const { width, height } = rectOf(el);
  const drawn = firstChild(el) === null ? drawsMark(el) : isRemovalSign(el);
  if (Math.max(width, height) > LARGEST_REMOVAL || Math.min(width, height) < SMALLEST_PART || !drawn) return false;
  const words = wordsWithout(token, new Set([el]));
  const isButton = /\b(?:button|btn)\b/.test(attr(token, "class") ?? "");
  if (words === "" || words === contentName(el) || isSymbol(words) || isButton || REMOVES.test(words.toLowerCase())) return false;
  removalMarks.set(token, el);
  if (firstChild(el) !== null) writtenRemovals.add(el);
  itemAt.set(el, walkCount);
  return true;
}
