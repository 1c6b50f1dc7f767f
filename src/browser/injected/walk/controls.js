// Elements to act on: listed only if they are visible, reachable and not covered.

function actor(el, tag, role, page, ctx) {
  if (ctx.off) meetSwitchedOff(el, ctx);
  if (role === "combobox" && tag !== "input" && liveFieldIn(el)) return descend(el, tag, page, ctx, true);
  if (ctx.off && !(ctx.ariaHidden && (isPlainControl(el, tag) || isAriaHiddenPart(el, ctx) || isUsedBySight(el, tag, ctx)))) return descend(el, tag, page, ctx, true);
  // The shown choice of a combo box (Select2) is declared as a text box that takes no text.
  if (role === "textbox" && page.holder?.role === "combobox" && !isEditable(el, tag)) return descend(el, tag, page, ctx, true);
  const fresh = isNew(el);
  let place = placeActor(el, ctx);
  if (place === NOWHERE && knobOf(el) !== null) place = placeOf(boxOf(knobOf(el)), ctx.rootClip);
  if (place === COVERED && (role === "row" || CELLS.has(role)) && isCoveredByOwn(el, ctx)) return passive(el, tag, role, page, ctx, true);
  const covered = place === COVERED && isStillThere(el, role, tag, ctx);
  if (covered) place = IN_VIEW;
  // Cells of a row may take all of its presses; it is a row all the same.
  if (place === COVERED && role === "row") return holder(el, tag, role, page, ctx, true);
  if (place === NOWHERE || place === COVERED || (ctx.off && place !== IN_VIEW)) {
    if (place === COVERED || (place === NOWHERE && ctx.ownClip?.hard === true && boxOf(el).width > 1)) noteClippedControl(el, tag, role, page, ctx);
    if (place === COVERED || (place === NOWHERE && isShrunk(el))) ctx.mute = true;
    if (!SELF_CONTAINED.has(tag)) descend(el, tag, page, ctx, true);
    return;
  }
  if (place === DEAD && role === "combobox" && page.holder?.el === closest(el, "[role=combobox]:not(input)")) return;
  if (place === DEAD && SWITCHES.has(role) && noteSilentBox(el)) return SELF_CONTAINED.has(tag) ? undefined : descend(el, tag, page, ctx, true);
  const line = { role, name: null, el, tag, kind: ACTOR, place: place === DEAD ? IN_VIEW : place, isNew: fresh };
  if (place === DEAD) line.dead = true;
  if (covered) line.covered = true;
  if (ctx.menu || (knowsContextMenus && opensMenu(el, tag))) line.menu = true;
  if (someDoubled && !itemParts.has(el) && isDoubled(el, ctx)) line.double = true;
  if (ctx.hover) line.hover = true;
  if (role === "combobox" && tag === "input" && el.value === "") line.drawnValue = valueBeneath(el);
  if (ctx.scroll !== undefined) line.scroll = ctx.scroll;
  const wide = role === "clickable" && !ctx.hover ? wideName(el, tag) : null;
  if (wide !== null) line.name = wide.name;
  const mark = page.open(line);
  if (mark === null) return;
  if (fresh && pointedAt !== null) noteListedUnder(el);
  offeredAt.set(el, walkCount);
  if (!SELF_CONTAINED.has(tag) && !isEditable(el, tag) && (childElementCount(el) > 0 || shadowRootOf(el) !== null || wide !== null || PRESSED_HOLDERS.has(role))) {
    if (PRESSED_HOLDERS.has(role)) ctx.mute = false;
    else if (wide === null ? role !== "row" : wide.whole) ctx.mute = true;
    ctx.partsOf = el;
    ctx.parts = wide === null ? ACTED_ON.has(role) && ((role === "treeitem" && markArrowOf(el)) || holdsPartsThatReact(el)) : wide.whole;
    descend(el, tag, page, ctx, true);
  }
  // A cell without words is what it holds.
  if (CELLS.has(role) && page.lines.length === mark.at + 2 && page.lines[mark.at + 1].kind === ACTOR && contentName(el) === "") line.kind = HOLDER;
  page.close(mark);
}

/** Reports whether a covered control is listed all the same: the last observation has shown it. */
const isStillThere = (el, role, tag, ctx) => !ctx.off && (wasShown(el) || standsForShown(el, role, tag));

/** Boxes that let presses through to the item around them, by that item, whose state they draw. */
const silentBoxes = new WeakMap();
/** Returns the box that draws the state of another element, or null. */
const silentBoxOf = (el) => [silentBoxes.get(el)].find((box) => box !== undefined && box !== el && isConnected(box)) ?? null;
const MOST_AROUND_BOX = 8;
const BOXED_ITEMS = words("treeitem option row menuitem menuitemcheckbox listitem clickable");

/** Records a box that lets presses through as the state of the listed item around it; reports whether there is one. */
function noteSilentBox(el, box = el) {
  for (let node = drawnParent(el), steps = 0; node !== null && steps < MOST_AROUND_BOX; node = drawnParent(node), steps++) {
    const listed = offeredAt.get(node) === walkCount;
    if (listed && (BOXED_ITEMS.has(roleOf(node)) || roleOf(node) === "")) return silentBoxes.set(node, box) !== null;
    if (listed) return false;
  }
  return false;
}

const LARGEST_STEP = 80;
const LEVELS_TO_PAIR = 3;

/** Reports whether an element without words is one of a pair of drawn arrows, to the next and the previous of something; what is around listens. */
function isDrawnStep(el, ctx) {
  const words = /\b(?:prev(?:ious)?|next)\b/.exec(nameInPlainClass(el));
  if (words === null || (ctx.mute && (ctx.partsOf === null || ACTED_ON.has(roleOf(ctx.partsOf))))) return false;
  const { width, height } = rectOf(el);
  if (Math.max(width, height) > LARGEST_STEP || Math.min(width, height) < SMALLEST_PART || (styleOf(el).backgroundImage === "none" && !drawsMark(el))) return false;
  let around = el;
  for (let steps = 0; steps < LEVELS_TO_PAIR && parentElement(around) !== null; steps++) around = parentElement(around);
  const isPaired = query(around, words[0] === "next" ? "[class*=prev i]" : "[class*=next i]") !== null;
  return isPaired && itemAt.set(el, walkCount) !== null;
}

/** Marks the arrow that opens an item of a tree, which the tree listens for; reports whether there is one. */
function markArrowOf(item) {
  if (!hasAttr(item, "aria-expanded")) return false;
  const isOwn = (one) => closest(one, "[role=treeitem]") === (getRootNode(one) === getRootNode(item) ? item : null);
  const parts = [item, shadowRootOf(item)].filter((one) => one !== null).flatMap((one) => Array.prototype.slice.call(queryAll(one, "[class],[part]"), 0, MOST_REACTORS));
  const arrow = parts.find((one) => isOwn(one) && !ACTED_ON.has(roleOf(one)) && isDrawnPart(one) && !ITEM_BOX.test(attr(one, "class") ?? "") && styleOf(one).pointerEvents !== "none");
  if (arrow === undefined) return false;
  someItemParts = itemParts.set(arrow, { box: false, row: item }) !== null;
  return itemAt.set(arrow, walkCount) !== null;
}

/** Prevents a control that was disabled temporarily from being marked `new` when it is enabled. */
function meetSwitchedOff(el, ctx) {
  if (eidByNode.has(el) && isShown(el) && placeOf(boxOf(el), ctx.ownClip) !== NOWHERE) isNew(el);
}

const LEAST_KNOB = 8;

/** Returns the drawn knob in which the native slider of a drawn one is clipped away, or null. */
function knobOf(el) {
  if (localName(el) !== "input" || inputType(el) !== "range") return null;
  for (let node = drawnParent(el), steps = 0; node !== null && steps < 3; node = drawnParent(node), steps++) {
    const { width, height } = rectOf(node);
    if (width >= LEAST_KNOB && height >= LEAST_KNOB && isShown(node)) return node;
  }
  return null;
}

/** Returns the field of a wrapper that is a combobox, too, as the field is. */
const fieldOfWrapper = (el) => query(el, "input[role=combobox]");

/** Reports whether the field of a wrapper takes clicks itself; then it stands for both. */
function liveFieldIn(el) {
  const field = fieldOfWrapper(el);
  return field !== null && isShown(field) && rectOf(field).width > 1 && styleOf(field).pointerEvents !== "none";
}

const MOST_POINTS = 14;
const COVERED = 7;
/** Place of an element that is visible but lets clicks through (pointer-events: none). */
const DEAD = 6;

/** Returns the place of an element to act on, which may be COVERED or DEAD. */
function placeActor(el, ctx) {
  const rect = boxOf(el);
  const place = placeOf(rect, ctx.ownClip);
  if (place === NOWHERE) return place;
  if (place !== IN_VIEW) return (fullLayer !== null && !drawnInside(el, fullLayer)) || isUnderPanel(el, ctx.ownClip) ? COVERED : place;
  const part = seenPart(rect, ctx.ownClip);
  if (part === null) return place;
  const { ok, met } = hitPointInTime(el, part, localName(el) === "label" ? MOST_POINTS : 4);
  if (ok) remember(el, rect);
  if (ok || (met !== null && stretchedPoint(el, (box) => seenPart(box, ctx.ownClip), MOST_POINTS) !== null)) return place;
  const edge = edgeAcross(rect, part, ctx.ownClip);
  if (edge !== IN_VIEW && met !== null) return edge;
  if (met === null) return COVERED;
  return styleOf(el).pointerEvents === "none" && drawnInside(el, met) ? DEAD : underBar(met, part, ctx.ownClip);
}

/** Reports whether the parts of a row that react by themselves leave nothing of it to press. */
function isCoveredByOwn(el, ctx) {
  const part = seenPart(boxOf(el), ctx.ownClip);
  const met = part === null ? null : hitPoint(el, part, 1).met;
  return met !== null && met !== el && drawnInside(met, el);
}

/** Returns the side on which most of an element lies beyond a scrollable edge; IN_VIEW if there is none. */
function edgeAcross(rect, part, clip) {
  if (part.bottom - part.top > rect.height / 2) return IN_VIEW;
  for (let c = clip; c !== null; c = c.outer) {
    if (c.reach === null) continue;
    if (rect.bottom > c.bottom + 1 && c.reach.bottom >= rect.bottom - 1) return BELOW;
    if (rect.top < c.top - 1 && c.reach.top <= rect.top + 1) return ABOVE;
  }
  return IN_VIEW;
}

/** Returns the direction in which to scroll for an element under a fixed bar; otherwise COVERED. */
function underBar(met, part, clip) {
  const root = scrollRoot();
  const above = scrollTopOf(root);
  const below = scrollHeightOf(root) - innerHeight - above;
  for (let node = met, steps = 0; node !== null && steps < 100; node = drawnParent(node), steps++) {
    const position = styleOf(node).position;
    if (position !== "fixed" && position !== "sticky") continue;
    const bar = rectOf(node);
    const freed = ownerDocument(node) === document ? freedByPane(bar, part, clip) : COVERED;
    if (freed !== COVERED) return freed;
    if (bar.height > innerHeight / 3 || ownerDocument(node) !== document) return COVERED;
    if (bar.top <= 1 && part.top < innerHeight / 2 && above > 1) return ABOVE;
    if (bar.bottom >= innerHeight - 1 && part.bottom > innerHeight / 2 && below > 1) return BELOW;
    return COVERED;
  }
  return COVERED;
}

const LEAST_FREED = 4;

/** Returns the direction in which a pane can be scrolled until an element in it is free of a bar; otherwise COVERED. */
function freedByPane(bar, part, clip) {
  for (let c = clip; c !== null && c.el !== null; c = c.outer) {
    if (c.reach === null || bar.height > (c.bottom - c.top) / 2) continue;
    if (bar.bottom >= Math.min(c.bottom, innerHeight) - 1 && part.top - (c.reach.bottom - c.bottom) < bar.top - LEAST_FREED) return BELOW;
    if (bar.top <= Math.max(c.top, 0) + 1 && part.bottom + (c.top - c.reach.top) > bar.bottom + LEAST_FREED) return ABOVE;
  }
  return COVERED;
}

/**
 * Reports whether a control works although the page hides it from screen readers. One that cannot even be focused
 * duplicates content from elsewhere.
 */
const isPlainControl = (el, tag) =>
  (/^(?:button|input|select|textarea|summary)$/.test(tag) || (tag === "a" && hasAttr(el, "href"))) && !(Number(attr(el, "tabindex") ?? 0) < 0);

/**
 * Reports whether a person sees and presses something that the page keeps from screen readers and from the focus: the
 * menu of a column, the items of a drawn calendar.
 */
function isUsedBySight(el, tag, ctx) {
  if (ctx.mute || !(listening.has(el) || isHinted(el) || hasPointer(el)) || SHADES.test(attr(el, "class") ?? "")) return false;
  return /^(?:button|a|input|select|textarea)$/.test(tag) ? !isDisabled(el) : contentName(el) !== "" || guessName(el) !== "";
}

/** Reports whether a part of a control reacts by itself, and only screen readers have another way: the cross of a chip. */
const isAriaHiddenPart = (el, ctx) => ctx.parts && attr(el, "aria-hidden") === "true" && (listening.has(el) || isHinted(el) || (someItemParts && isItem(el) && itemParts.has(el)));

/**
 * Names a clickable element that contains other elements to act on, or much text: {name, whole}. `whole`: the name
 * says all its text, so that only those elements get lines of their own. Null if it is named by its content.
 */
function wideName(el, tag) {
  const ownName = attr(el, "aria-label") || attr(el, "title");
  const known = judgedAt.get(el);
  const partly = known?.walk === walkCount && known.kind === PARTLY;
  const controls = firstElementChild(el) !== null && holdsDrawnControl(el);
  const text = contentName(el);
  if (!partly && !controls) return text.length <= LONGEST_CLICKABLE ? null : { name: ownName ? cleanName(ownName) : briefName(el, text), whole: false };
  const besides = (!ownName && nameOfNative(el, "clickable")) || (query(el, HEADINGS) === null ? textBesides(el) : "");
  if (besides !== "" && besides.length <= LONGEST_CLICKABLE) return { name: cleanName(ownName || besides), whole: !ownName };
  if (ownName) return { name: cleanName(ownName), whole: false };
  return { name: briefName(el, besides || text) || nameOf(el, "clickable", tag), whole: false };
}

/** Reports whether a control contains something smaller that reacts by itself: the cross of a chip or of a tab. */
const holdsPartsThatReact = (el) => holdsItemParts(el) || (namespaceOf(el) === SVG ? shapesThatReact(el) : reactorsIn(el)).some((part) => reactsApart(part, el));

const shapesThatReact = (el) => Array.prototype.slice.call(queryAll(el, "*"), 0, MOST_REACTORS).filter((part) => listening.has(part));

const HEADINGS = "h1,h2,h3,h4,h5,h6,[role=heading]";

/** Names a clickable element with much content by its heading or its first words. */
function briefName(el, text) {
  const title = query(el, HEADINGS);
  return cut((title && contentName(title)) || text, 80);
}

/** Returns the text of an element without the elements in it that can be acted on by themselves. */
function textBesides(el) {
  const skip = new Set([...reactorsIn(el), ...pressedIn(el)]);
  for (const control of queryAll(el, CONTROLS)) skip.add(control);
  const parts = { text: "", left: 400, evenHidden: false, own: false, skip };
  gather(el, parts, 0);
  return clean(parts.text);
}

const LONGEST_CLICKABLE = 120;
const CONTROLS = "a[href],button,input,select,textarea,[role=button],[role=link],[role=checkbox]";

/** Reports whether an element listens for double clicks on what it contains. */
const isDoubledHolder = (el, tag) => doubled.has(el) && tag !== "body" && tag !== "html" && firstElementChild(el) !== null;

/** Reports whether an element within one that listens for double clicks is a row of a table, or a text of an item. */
function isDoubledPart(el, tag) {
  if (tag === "tr") return query(el, "th") === null || query(el, "td") !== null;
  if (childElementCount(el) > 0 || NO_ITEM_TEXT.has(tag) || neverClicked(el, tag)) return false;
  const item = closest(el, "li,[role=row],[role=listitem]");
  const text = item === null ? "" : contentName(el);
  return text !== "" && text.length <= LONGEST_CLICKABLE && !isSymbol(text);
}

const NO_ITEM_TEXT = words("td th b i em strong code small svg path time");

/** Reports whether a double click on an element does something. */
const isDoubled = (el, ctx) => doubled.has(el) || (ctx.doubled === true && (isItem(el) || isDoubledPart(el, localName(el))));

const LEAST_CARD = 48;

/** Reports whether an element that listens is a drawn card with words beside its one control, which are not the control's name. */
function reactsBesideControl(el) {
  if (!listening.has(el) || firstElementChild(el) === null || /^(?:td|th|tr|label)$/.test(localName(el))) return false;
  const controls = Array.prototype.filter.call(queryAll(el, CONTROLS), isShown);
  const { width, height } = rectOf(el);
  if (controls.length !== 1 || height < LEAST_CARD || width < LEAST_CARD || !isDrawnBox(styleOf(el))) return false;
  const words = textBesides(el);
  const name = nameOf(controls[0], roleOf(controls[0]));
  return words !== "" && !isSymbol(words) && words.length <= LONGEST_BESIDE && !name.includes(words) && !(name !== "" && words.includes(name));
}

/** Reports whether a box is drawn by a border, a shadow or a ground of its own. */
const isDrawnBox = (style) =>
  (style.borderTopStyle !== "none" && style.borderBottomStyle !== "none" && style.borderLeftStyle !== "none") || style.boxShadow !== "none" || !NO_PAINT.test(style.backgroundColor);

/** Greatest opacity at which nobody sees a field. */
const NEARLY_TRANSPARENT = 0.1;

/** Returns the value that is drawn beneath an empty field that is all but transparent; "" for other fields. */
function valueBeneath(el) {
  if (Number(styleOf(el).opacity) > NEARLY_TRANSPARENT) return "";
  const drawn = drawingOf(el);
  return drawn === null ? "" : cleanValue(contentName(filledDrawing(el, drawn)).replace(ARROW_AT_END, ""));
}

const ARROW_AT_END = /\s*[▾▼⌄▿∨˅]\ufe0f?$/u;
