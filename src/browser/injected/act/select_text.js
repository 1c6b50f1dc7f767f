// Words in a text that are to be selected with the mouse, as a person marks them.

/** The words found last, for the calls that follow: a range of a text, or a part of a field's value. */
let wordsToSelect = null;

const MOST_TEXT_SEARCHED = 1000000;
const MOST_PLACES_TOLD = 4;
const WORDS_AROUND = 24;
const MARKED_PART = /^([\s\S]*)\[\[([\s\S]+)\]\]([\s\S]*)$/;
const NOT_SEARCHED = words("script style noscript template title textarea select option");
/** Elements that the mouse drags, or presses, where their text is dragged over. */
const DRAGGED_OR_PRESSED = "a[href],[draggable=true],button,summary,select";

const plainSpace = (text) => text.replace(INVISIBLE, "").replace(/\s+/g, " ");

/**
 * Finds words in the texts and fields that are shown: {eid, count, places}. `places` are the first matches with the text
 * around them; `eid` is the element that contains the match, or 0 unless there is exactly one. `[[ ]]` within `wanted` marks
 * the words to select; text outside of it is context that disambiguates.
 */
function findWords(wanted) {
  const [, before, marked, after] = MARKED_PART.exec(wanted) ?? ["", "", wanted.trim(), ""];
  const pattern = { whole: plainSpace(before + marked + after), from: plainSpace(before).length, length: plainSpace(marked).length };
  const searched = [...allRoots()].map((root) => [root, joinTexts(root)]);
  const search = (fold) => searched.flatMap(([root, joined]) => [...placesInTexts(root, joined, pattern, fold), ...placesInFields(root, pattern, fold)]);
  const exact = search((text) => text);
  const found = exact.length > 0 ? exact : search((text) => text.toLocaleLowerCase());
  wordsToSelect = found.length === 1 ? found[0] : null;
  const places = found.slice(0, MOST_PLACES_TOLD).map((place) => place.around);
  return { eid: wordsToSelect === null ? 0 : spareEid(wordsToSelect.holder), count: found.length, places };
}

/** Yields the places of a pattern in a text: [beginning, end, words around it], of the part to be selected. */
function* placesIn(text, { whole, from, length }, fold) {
  const [folded, words] = [fold(text), fold(whole)];
  // Folded text that has another length would give other places.
  if (folded.length !== text.length || words.trim() === "") return;
  for (let at = folded.indexOf(words); at >= 0; at = folded.indexOf(words, at + words.length)) {
    const [begin, end] = [at + from, at + from + length];
    const around = `${text.slice(Math.max(0, begin - WORDS_AROUND), begin)}[[${text.slice(begin, end)}]]${text.slice(end, end + WORDS_AROUND)}`;
    yield [begin, end, around.trim()];
  }
}

function placesInTexts(root, { text, parts }, pattern, fold) {
  const found = [];
  for (const [begin, end, around] of placesIn(text, pattern, fold)) {
    const range = documentOf(root).createRange();
    range.setStart(...placeInNode(parts, begin));
    const [last, offset] = placeInNode(parts, end - 1);
    range.setEnd(last, offset + 1);
    const holder = nodeType(range.commonAncestorContainer) === 1 ? range.commonAncestorContainer : range.commonAncestorContainer.parentNode;
    const box = range.getBoundingClientRect();
    const isSeen = box.width > 0 && [range.startContainer, range.endContainer].every((node) => isShown(node.parentElement));
    if (isSeen && nodeType(holder) === 1 && !isSecretRich(holder)) found.push({ range, holder, around });
  }
  return found;
}

/** Joins the texts of a document or shadow root: a space between blocks, and the place of each node in the whole. */
function joinTexts(root) {
  const [pieces, parts] = [[], []];
  let [length, blockBefore, endsInSpace] = [0, null, true];
  const texts = documentOf(root).createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null && length < MOST_TEXT_SEARCHED; node = texts.nextNode()) {
    const holder = node.parentElement;
    if (holder === null || NOT_SEARCHED.has(localName(holder))) continue;
    const data = textData(node);
    const block = data.trim() === "" ? blockBefore : blockAround(holder);
    const [kept, offsets] = [[], []];
    if (block !== blockBefore && !endsInSpace) addSpace(kept, offsets, 0);
    endsInSpace ||= kept.length > 0;
    for (let i = 0; i < data.length; i++) {
      if (/\s/.test(data[i])) {
        if (!endsInSpace) addSpace(kept, offsets, i);
        endsInSpace = true;
      } else if (data[i].replace(INVISIBLE, "") !== "") {
        kept.push(data[i]);
        offsets.push(i);
        endsInSpace = false;
      }
    }
    if (kept.length > 0) {
      parts.push({ node, at: length, offsets });
      pieces.push(kept.join(""));
      length += kept.length;
    }
    blockBefore = block;
  }
  return { text: pieces.join(""), parts };
}

const documentOf = (root) => (nodeType(root) === 9 ? root : ownerDocument(root));

function addSpace(kept, offsets, at) {
  kept.push(" ");
  offsets.push(at);
}

function blockAround(el) {
  let node = el;
  for (let steps = 0; node !== null && steps < 30 && styleOf(node).display.startsWith("inline"); steps++) node = node.parentElement;
  return node;
}

/** Returns the text node and the offset in it of a place in joined texts. */
function placeInNode(parts, at) {
  let [low, high] = [0, parts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (parts[middle].at <= at) low = middle;
    else high = middle - 1;
  }
  return [parts[low].node, parts[low].offsets[at - parts[low].at]];
}

function placesInFields(root, pattern, fold) {
  const found = [];
  for (const field of queryAll(root, "textarea,input")) {
    if (!isEditable(field) || isSecret(field) || !isShown(field)) continue;
    const value = String(field.value);
    // Offsets count in the value as it is, so its spaces are kept.
    for (const [begin, end, around] of placesIn(value, pattern, fold)) found.push({ field, begin, end, holder: field, around });
  }
  return found;
}

/** Scrolls the words found last into view. Returns true if they are in a field, or why they cannot be selected. */
function readyToSelect() {
  const place = wordsToSelect;
  if (place === null || !isLive(place.holder)) return failed("dead_eid", "the text is not there any more; look again");
  if (isInert(place.holder)) return failed("inert", inertBecause(place.holder));
  if (place.field) return true;
  const dragged = place.holder.isContentEditable === true ? null : closest(place.range.startContainer.parentElement, DRAGGED_OR_PRESSED);
  if (dragged !== null) return failed("not_editable", `the words stand in ${kindOfDragged(dragged)}, which a mouse that drags over them would move or press; select words outside of it, or click it`);
  showLetter(true);
  return false;
}

const kindOfDragged = (el) => (localName(el) === "a" ? "a link" : matches(el, "[draggable=true]") ? "something that is dragged" : "a button");

const firstBox = (range) => range.getClientRects()[0] ?? range.getBoundingClientRect();

/** Returns the range of the first or last letter of the words. */
function outerLetter(isFirst) {
  const { startContainer, startOffset, endContainer, endOffset } = wordsToSelect.range;
  const letter = ownerDocument(startContainer).createRange();
  letter.setStart(isFirst ? startContainer : endContainer, isFirst ? startOffset : endOffset - 1);
  letter.setEnd(letter.startContainer, letter.startOffset + 1);
  return letter;
}

/** Scrolls what is around the first or last letter so that the mouse can reach it. */
function showLetter(isFirst) {
  const letter = outerLetter(isFirst);
  if (!isReachable(isFirst)) scrollAround(letter.startContainer.parentElement, () => firstBox(letter), true);
}

/** Distance from an edge within which Chromium scrolls by itself as text is selected. */
const SCROLLING_EDGE = 24;

function isReachable(isFirst) {
  const letter = outerLetter(isFirst);
  const { left, top, right, bottom } = firstBox(letter);
  const [above, below] = [top - SCROLLING_EDGE, bottom + SCROLLING_EDGE];
  const seen = partInView(letter.startContainer.parentElement, boxAs({ left, top: above, right, bottom: below }));
  return seen !== null && seen.top <= above && seen.bottom >= below && coverOf(edgePoint(isFirst)) === null;
}

/** Returns what lies over a point of a text, or null. */
function coverOf({ x, y, holder }) {
  const hit = hitIn(topDocument(), x, y);
  return hit === null || drawnInside(hit, holder) || drawnInside(holder, hit) ? null : hit;
}

/**
 * Returns the points of the frame's viewport between which the mouse selects the words, the second as null if it must be
 * scrolled to, or what lies over the first.
 */
function selectionPoints() {
  const from = edgePoint(true);
  const cover = coverOf(from);
  if (cover !== null) return coveredBy(cover);
  return { from: pointOf(from), to: isReachable(false) ? pointOf(edgePoint(false)) : null };
}

/** Scrolls the end of the words to where the mouse can reach it, and returns its point. */
function showEndOfWords() {
  showLetter(false);
  return pointOf(edgePoint(false));
}

const pointOf = ({ x, y }) => [x, y];

/** Returns the point at the outer edge of the first or last letter, from which the caret goes there. */
function edgePoint(isFirst) {
  const letter = outerLetter(isFirst);
  const node = letter.startContainer;
  const { left, right, top, bottom } = firstBox(letter);
  const inset = Math.min(2, (right - left) / 4);
  const across = (top + bottom) / 2;
  const sides = [left + inset, right - inset];
  const wanted = isFirst ? letter.startOffset : letter.endOffset;
  // The letter may be written from right to left.
  const isThere = (x) => {
    const caret = ownerDocument(node).caretRangeFromPoint(x, across);
    return caret !== null && caret.startContainer === node && caret.startOffset === wanted;
  };
  const x = sides.find(isThere) ?? sides[isFirst ? 0 : 1];
  const at = originOf(node.parentElement);
  return { x: at.x + at.sx * x, y: at.y + at.sy * across, holder: node.parentElement };
}

/** Selects the words in a field. */
function selectInField() {
  const { field, begin, end } = wordsToSelect;
  field.focus({ preventScroll: true });
  try {
    field.setSelectionRange(begin, end);
  } catch {
    return failed("not_editable", "no part of this field can be selected");
  }
  return true;
}

/**
 * Returns whether the browser has selected the words: "all", "none", or "other", which is corrected first. Editors that draw
 * their own selection have none.
 */
function selectedByMouse() {
  const { range } = wordsToSelect;
  if (!isLive(range.startContainer)) return "none";
  const root = range.startContainer.getRootNode();
  const selection = (root.getSelection ? root : documentOf(root)).getSelection();
  const letters = (text) => plainSpace(String(text)).replaceAll(" ", "");
  if (letters(selection) === letters(range)) return "all";
  const isAtStart = selection.anchorNode === range.startContainer && selection.anchorOffset === range.startOffset;
  if (selection.isCollapsed && !isAtStart) return "none";
  selection.setBaseAndExtent(range.startContainer, range.startOffset, range.endContainer, range.endOffset);
  return letters(selection) === letters(range) ? "all" : "other";
}
