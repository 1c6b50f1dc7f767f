// Elements that read the same, such as a button in every row: each tells the row, card or dialog that it belongs to.

const LONGEST_THING = 60;
const MOST_LEVELS_AROUND = 40;
const MOST_ALIKE = 400;
const PRESSED_TAGS = "button,input,select,textarea,[role=button],[role=checkbox],[role=radio],[role=switch]";

/** Sets the attribute `in` of shown elements to act on that have the same role and name as others. */
function tellThings(page) {
  const groups = new Map();
  for (const line of page.lines) {
    if (!line.shown || line.kind !== ACTOR || line.attrs === undefined || line.attrs === null) continue;
    const key = `${line.role}|${line.name}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [line]);
    else group.push(line);
  }
  const surroundings = new Surroundings();
  for (const group of groups.values()) if (group.length > 1 && group.length <= MOST_ALIKE) tellThingsOf(group, surroundings);
  tellDays(page);
}

/** Matches the name of a day in a calendar; the days beside it are no title of it. */
const DAY = /^\d{1,2}$/;

function tellThingsOf(group, surroundings) {
  const members = new Set(group.map((line) => line.el));
  const held = new Map();
  for (const el of members) {
    for (let node = el, steps = 0; node !== null && steps < MOST_LEVELS_AROUND; node = drawnParent(node), steps++) held.set(node, (held.get(node) ?? 0) + 1);
  }
  const things = group.map((line) => thingAround(line.el, held));
  const titles = things.map((thing, i) => (thing === null ? "" : titleOfThing(thing, group[i], members) || valueOfThing(thing, members)) || cut(surroundings.flat(group[i].el), LONGEST_THING));
  tellTerms(titles, group);
  tellApart(titles, things, members);
  if (titles.every((title) => title === titles[0])) tellColours(group, titles);
  const seen = countEach(titles);
  group.forEach((line, i) => {
    if (titles[i] === "" || (DAY.test(titles[i]) && DAY.test(line.name))) return;
    const title = seen.get(titles[i]) > 1 && things[i] !== null ? longerTitle(things[i], members) || titles[i] : titles[i];
    if (title !== line.name) line.attrs.in = title;
  });
}

const NAMING_FIELDS = "input,textarea,select";
const MOST_NAMING_FIELDS = 12;
const NO_NAMING_INPUT = words("checkbox radio button submit reset image file hidden color range number");

/** Returns the value of the first field of a row without words, as that of a line of an invoice; "" if it tells nothing. */
function valueOfThing(thing, members) {
  const fields = Array.prototype.slice.call(queryAll(thing, NAMING_FIELDS), 0, MOST_NAMING_FIELDS);
  const first = fields.find((field) => !(localName(field) === "input" && NO_NAMING_INPUT.has(inputType(field))) && isShown(field));
  if (first === undefined || members.has(first) || isSecret(first)) return "";
  const value = localName(first) === "select" ? valueInLabel(first, "select") : String(first.value ?? "").slice(0, LONGEST_WORK);
  return /\p{L}/u.test(value) ? cut(clean(value), LONGEST_THING) : "";
}

const LARGEST_SWATCH = 60;

/** Takes the colours of small buttons without words as their titles, if these alone tell them apart. */
function tellColours(group, titles) {
  const colours = group.map(({ el }) => {
    const { width, height } = rectOf(el);
    return Math.max(width, height) <= LARGEST_SWATCH && isSymbol(contentName(el)) ? hexColour(shownPaint(el)) : "";
  });
  if (colours.includes("") || new Set(colours).size < 2) return;
  colours.forEach((colour, i) => (titles[i] = colour));
}

const countEach = (titles) => {
  const seen = new Map();
  for (const title of titles) seen.set(title, (seen.get(title) ?? 0) + 1);
  return seen;
};

/** Replaces equal titles in descriptions of a list of terms by the terms described. */
function tellTerms(titles, group) {
  const seen = countEach(titles);
  group.forEach(({ el }, i) => {
    const term = seen.get(titles[i]) > 1 ? termOf(el) : "";
    if (term !== "") titles[i] = term;
  });
}

/** Returns the words of the term that the description around an element belongs to; "" for other elements. */
function termOf(el) {
  let node = closest(el, "dd");
  while (node !== null && localName(node) === "dd") node = previousElement(node);
  return node === null || localName(node) !== "dt" || !isShown(node) ? "" : cut(wordsWithout(node, new Set(queryAll(node, PRESSED_TAGS))), LONGEST_THING);
}

/** Replaces titles that are the labels of boxes in each row ("Pin run") by the first words beside those, where these tell the rows apart. */
function tellApart(titles, things, members) {
  const seen = countEach(titles);
  const isTwice = (title, i) => title !== "" && seen.get(title) > 1 && things[i] !== null;
  if (!titles.some(isTwice)) return;
  const skip = new Set([...members, ...queryAll(document, "label")]);
  const others = titles.map((title, i) => (isTwice(title, i) ? cut(wordsOfRow(things[i], skip), LONGEST_THING) : title));
  const count = countEach(others);
  others.forEach((title, i) => {
    if (title !== "" && count.get(title) === 1) titles[i] = title;
  });
}

/** Returns the largest element around one of several alike that holds no other of them; null if that is itself. */
function thingAround(el, held) {
  let thing = null;
  for (let node = drawnParent(el), steps = 0; node !== null && steps < MOST_LEVELS_AROUND; node = drawnParent(node), steps++) {
    if ((held.get(node) ?? 0) > 1) return thing;
    if (localName(node) === "body") return null;
    thing = node;
  }
  return null;
}

/** Names a row, card or dialog: its own name, its heading, its first cell, or its first words. */
function titleOfThing(thing, line, members) {
  for (const named of [thing, closest(line.el, "dialog,[role=dialog],[role=alertdialog]")]) {
    if (named === null || !drawnInside(named, thing)) continue;
    const role = roleOf(named);
    const name = role === "dialog" || role === "alertdialog" || isNamedThing(named, role) ? nameOf(named, role) : "";
    if (name !== "") return cut(name, LONGEST_THING);
  }
  return cut(nearestTitle(thing, line.el, members), LONGEST_THING);
}

/** Returns the label that an element states; "" if that of a row is an instruction ("Press space to select this row"). */
function ownLabel(el, role) {
  const label = attr(el, "aria-label")?.trim();
  if (label && namespaceOf(el) === SVG) return labelOfWire(el, label);
  return label && role === "row" && (INSTRUCTION.test(label) || isLabelOfEachRow(el, label)) ? "" : label;
}

const INSTRUCTION = /^(?:press|click|tap|use|hit) .*\b(?:select|deselect|toggle|choose|expand|open|edit)\b/i;

/** Reports whether the row beside a row has the same label. */
const isLabelOfEachRow = (el, label) => [previousElement(el), nextElement(el)].some((other) => other !== null && attr(other, "aria-label")?.trim() === label && roleOf(other) === "row");

/** Reports whether a thing has a name of its own; the label of a row may be an instruction. */
const isNamedThing = (el, role) => hasName(el, localName(el)) && (role !== "row" || labelledBy(el) !== "" || ownLabel(el, role) !== "");

/** Returns the heading, caption, or first words of the innermost element around another one that has any, up to a thing. */
function nearestTitle(thing, el, members) {
  const skipped = new Set(members);
  const role = attr(el, "role");
  // Other tabs or items of the menu are no title of one.
  if (role !== null && /^(?:tab|menuitem|option)/.test(role)) for (const other of queryAll(thing, `[role=${role}]`)) skipped.add(other);
  // The heads of the other columns are no title of one.
  const head = closest(el, "th,[role=columnheader]");
  const isHead = head !== null && isOfHead(head);
  for (let node = el, steps = 0; node !== null && steps < MOST_LEVELS_AROUND; node = drawnParent(node), steps++) {
    for (const selector of [HEADINGS, "legend,caption,figcaption"]) {
      const title = node === el ? null : firstShown(node, selector);
      const words = title === null ? "" : wordsWithout(title, members);
      if (words !== "") return words;
    }
    if (node === thing) return isHead ? "" : wordsOfRow(thing, skipped);
    if (node === el || isHead || !isRowLike(node)) continue;
    const words = wordsOfRow(node, skipped);
    if (words !== "") return words;
    // The items beside one without words of its own are no title of it.
    if (drawnParent(node) !== null && !isUnderHeads(node)) for (const other of childrenOf(drawnParent(node))) skipped.add(other);
  }
  return "";
}

/** Returns the first words of an element; of a row whose pinned columns are drawn apart, those of its first part. */
function wordsOfRow(node, skipped) {
  const index = attr(node, "role") === "row" ? attr(node, "aria-rowindex") : null;
  const grid = index === null ? null : closest(node, "[role=grid],[role=treegrid]");
  const parts = grid === null ? [node] : queryAll(grid, `[role=row][aria-rowindex="${CSS.escape(index)}"]`);
  for (const part of parts) {
    const words = firstWords(part, skipped);
    if (words !== "") return words;
  }
  return "";
}

const isRowLike = (node) => ROW_TAGS.has(localName(node)) || ROW_ROLES.has(attr(node, "role")) || isRepeated(node, localName(node));

/** Returns the words of an element without those of controls in it. */
function wordsWithout(el, members) {
  const parts = { text: "", left: 400, evenHidden: false, own: false, skip: members };
  gather(el, parts, 0);
  return clean(parts.text) || contentName(el);
}

function firstShown(el, selector) {
  const found = query(el, selector);
  return found !== null && isShown(found) ? found : null;
}

/** Returns the text of the first cell or other innermost block of a thing that has letters or digits. */
function firstWords(thing, members) {
  let words = "";
  let left = 200;
  const search = (el) => drawnChildren(el, localName(el), (node) => {
    if (words !== "" || left-- <= 0) return;
    if (nodeType(node) === 3) {
      if (/[\p{L}\p{N}]/u.test(textData(node))) words = nodeType(el) === 1 && el !== thing ? contentName(el) : clean(textData(node));
      return;
    }
    if (nodeType(node) !== 1 || members.has(node) || isLabelOfOther(node, members) || NOT_CONTENT.has(localName(node)) || matches(node, PRESSED_TAGS) || (localName(node) !== "slot" && !isShown(elementWithBox(node)))) return;
    if (localName(node) === "img" && attr(node, "alt")?.trim()) words = clean(attr(node, "alt"));
    else search(node);
  });
  search(thing);
  return words;
}

/** Reports whether an element is the label of a field that is none of some elements, or says no more than the name of one. */
function isLabelOfOther(node, members) {
  if (localName(node) !== "label") return false;
  const control = controlOf(node);
  if (control !== null && members.has(control)) return contentName(node) === nameOf(control, roleOf(control));
  return control !== null && !/^(?:checkbox|radio)$/.test(localName(control) === "input" ? inputType(control) : "");
}

/** Returns the words of a thing without its controls, for things whose titles are the same. */
function longerTitle(thing, members) {
  const skip = new Set([...members, ...queryAll(thing, PRESSED_TAGS)]);
  const parts = { text: "", left: 400, evenHidden: false, own: false, skip };
  gather(thing, parts, 0);
  return cut(clean(parts.text), LONGEST_THING);
}

/** Reports whether a cell shows nothing but a button, which is no title of its row. */
function isOneButton(cell) {
  const button = query(cell, "button,[role=button],input[type=submit],input[type=button]");
  return button !== null && contentName(button) === contentName(cell);
}
