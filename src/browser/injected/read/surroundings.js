// The dialog around a control, and the thing that it belongs to: what a person is told about a press.

const TITLES = "h1,h2,h3,h4,h5,h6,[role=heading],legend";
const LONGEST_DIALOG = 400;
const MOST_LEVELS = 40;
const BUTTON_ROLES = words("button menuitem menuitemcheckbox menuitemradio checkbox radio switch tab");
const THINGS = words("tr li article");
const THING_ROLES = words("row listitem article");
const OUTSIDE_THINGS = words("body html main table");

/**
 * Returns the title and text of the nearest dialog around an element, without its buttons and without what is typed
 * there; `null` outside dialogs.
 */
function dialogAround(el) {
  for (let node = drawnParent(el), steps = 0; node !== null && steps < 200; node = drawnParent(node), steps++) {
    const tag = localName(node);
    if (!isDialogElement(node, tag)) continue;
    const heading = shownTitle(node);
    const title = nameOf(node, roleOf(node, tag), tag) || (heading === null ? "" : cleanName(contentName(heading)));
    const text = textWithout(node, 4000, (part, name) => part === heading || showsInput(part, name));
    return { title, text: cut(clean(withoutTimes(text)), LONGEST_DIALOG) };
  }
  return null;
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
 * the first cell of the row, else the first line of the item. Empty if it belongs to none.
 */
function thingOf(el, name) {
  for (let node = drawnParent(el), steps = 0; node !== null && steps < MOST_LEVELS; node = drawnParent(node), steps++) {
    const tag = localName(node);
    if (OUTSIDE_THINGS.has(tag) || isDialogElement(node, tag)) break;
    const isThing = THINGS.has(tag) || THING_ROLES.has(attr(node, "role"));
    const title = isThing || isOneOfCards(node, tag) ? thingTitle(node, el) : "";
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
  if (heading !== null && !contains(heading, el)) return cleanName(contentName(heading));
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
    first ||= line;
  }
  return first !== "" ? first : query(node, "th") !== null ? "" : firstLine(textWithout(node, 400, skips));
}

/** Reports whether a text is a date, a time, an amount or a number, which many rows may have alike. */
function isDateOrNumber(line) {
  const words = line.match(/\p{L}+/gu) ?? [];
  return /\p{N}/u.test(line) && (words.length === 0 || words.length <= 2 && !Number.isNaN(Date.parse(line)));
}

/** Returns the first line that has letters or digits. */
const firstLine = (text) => cleanName(text.split("\n").find((line) => /[\p{L}\p{N}]/u.test(line)) ?? "");
