// Things: what a number of the page text stands for, apart from the node that showed it. Pages that draw themselves
// anew put new nodes in the place of old ones; a thing is found again by its role, its name, its destination, the
// dialog around it, and the row or card that it belongs to (`heirs.js`).

const ROW_TAGS = words("tr li article");
const ROW_ROLES = words("row listitem article option treeitem");
/** Elements that repeat beside each other without being rows. */
const NO_ROWS = words("td th button a label input option span b i em strong code small svg img h1 h2 h3 h4 h5 h6 textarea select summary");
const TITLE_SKIPS = words("button input select textarea script style template option noscript svg");
const LONGEST_ROW_TITLE = 120;
const LONGEST_SIGN = 2000;
/** Number of levels around an element outside of rows within which a text belongs to it. */
const NEAR_LEVELS = 3;
const MOST_CARD_CONTROLS = 8;
/** Number of controls up to which a text without a heading names what it stands in. */
const MOST_NEAR_CONTROLS = 4;
const NO_CARDS = "html,body,[role=status],[role=alert],[role=log],[aria-live]";
/** Number of nodes after which the search for the title of a row ends. */
const TITLE_NODES = 60;

/** Texts of elements around the lines of one pass; a page has many lines in few rows. */
class Surroundings {
  constructor() {
    this.known = new Map();
    this.titles = new Map();
    this.headings = new Map();
    this.flats = new Map();
  }

  /** Returns {place, title, row, semantic, sign} of what is around the content of an element. */
  around(node) {
    if (node === null) return NOTHING_AROUND;
    let found = this.known.get(node);
    if (found === undefined) this.known.set(node, (found = this.read(node)));
    return found;
  }

  read(node) {
    const tag = localName(node);
    if (tag === "body" || tag === "html") return nodeType(node) === 1 ? this.around(frameElementOf(ownerDocument(node))) : NOTHING_AROUND;
    if (isDialogElement(node, tag) || node === modalNow) return { ...NOTHING_AROUND, place: dialogSign(node) };
    let outer = this.around(drawnParent(node));
    const part = partSign(node, tag);
    if (part !== "") outer = { ...outer, place: `${outer.place} ${part}` };
    const semantic = ROW_TAGS.has(tag) || ROW_ROLES.has(attr(node, "role"));
    if (!semantic && !isRepeated(node, tag)) return outer;
    const title = this.titleOf(node);
    // A state beside the name of a thing makes no row of its own.
    if (title === "" || (!semantic && tellsState(title))) return outer;
    const path = outer.title === "" ? title : `${title} < ${withoutNumbers(outer.title)}`;
    return { place: outer.place, title: path.slice(0, 3 * LONGEST_ROW_TITLE), row: node, rows: [node, ...outer.rows], semantic, sign: rowSign(node) };
  }

  titleOf(node) {
    let title = this.titles.get(node);
    if (title === undefined) this.titles.set(node, (title = firstTitle(node)));
    return title;
  }

  /**
   * Returns {card, part}: the heading of the card around an element that is in no row, which is empty for headings of
   * larger parts, and the nearest heading of either. A card may grow into a larger part.
   */
  headingsAround(el) {
    let part = "";
    for (let node = drawnParent(el), level = 0; node !== null && level < NEAR_LEVELS; node = drawnParent(node), level++) {
      let found = this.headings.get(node);
      if (found === undefined) this.headings.set(node, (found = headingOfPart(node)));
      if (part === "") part = found.heading;
      if (found.isCard) return { card: found.heading, part };
    }
    return { card: "", part };
  }

  /** Returns the text that belongs to an element where texts and controls follow each other without rows; else "". */
  flat(el) {
    let node = el;
    for (let level = 0; level < NEAR_LEVELS; level++) {
      const parent = drawnParent(node);
      // A thing with words of its own needs none of those before it.
      if (parent === null || localName(parent) === "html" || (level > 0 && this.titleOf(node) !== "")) return "";
      let titles = this.flats.get(parent);
      if (titles === undefined) this.flats.set(parent, (titles = flatTitles(parent)));
      if (titles.has(node)) return titles.get(node);
      node = parent;
    }
    return "";
  }

  /** Returns the nearest text around an element that is in no row, and whether it names a card around it, not one of several items. */
  near(el) {
    let isItem = false;
    let state = null;
    for (let [inner, node, level] = [el, drawnParent(el), 0]; node !== null && level < NEAR_LEVELS; [inner, node, level] = [node, drawnParent(node), level + 1]) {
      isItem ||= isRepeated(inner, localName(inner)) && (hasControlBeside(inner) || (state === null && hasLikeBeside(inner, el)));
      const text = this.titleOf(node);
      // The words of a message change, and its button ("Undo") stays the one of messages.
      if (text === "") continue;
      const found = { text, isCard: !isItem && !matches(node, NO_CARDS) && !isCalledStatus(node, el, text) && queryAll(node, CONTROLS).length <= MOST_NEAR_CONTROLS };
      if (!tellsState(text)) return found.isCard || state === null ? found : state;
      state ??= found;
    }
    return state ?? { text: "", isCard: false };
  }
}

const hasControlBeside = (node) => [previousElement(node), nextElement(node)].some((other) => other !== null && query(other, CONTROLS) !== null);

/** Reports whether one of the elements beside is, or holds, something with the tag of a control in this one. */
const hasLikeBeside = (node, el) =>
  [previousElement(node), nextElement(node)].some((other) => other !== null && (node === el || query(other, CSS.escape(localName(el))) !== null));

const NOTHING_AROUND = Object.freeze({ place: "", title: "", row: null, rows: [], semantic: false, sign: "" });

const withoutDigits = (text) => text.replace(/\d+/g, "0");
/** Removes numbers and the endings of the words that they count: "1 item" and "2 items" read the same. */
const withoutNumbers = (text) => withoutDigits(text.replace(/(\d\s+\p{L}{3})\p{L}+/gu, "$1"));
/** Removes a count, as in "To do (3)". */
const withoutCount = (text) => text.replace(/\s*\(\d+\)/g, "");

/** Kinds of rows by the kind of what holds them: the last row of a list is one, too. */
const rowKinds = new Set();
const MOST_ROW_KINDS = 300;

/** Reports whether an element of the same kind stands beside it, or has stood beside one of its kind. */
function isRepeated(node, tag) {
  if (NO_ROWS.has(tag)) return false;
  const kind = firstWord(attr(node, "class") ?? "");
  const holder = drawnParent(node);
  const known = kind === "" || holder === null ? "" : `${kindOfNode(holder)} ${attr(holder, "id") ?? ""} > ${tag} ${kind}`;
  for (const beside of [previousElement(node), nextElement(node)]) {
    if (!beside || localName(beside) !== tag || firstWord(attr(beside, "class") ?? "") !== kind) continue;
    if (known !== "" && rowKinds.size < MOST_ROW_KINDS) rowKinds.add(known);
    return true;
  }
  return known !== "" && rowKinds.has(known);
}

function firstWord(text) {
  const end = text.indexOf(" ");
  return end < 0 ? text : text.slice(0, end);
}

/** Returns the first text of a row, without times and counts; with its values and pictures if that has no letters. */
function firstTitle(row) {
  const text = firstText(row);
  const worded = /\p{L}/u.test(text) ? text : `${text} ${silentWords(row)}`;
  return withoutCount(clean(withoutTimes(worded))).slice(0, LONGEST_ROW_TITLE);
}

/** Returns the values and pictures that tell a row from others. */
function silentWords(row) {
  let found = "";
  const silent = queryAll(row, "input,textarea,img,svg");
  for (let i = 0; i < silent.length && i < 6; i++) found += ` ${ownWords(silent[i], localName(silent[i]))}`;
  return found.trim();
}

const FLAT_CONTROLS = "button,input,select,textarea,[role=button],[role=checkbox],[role=switch]";
const MOST_FLAT = 400;

/**
 * Returns titles of the children of an element that are or hold controls, where runs of texts and of controls alternate:
 * the texts of each run before (or of each after) the controls, as the runs at both ends tell. Empty if that is unclear.
 */
function flatTitles(parent) {
  const runs = [{ texts: [], controls: [] }];
  let steps = 0;
  for (let node = firstChild(shadowRootOf(parent) ?? parent); node !== null; node = nextSibling(node)) {
    if (++steps > MOST_FLAT) return new Map();
    const type = nodeType(node);
    const isControl = type === 1 && (matches(node, FLAT_CONTROLS) || query(node, FLAT_CONTROLS) !== null);
    const last = runs[runs.length - 1];
    if (isControl) last.controls.push(node);
    else {
      const text = type === 3 ? textData(node) : type === 1 && !TITLE_SKIPS.has(localName(node)) && isShown(node) ? textContent(node).slice(0, LONGEST_ROW_TITLE) : "";
      // Numbers and prices are no titles.
      if (!/\p{L}{2}/u.test(text)) continue;
      if (last.controls.length > 0) runs.push({ texts: [text], controls: [] });
      else last.texts.push(text);
    }
  }
  return titlesOfRuns(runs);
}

function titlesOfRuns(runs) {
  const titles = new Map();
  const [first, last] = [runs[0], runs[runs.length - 1]];
  const isBefore = first.texts.length > 0 && last.controls.length > 0;
  const isAfter = first.texts.length === 0 && last.controls.length === 0;
  const inner = isBefore ? runs.slice(1) : runs.slice(1, -1);
  const end = isBefore ? first : last;
  const count = (inner[0] ?? end).texts.length;
  if ((!isBefore && !isAfter) || runs.length < (isBefore ? 2 : 3) || inner.some((run) => run.texts.length !== count) || end.texts.length < count) return titles;
  runs.forEach((run, i) => {
    const texts = isBefore ? run.texts.slice(-count) : runs[i + 1]?.texts ?? [];
    for (const control of run.controls) titles.set(control, withoutCount(clean(withoutTimes(texts[0] ?? ""))).slice(0, LONGEST_ROW_TITLE));
  });
  return titles;
}

/** Returns what tells an element without text from others: the value of a field, the source of a picture. */
function ownWords(el, tag) {
  if (tag === "input" && /^(?:checkbox|radio|submit|button)$/.test(inputType(el))) return "";
  if (tag === "input" || tag === "textarea") return isSecret(el) ? "" : String(el.value ?? "").slice(0, LONGEST_ROW_TITLE);
  if (tag === "img") return attr(el, "alt") || attr(el, "src") || "";
  return tag === "svg" ? attr(el, "aria-label") || "" : "";
}

const HOLDS_FIELD = "button,input,select,textarea";

/** Returns the text of a node and of the inline ones after it, up to the next control or block. */
function runText(text, row) {
  let node = text;
  const isInline = (holder) => holder !== row && holder !== null && nodeType(holder) === 1 && INLINE.has(localName(holder)) && query(holder, HOLDS_FIELD) === null;
  for (let holder = parentNode(text); isInline(holder); holder = parentNode(holder)) node = holder;
  let run = "";
  for (; node !== null && run.length < LONGEST_ROW_TITLE; node = nextSibling(node)) {
    const type = nodeType(node);
    if (type === 1 && !(INLINE.has(localName(node)) && attr(node, "role") !== "button" && query(node, HOLDS_FIELD) === null)) break;
    if (type === 1 || type === 3) run += textContent(node).slice(0, LONGEST_SIGN);
  }
  return run;
}

/** Returns the whole text of a row, with the values and pictures that tell it from others. */
function rowSign(row) {
  const links = queryAll(row, "a[href]");
  let sign = `${clean(withoutTimes(textContent(row).slice(0, LONGEST_SIGN)))} ${silentWords(row)}`;
  for (let i = 0; i < links.length && i < 3; i++) sign += ` ${attr(links[i], "href")}`;
  return sign;
}

function headingOfPart(node) {
  const found = query(node, "h2,h3,h4,h5,h6,[role=heading]");
  if (found === null) return { heading: "", isCard: false };
  const heading = withoutNumbers(clean(textContent(found).slice(0, LONGEST_ROW_TITLE)));
  return { heading, isCard: heading !== "" && queryAll(node, CONTROLS).length <= MOST_CARD_CONTROLS };
}

/** Reports whether two things in no row belong to the same card, which may have grown into a larger part or shrunk to a card. */
const isSameCard = (one, other) => one.card === other.card || ((one.card === "" || other.card === "") && one.part !== "" && one.part === other.part);

/** Reports whether the same text stands near two things in no row: a button beside another name belongs to something else. */
const isSameNear = (one, other) =>
  one.beside === "" || other.beside === "" || withoutNumbers(one.beside) === withoutNumbers(other.beside) || (tellsState(one.beside) && tellsState(other.beside));

/** Identifies a part of the page by the name that it is given; forms also by where they are sent. */
function partSign(node, tag) {
  if (!hasAttributes(node)) return "";
  const name = labelledBy(node) || attr(node, "aria-label") || "";
  const form = tag === "form" ? attr(node, "name") || attr(node, "action") || "" : "";
  return withoutNumbers(clean(`${name} ${form}`)).slice(0, LONGEST_ROW_TITLE);
}

/** Identifies a dialog by its title, and one that only asks by its text too. */
function dialogSign(node) {
  const title = attr(node, "aria-label") || labelledBy(node) || dialogName(node) || (isDialogElement(node, localName(node)) ? "" : firstTitle(node));
  const text = textContent(node).slice(0, 400);
  const asks = text.length < 300 && queryAll(node, "input,select,textarea").length === 0;
  return `dialog ${withoutCount(clean(title))}${asks ? ` ${withoutDigits(clean(text))}` : ""}`;
}

/** Kind of node by which new nodes resemble those that are known to listen. */
const kindOfNode = (el, tag) => `${tag || localName(el)} ${firstWord(attr(el, "class") ?? "")}`;

/** Describes the thing of a line that has a number. `before` and `after` are the texts beside it in the page text. */
function describeThing(line, surroundings, before, after) {
  const { el, role, tag } = line;
  const { place, title, row, rows, semantic, sign } = surroundings.around(drawnParent(el));
  const href = tag === "a" || tag === "area" ? hrefOf(el) ?? "" : "";
  const flat = row === null ? surroundings.flat(el) : "";
  const near = row === null && flat === "" ? surroundings.near(el) : { text: "", isCard: false };
  const name = line.name ?? "";
  return {
    el,
    kind: [role, withoutTurn(name, role), href, place].join("\u0000"),
    countless: [role, withoutCount(withoutTurn(name, role)), href, place].join("\u0000"),
    role,
    name,
    title: row === null ? flat || near.text : title,
    beside: near.isCard ? near.text : "",
    ...(row === null ? surroundings.headingsAround(el) : { card: "", part: "" }),
    semantic,
    inRow: row !== null,
    rows,
    listener: listening.has(el) ? kindOfNode(el, tag) : "",
    sign: row === null ? `${before} | ${after}` : sign,
  };
}
