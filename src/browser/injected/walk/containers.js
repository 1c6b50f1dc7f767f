// Lines for elements that are not acted on themselves: containers and other lines with content.

function passive(el, tag, role, page, ctx, seen) {
  if (role === "iframe") return frame(el, tag, page, ctx, seen);
  if (role === "heading") return heading(el, tag, page, ctx, seen);
  if (seen && !ctx.mute) tellDrawnMark(el, tag, role, page, ctx);
  if (tag === "label" && seen) return label(el, tag, page, ctx);
  if (tag === "img" && seen && hasAttr(el, "usemap")) {
    picture(el, tag, role, page, ctx);
    return areasOf(el, page, ctx);
  }
  if (seen && (role === "img" || role === "progressbar" || role === "meter")) return (tag === "svg" && ctx.scroll !== undefined && !ctx.mute ? holder : picture)(el, tag, role, page, ctx, seen);
  if (seen && (tag === "object" || tag === "embed")) return embedded(el, tag, page, ctx);
  if (SELF_CONTAINED.has(tag) && (tag !== "svg" || !seen || !holdsDrawn(el, ctx))) return;
  if (CAPTIONS[tag] !== undefined) caption(el, tag, page, ctx);
  holder(el, tag, role, page, ctx, seen);
}

function holder(el, tag, role, page, ctx, seen) {
  const named = HOLDERS_IF_NAMED.has(role) && hasName(el, tag);
  const dropPlace = seen && !ctx.off && !ctx.mute && isDropPlace(el, tag, role) ? placeOf(boxOf(el), ctx.ownClip) : NOWHERE;
  const drop = dropPlace !== NOWHERE;
  const isModal = page.behinds.length > 0 && page.behinds.some(({ modal }) => modal === el);
  if (ctx.scroll === undefined && !HOLDERS.has(role) && !named && !drop && !isModal) {
    descend(el, tag, page, ctx, seen);
    if (role === "" && seen && !ctx.mute && hasAttr(el, "title")) tip(el, page, ctx);
    return;
  }
  const holds = HOLDERS.has(role) || named;
  const line = { role: holds ? role : isModal ? "dialog" : "region", name: null, el, tag, place: IN_VIEW };
  if (drop) Object.assign(line, { drop, keep: true, place: dropPlace });
  // A pane keeps its number while it has nothing to scroll.
  if ((ctx.scroll !== undefined || ctx.pane || TABULAR.has(role)) && !ctx.off && seen) {
    if (ctx.scroll !== undefined) line.scroll = ctx.scroll;
    if (ctx.pane) line.pane = true;
    line.isNew = isNew(el);
  } else if (role === "dialog" || role === "alertdialog" || role === "alert") line.isNew = isNew(el);
  const mark = page.open(line);
  descend(el, tag, page, ctx, seen);
  if (seen && !ctx.mute && (role === "columnheader" || role === "rowheader") && hasAttr(el, "aria-sort")) tellSort(el, page, ctx);
  page.close(mark);
}

/** Adds how its table is sorted to a head cell without a control, which has a line to tell it. */
function tellSort(el, page, ctx) {
  const sort = sortOfHead(el);
  const { lines } = page;
  if (sort !== "" && !(lines.length > 0 && lines[lines.length - 1].kind === ACTOR && contains(el, lines[lines.length - 1].el))) page.addText(` (${sort})`, el, ctx.clip);
}

const LONGEST_TIP = 120;

/** Adds a tooltip after the text of an element, such as a word, a time or a mark. */
function tip(el, page, ctx) {
  if (firstElementChild(el) !== null || ctx.behind !== null) return;
  const title = clean(attr(el, "title"));
  const text = contentName(el);
  if (title !== "" && title !== text) page.addText(` (${cut(title, LONGEST_TIP)})${text === "" ? " " : ""}`, el, ctx.clip);
}

const hasName = (el, tag) => hasAttr(el, "aria-label") || hasAttr(el, "aria-labelledby") || (tag === "fieldset" && childText(el, "legend") !== "");

const CAPTIONS = { legend: "fieldset", caption: "table", figcaption: "figure" };
/** Content that a name would flatten to text. */
const ARRANGED = "table,ul,ol,dl,pre,[role=table],[role=grid],[role=list]";

/**
 * Treats legend, caption and figcaption as the name of their container, unless it has another name. One that says more
 * than a name can has its own lines, too.
 */
function caption(el, tag, page, ctx) {
  const line = page.holder;
  if (line === null || line.tag !== CAPTIONS[tag] || parentNode(el) !== line.el) return;
  const text = tag === "caption" ? captionWords(el) : contentName(el);
  if (nameOf(line.el, line.role, line.tag) !== cleanName(text)) return;
  if (text.length > LONGEST_NAME || (firstElementChild(el) !== null && query(el, ARRANGED) !== null)) return;
  ctx.mute = true;
  line.caption ??= { text, place: placeOf(boxOf(el), ctx.ownClip) };
}

/** Turns an empty container with a caption into a text line. */
function captionAlone(line) {
  const { text, place } = line.caption ?? {};
  if (!text || place === NOWHERE) return false;
  Object.assign(line, { role: "text", name: cut(text, LONGEST_TEXT), kind: TEXT, place });
  return true;
}

const EMBEDDED_NOTE = "embedded; it can be seen only in the picture";
const PDF_NOTE = "a PDF; extract it to make it a file of this run, and read that";
const LEAST_EMBEDDED = 20;

/** Notes embedded content that the browser's plug-ins or another site display. Fallback content is read instead. */
function embedded(el, tag, page, ctx) {
  let fallback = false;
  drawnChildren(el, tag, (node) => (fallback ||= nodeType(node) === 1 ? isShown(node) : rangeBox(node).width > 0));
  if (fallback) return descend(el, tag, page, ctx, true);
  const { width, height } = rectOf(el);
  const place = placeOf(rectOf(el), ctx.ownClip);
  if (ctx.mute || place === NOWHERE || width < LEAST_EMBEDDED || height < LEAST_EMBEDDED) return;
  const name = nameOf(el, "document", tag) || fileName(attr(el, "data") ?? attr(el, "src") ?? "");
  page.flush();
  const pdf = !ctx.off && pdfAddress(el, tag) !== null;
  const line = { role: "document", name: cleanName(name), el, tag, kind: SHOWN, place, note: EMBEDDED_NOTE };
  page.push(pdf ? Object.assign(line, { kind: ACTOR, isNew: isNew(el), note: PDF_NOTE }) : line);
}

/** Lists the PDF that a frame shows, by the link in its place. */
function framedPdf(link, page, clip) {
  const place = placeOf(rectOf(rootElementOf(ownerDocument(link))), clip);
  const name = cleanName(contentName(query(bodyOf(ownerDocument(link)), "h1")) || pdfName(link.href));
  page.push({ role: "document", name, el: link, tag: "a", kind: ACTOR, place: place === NOWHERE ? IN_VIEW : place, isNew: isNew(link), note: PDF_NOTE });
}

/** Lists an element so that the pointer can be moved over it. */
function hoverable(el, tag, role, page, ctx) {
  page.hovers++;
  ctx.hover = true;
  actor(el, tag, role === "row" ? role : "clickable", page, ctx);
}

/** Reports whether a custom element is drawn by one control in its shadow tree, which has the role and the states. */
function standsForInner(el) {
  const shadow = shadowRootOf(el);
  if (shadow === null) return false;
  if (queryAll(shadow, SLIDERS).length === 1) return true;
  const controls = Array.prototype.filter.call(queryAll(shadow, CONTROLS), isShown);
  if (controls.length !== 1) return false;
  if (isNativeBox(controls[0]) && labelElementsOf(controls[0]).length > 0) return true;
  const [inner, outer] = [rectOf(controls[0]), boxOf(el)];
  return inner.width * inner.height >= outer.width * outer.height * MOST_OF_IT && !isDisabled(controls[0]);
}

const SLIDERS = "input[type=range],[role=slider]";

/** Reports whether an element is the track of the slider in it, which stands for both. */
const isTrack = (el) => firstElementChild(el) !== null && query(el, SLIDERS) !== null && drawsField(el);

const LARGEST_PADDING = 10000;

/** Reports whether an element draws nothing but some space around a control: a narrow cell around an icon. */
function isPaddingOf(el, control) {
  const { width, height } = rectOf(el);
  if (width * height > LARGEST_PADDING || styleOf(el).backgroundImage !== "none") return false;
  for (let node = control; node !== null && node !== el; node = parentNode(node)) if (nextElement(node) !== null || previousElement(node) !== null) return false;
  return true;
}

/** Reports whether a cell, or the drawing of a box, holds one control and says no more than it, so that the control stands for both. */
function holdsJustControl(el, tag) {
  if (firstElementChild(el) === null) return false;
  const all = Array.from(queryAll(el, CONTROLS));
  const controls = all.filter((one) => !all.some((other) => other !== one && contains(other, one)));
  if (controls.length !== 1 || !(tag === "td" || tag === "th" || isBox(controls[0]) || isPaddingOf(el, controls[0]))) return false;
  const words = contentName(el);
  return words === "" || words === (labelledBy(controls[0]) || attr(controls[0], "aria-label") || labelText(controls[0]));
}

const DEEPEST_GROUP = 8;
const GROUPING = words("div ul ol menu section nav aside header footer main article li");

/**
 * Returns the items of the groups within a container that listens for all of them (menus, branches of a tree), with single
 * tiles beside them; null if anything else stands beside them.
 */
function nestedItemsIn(el) {
  const items = [];
  if (!addNestedItems(el, items, 0, true) || items.length < LEAST_MENU || items.length > MOST_ITEMS) return null;
  const small = items.filter((one) => rectOf(one).height < LEAST_ITEM || contentName(one).length > LONGEST_CLICKABLE);
  return small.length > 0 || !items.some((one, i) => i > 0 && isAlike(one, items[0])) ? null : items;
}

/** Adds the items within a part of a container; reports whether it consists of items. `outer`: the part may hold different groups. */
function addNestedItems(el, items, depth, outer) {
  const parts = wordyChildren(el);
  if (parts === null || parts.length === 0 || depth > DEEPEST_GROUP) return false;
  const groups = parts.filter(isGroupOfItems);
  const single = parts.length === 1 && groups.length === 0;
  const alike = single ? !outer : parts.every((one) => isAlike(one, parts[0]) && (classesOf(one).length > 0 || localName(one) === "li"));
  const free = outer && !single && (groups.length === parts.length || groups.length >= 2);
  return (alike || free) && parts.every((one) => {
    const branch = localName(one) === "li" ? branchOf(one) : null;
    if (branch !== null) return items.push(innermostOf(branch.head)) > 0 && addNestedItems(branch.list, items, depth + 1, false);
    if (groups.includes(one)) return addNestedItems(one, items, depth + 1, false);
    return (alike || isTile(one)) && items.push(innermostOf(one)) > 0;
  });
}

/** Returns the shown children with words; null if words stand beside them. */
function wordyChildren(el) {
  const found = [];
  for (let node = firstChild(el), left = MOST_ITEMS; node !== null && left > 0; node = nextSibling(node), left--) {
    if (nodeType(node) === 3 && textData(node).trim() !== "") return null;
    if (nodeType(node) === 1 && isShown(node) && contentName(node) !== "") found.push(node);
  }
  return found;
}

/** Reports whether an element holds a list of things of one kind and no words of its own. */
function isGroupOfItems(el) {
  if (!GROUPING.has(localName(el))) return false;
  const parts = wordyChildren(el);
  if (parts === null || parts.length === 0) return false;
  if (parts.length === 1) return localName(parts[0]) === "li" || isGroupOfItems(parts[0]);
  const [first] = parts;
  return ITEM_TAGS.has(localName(first)) && parts.every((one) => isAlike(one, first)) && (localName(first) === "li" || classesOf(first).length > 0);
}

/** Returns the line of a list item and the list below it, or null. */
function branchOf(item) {
  const parts = wordyChildren(item);
  if (parts?.length !== 2 || !/^[uo]l$/.test(localName(parts[1]))) return null;
  return { head: parts[0], list: parts[1] };
}

/** Reports whether an element of a class of its own is a thing of several parts: a picture and its words. */
const isTile = (el) => GROUPING.has(localName(el)) && classesOf(el).length > 0 && childElementCount(el) >= 2 && !INLINE.has(localName(el));

/** Returns the innermost element that says all words of an item, so that a press is within whatever the page looks for. */
function innermostOf(el) {
  let inner = el;
  for (let parts = wordyChildren(inner), steps = 0; parts?.length === 1 && steps < DEEPEST_GROUP && ITEM_TAGS.has(localName(parts[0])); parts = wordyChildren(inner), steps++) inner = parts[0];
  return inner;
}

/** Words by which authors call the box and the arrow that they draw in each item, and for which the container listens. */
const ITEM_BOX = /(?:^|[-_\s])(?:check|tick|select)-?box(?=$|[-_\s])/i;
const ITEM_ARROW = /(?:^|[-_\s])(?:expand(?:er)?|collapser|toggler|twist(?:ie|y)|disclosure|(?:expand|collapse|tree|node)-?(?:icon|button|arrow|toggle|toggler|switch|switcher|caret))(?=$|[-_\s])/i;
const [SMALLEST_PART, LARGEST_PART] = [8, 40];
const MOST_ITEM_PARTS = 200;

/** Boxes and arrows drawn in the items of containers that listen for them: {box, row}. */
const itemParts = new WeakMap();
let someItemParts = false;

/** Reports whether an element is a small drawing without words that its class calls a box or an arrow. */
function isDrawnPart(el) {
  const classes = `${attr(el, "class")} ${attr(el, "part") ?? ""}`;
  if (!ITEM_TAGS.has(localName(el)) || !(ITEM_BOX.test(classes) || ITEM_ARROW.test(classes)) || !isSymbol(contentName(el)) || query(el, FIELD_OR_CONTROL) !== null) return false;
  const { width, height } = rectOf(el);
  if (Math.min(width, height) < SMALLEST_PART || Math.max(width, height) > LARGEST_PART || !isShown(el)) return false;
  return contentName(el) !== "" || childElementCount(el) > 0 || iconOf(el) !== "" || isDrawnBox(styleOf(el)) || styleOf(el).backgroundImage !== "none" || drawsMark(el);
}

const drawsMark = (el) => ["::before", "::after"].some((place) => !/^(?:none|normal|"\s*")$/.test(getComputedStyle(el, place).content));

/** Marks the boxes and arrows in the items of a container, each of which is pressed for itself. */
function markItemParts(set) {
  const parts = Array.prototype.filter.call(queryAll(set, "[class]"), isDrawnPart).slice(0, MOST_ITEM_PARTS);
  const boxes = new Set(parts.filter((part) => ITEM_BOX.test(attr(part, "class"))));
  for (const part of parts) {
    const alike = parts.filter((other) => boxes.has(other) === boxes.has(part));
    let row = part;
    for (let node = parentElement(part); node !== null && node !== set && alike.every((other) => other === part || !contains(node, other)); node = parentElement(node)) row = node;
    if (row === part && rectOf(set).height <= ONE_ROW) row = set;
    if (row === part || (boxes.has(part) && query(row, "input") !== null)) continue;
    someItemParts = itemParts.set(part, { box: boxes.has(part), row }) !== null;
    itemAt.set(part, walkCount);
  }
}

const isItemBox = (el) => someItemParts && isItem(el) && itemParts.get(el)?.box === true;
const itemPartsIn = (el) => (someItemParts ? Array.prototype.slice.call(queryAll(el, PRESSED_PARTS), 0, MOST_REACTORS).filter((one) => isItem(one) && itemParts.has(one)) : []);

const holdsItemParts = (el) => itemPartsIn(el).length > 0;

/** Names a box in an item by the item, and an arrow by what it does; "" for other elements. */
function nameOfItemPart(el) {
  const part = someItemParts ? itemParts.get(el) : undefined;
  if (part === undefined || part.pressed) return "";
  return part.box ? cut(firstWords(part.row, new Set([el])), LONGEST_BESIDE) : keepGuess(el, "expander");
}

const ROW_IS_ON = /(?:^|[-_\s])(?:selected|checked|ticked)(?=$|\s)/i;
const PARTLY_ON = /(?:^|[-_\s])(?:mixed|indeterminate|partial(?:ly)?|partsel|square-minus|dash-square)(?=$|[-_\s])/i;
const POINTS_DOWN = /(?:^|[-_\s])(?:down|expanded|opened|open|minus)(?=$|[-_\s])/i;
const POINTS_ASIDE = /(?:^|[-_\s])(?:right|left|collapsed|closed|plus)(?=$|[-_\s])/i;

/** Adds the state of a box or an arrow in an item; reports whether the element is one. */
function itemPartInto(out, el) {
  const part = someItemParts ? itemParts.get(el) : undefined;
  if (part === undefined || part.pressed) return false;
  const rowClasses = attr(part.row, "class") ?? "";
  if (part.box) {
    if (PARTLY_ON.test(attr(el, "class"))) out.mixed = true;
    else if (drawnState(el) ?? ROW_IS_ON.test(rowClasses)) out.checked = true;
    return true;
  }
  const stated = { true: "expanded", false: "collapsed" }[attr(part.row, "aria-expanded")];
  const drawing = stated ?? `${[el, ...queryAll(el, "[class]")].map((one) => attr(one, "class")).join(" ")} ${rowClasses} ${contentName(el)}`;
  if (/[▾▼▽⌄−]/u.test(drawing) || (!stated && isQuarterTurned(el)) || POINTS_DOWN.test(drawing)) out.expanded = true;
  else if (/[▸▶►▷›]/u.test(drawing) || POINTS_ASIDE.test(drawing)) out.collapsed = true;
  return true;
}

/** Reports whether an arrow is turned by a quarter: it points down where it pointed aside. */
function isQuarterTurned(el) {
  const [, a, b] = /^matrix\(([-\d.e]+), ([-\d.e]+)/.exec(styleOf(el).transform) ?? [];
  return a !== undefined && Math.abs(Number(a)) < 0.1 && Math.abs(Number(b)) > 0.9;
}
