// The dialog around a control, and the thing that it belongs to: what a person is told about a press.

const TITLES = "h1,h2,h3,h4,h5,h6,[role=heading],legend";
const LONGEST_DIALOG = 400;
const MOST_LEVELS = 40;
const BUTTON_ROLES = words("button menuitem menuitemcheckbox menuitemradio checkbox radio switch tab");
const THINGS = words("tr li article");
const THING_ROLES = words("row listitem article");
const OUTSIDE_THINGS = words("body html main table");

/**
 * Returns the title and text of the nearest dialog around an element, or of the layer over the whole page that is one in
 * effect, without its buttons and without what is typed there; `null` outside dialogs.
 */
function dialogAround(el) {
  for (let node = drawnParent(el), steps = 0; node !== null && steps < 200; node = drawnParent(node), steps++) {
    if (isDialogElement(node, localName(node))) return wordsOfDialog(node);
  }
  const layer = declaredModal(ownerDocument(el));
  return layer !== null && layer !== el && drawnInside(el, layer) ? wordsOfDialog(layer) : null;
}

function wordsOfDialog(node) {
  const tag = localName(node);
  const heading = shownTitle(node);
  const title = nameOf(node, roleOf(node, tag), tag) || (heading === null ? "" : cleanName(contentName(heading)));
  const text = textWithout(node, 4000, (part, name) => part === heading || showsInput(part, name));
  return { title, text: cut(clean(withoutTimes(text)), LONGEST_DIALOG) };
}

function isDialogElement(node, tag) {
  const role = attr(node, "role");
  return tag === "dialog" || role === "dialog" || role === "alertdialog" || attr(node, "aria-modal") === "true";
}

/** Reports whether an element is a button, or shows what was typed. */
const showsInput = (el, tag) => isEditable(el, tag) || isRich(el) || BUTTON_ROLES.has(roleOf(el, tag));

function textWithout(el, most, skips) {
  const out = { text: "", most, nodes: 20000, skips };
  readPlain(el, out, 0);
  return tidy(out.text);
}

/** Returns the first heading of the document of an element: an `h1`, if it has one. */
function pageHeading(el) {
  const body = ownerDocument(el).body;
  const title = body ? shownTitle(body, "h1,[role=heading][aria-level='1']") ?? shownTitle(body, "h2") : null;
  return title === null ? "" : cleanName(contentName(title));
}

function shownTitle(holder, titles = TITLES) {
  const all = queryAll(holder, titles);
  for (let i = 0; i < all.length && i < 20; i++) if (isShown(all[i]) && contentName(all[i])) return all[i];
  return null;
}

/**
 * Returns the title of the row, list item or card that an element belongs to: its first heading, else the header or
 * the first cell of the row, else the first line of the item. Empty if it belongs to none. A command of a menu belongs to
 * the thing on which the menu was opened.
 */
function thingOf(el, name) {
  const opener = openerOfMenu(el);
  for (let node = opener ?? drawnParent(el), steps = 0; node !== null && steps < MOST_LEVELS; node = drawnParent(node), steps++) {
    const tag = localName(node);
    if (OUTSIDE_THINGS.has(tag) || isDialogElement(node, tag)) break;
    const isThing = THINGS.has(tag) || THING_ROLES.has(attr(node, "role"));
    const title = isThing || isOneOfCards(node, tag) ? thingTitle(node, opener === null ? el : null) : "";
    if (title !== "" && title !== name) return title;
  }
  return "";
}

/**
 * Reports whether an element has a heading, and so has an element of the same kind beside it. A column with the headings
 * of several sections is no card.
 */
function isOneOfCards(node, tag) {
  const title = query(node, TITLES);
  if (title === null || queryAll(node, localName(title)).length > 1) return false;
  for (const beside of [previousElement(node), nextElement(node)]) {
    if (beside && localName(beside) === tag && query(beside, TITLES) !== null) return true;
  }
  return false;
}

function thingTitle(node, el) {
  const heading = shownTitle(node);
  if (heading !== null && (el === null || !contains(heading, el))) return cleanName(contentName(heading));
  const skips = (part, tag) => part === el || showsInput(part, tag);
  const cells = queryAll(node, "td,[role=cell],[role=gridcell]");
  if (cells.length > 0) {
    const header = query(node, "th[scope=row],[role=rowheader]") ?? query(node, "th");
    if (header !== null && contentName(header)) return cleanName(contentName(header));
  }
  let first = "";
  for (let i = 0; i < cells.length && i < 12; i++) {
    const line = firstLine(textWithout(cells[i], 400, skips));
    if (line !== "" && !isDateOrNumber(line)) return line;
    if (!AGO.test(line)) first ||= line;
  }
  if (first !== "") return first;
  if (cells.length > 0 || query(node, "th") !== null) return "";
  const title = textWithout(node, 400, skips).split("\n").map(cleanName).find((line) => /[\p{L}\p{N}]/u.test(line) && !isMoment(line));
  return title ?? "";
}

const AGO = /^(?:\d+|an?|one|кілька)\s*\p{L}{1,8}\.?\s+(?:ago|тому)$|^(?:just now|now|today|yesterday|щойно|зараз|сьогодні|вчора)(?:$|[\s,]+(?:at |о )?\d)/iu;
const DATE_WORDS = new RegExp(
  "^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|" +
    "dec(?:ember)?|січня|лютого|березня|квітня|травня|червня|липня|серпня|вересня|жовтня|листопада|грудня|" +
    "(?:mon|tue|tues|wed|wednes|thu|thurs|fri|sat|satur|sun)(?:day)?|понеділок|вівторок|середа|четвер|пʼятниця|субота|неділя|" +
    "at|am|pm|gmt|utc|st|nd|rd|th|t|z|о|р|року)$",
  "i",
);

/** Reports whether a text is a date or a time, which names no thing. */
function isMoment(line) {
  const words = line.match(/\p{L}+/gu) ?? [];
  const isDate = words.length > 0 || /\d{1,4}([./-])\d{1,2}\1\d{1,4}\b|\d{1,2}:\d{2}\b/.test(line);
  return AGO.test(line) || isDate && /\p{N}/u.test(line) && words.every((word) => DATE_WORDS.test(word));
}

/** Reports whether a text is a date, a time, an amount or a number, which many rows may have alike. */
function isDateOrNumber(line) {
  return /\p{N}/u.test(line) && !/\p{L}/u.test(line) || isMoment(line);
}

/** Returns the first line that has letters or digits. */
const firstLine = (text) => cleanName(text.split("\n").find((line) => /[\p{L}\p{N}]/u.test(line)) ?? "");
