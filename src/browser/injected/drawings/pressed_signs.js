// Signs in a row or card that are pressed for themselves: its star, its cross. What is around them listens.

const PRESSED_PARTS = `[class],${TIPPED},[aria-label]`;
const TIPPED_OR_LABELLED = `${TIPPED},[aria-label]`;
const SIGN_TAGS = words("span i b em strong small div svg img");
/** Signs that stand for what a press on them does, not for a state of the thing beside them. */
const PRESSED_SIGN = /^(?:[×✕✖✗✘⨯╳☆★♡♥❤🤍⋮⋯…✎✏🖉🖊🗑📥📤📌🔖🚩⚑⚐🔕↩↪🔗⧉📋👍👎])\ufe0f?$/u;
const PRESSED_WORDS = /\b(?:close|delete|remove|trash|edit|share|bookmark|favou?rite|starr?(?:ed)?|heart|archive|pin|more|options|ellipsis|kebab|dismiss|wish ?list|copy|reply|mute|snooze)\b/i;
/** Words of icons without a tip that are hardly ever a picture of the thing beside them. */
const PRESSED_ICON = /^(?:heart|bookmark|trash|delete|remove|close|times|xmark|ellipsis|kebab|wishlist)\b/;
const MAY_BE_PRESSED = /heart|bookmark|trash|delete|remove|close|times|xmark|ellipsis|kebab|wishlist/i;
/** Signs that need no tip: menus, edits and removals. Stars and arrows without one may picture a state. */
const BARE_SIGN = /^[×✕✖✗✘⨯╳⋮⋯✎✏🖉🖊🗑]\ufe0f?$/u;
const HOLDS_BARE_SIGN = /[×✕✖✗✘⨯╳⋮⋯✎✏🖉🖊🗑]/u;
const MOST_PRESSED_SIGNS = 60;
const SEEN_NUMBER = /^\s*[\d(]/;

/** Signs that are pressed for themselves, by the row or card around them, with the walk that found them. */
const pressedAt = new WeakMap();
const pressedIn = (el) => [pressedAt.get(el)].find((known) => known?.walk === walkCount)?.signs ?? [];

/** Reports whether an element in a row is a small sign that is pressed for itself; what is around it listens. */
function isPressedSign(el, row, isItemOfSet) {
  if (!SIGN_TAGS.has(localName(el)) || ACTED_ON.has(roleOf(el)) || listening.has(el) || isHinted(el)) return false;
  const tip = attr(el, "aria-label") || tipOn(el);
  // Most parts of a row are words or pictures.
  if (tip === "") {
    const words = textContent(el);
    if (words.length > LONGEST_PRESSED_SIGN || !(MAY_BE_PRESSED.test(`${attr(el, "class")} ${attr(el, "data-icon")} ${attr(el, "data-lucide")} ${words}`) || REMOVAL_SIGN.test(words.trim()) || BARE_SIGN.test(words.trim()))) return false;
  }
  const text = contentName(el);
  if (!isSymbol(text) || (text !== "" && childElementCount(el) > 0)) return false;
  const icon = text !== "" ? "" : tip === "" ? iconOf(el) : iconOfParts(el);
  if (text === "" && icon === "" && localName(el) !== "svg") return false;
  const isBare = hasAttr(el, "class") && ((BARE_SIGN.test(text) && !(REMOVAL_SIGN.test(text) && isBetweenWords(el))) || (isItemOfSet && REMOVAL_SIGN.test(text)));
  const isTold = tip ? PRESSED_SIGN.test(text) || PRESSED_WORDS.test(`${tip} ${icon}`) : text === "" ? PRESSED_ICON.test(icon) : isBare;
  if (!isTold || SEEN_NUMBER.test(wordsBeside(el)) || !isShown(el) || isInControlOf(el, row)) return false;
  const { width, height } = rectOf(el);
  return Math.min(width, height) >= SMALLEST_SIGN && Math.max(width, height) <= LARGEST_PART && (isItemOfSet || hasPointer(el));
}

/** Reports whether a control in a row, which has a line of its own, holds an element. */
function isInControlOf(el, row) {
  const control = closest(el, "a[href],button");
  return control !== null && control !== row && contains(row, control);
}

const SMALLEST_SIGN = 4;
const LONGEST_PRESSED_SIGN = 20;

/** Returns the text right after an element, else before it: a number there is what the sign counts or rates. */
function wordsBeside(el) {
  const [next, before] = [nextSibling(el), previousSibling(el)];
  const said = (node) => (node === null ? "" : textContent(node).slice(0, LONGEST_BESIDE));
  return said(next).trim() || (next === null && /^\s*\d[\d.,\s]*k?\s*$/i.test(said(before)) ? said(before) : "");
}

/** Reports whether words stand on both sides of a sign, as those of a product: 30 × 40. */
function isBetweenWords(el) {
  const hasWords = (next) => {
    for (let node = next(el), left = MOST_BESIDE_SIGN; node !== null && left > 0; node = next(node), left--) if (textContent(node).trim() !== "") return true;
    return false;
  };
  return hasWords(previousSibling) && hasWords(nextSibling);
}

const MOST_BESIDE_SIGN = 6;

/** Reports whether a card that reacts to presses, and is not called a button, has a sign among its words. */
function holdsBareSign(card) {
  if (!(reactsItself(card) || hasPointer(card)) || hasAttr(card, "role") || CALLED_BUTTON.test(attr(card, "class") ?? "")) return false;
  const words = textContent(card);
  return words.length <= LONGEST_WORK && HOLDS_BARE_SIGN.test(words);
}

/** Marks the signs in a row or card that are pressed for themselves, so that they are listed beside it. */
function markPressedIn(row, isItemOfSet) {
  if (firstElementChild(row) === null || namespaceOf(row) === SVG) return;
  const holdsSigns = isItemOfSet || holdsBareSign(row);
  const found = Array.prototype.slice.call(queryAll(row, `${TIPPED_OR_LABELLED},svg,i${holdsSigns ? ",[class]" : ""}`), 0, MOST_PRESSED_SIGNS).filter((one) => isPressedSign(one, row, isItemOfSet));
  const signs = found.filter((one) => !found.some((other) => other !== one && contains(other, one)));
  if (signs.length === 0) return;
  const words = wordsWithout(row, new Set(signs));
  // An icon without a tip may only picture what the words say.
  const isPicture = (one) => tipOn(one) === "" && !hasAttr(one, "aria-label") && !BARE_SIGN.test(contentName(one)) && (!isDrawnBox(styleOf(row)) || words.toLowerCase().includes(iconOfParts(one)));
  const pressed = signs.filter((one) => isItemOfSet || !isPicture(one));
  if (pressed.length === 0 || isSymbol(words) || words === contentName(pressed[0])) return;
  for (const sign of pressed) {
    someItemParts = itemParts.set(sign, { box: false, row, pressed: true }) !== null;
    itemAt.set(sign, walkCount);
  }
  pressedAt.set(row, { walk: walkCount, signs: pressed });
}

/** Marks an item of a set with the signs in it. */
function markItem(item) {
  itemAt.set(item, walkCount);
  markPressedIn(item, true);
}

/** Marks the parts of what listens or has a pointer cursor that are pressed for themselves. */
function markPartsOf(el, kind) {
  if (kind !== WHOLE && reactsItself(el)) markItemParts(el);
  if (kind !== SET) markPressedIn(el, false);
}
