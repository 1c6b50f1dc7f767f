// Virtual lists: how many more items exist, and how to get them; and nodes of rows that come to show something else, as a
// list draws what is scrolled to, or another folder, into the rows that it has.

/** Roles of lists that may be drawn partly. */
const WINDOWED = words("list grid table treegrid listbox feed");
/** Multiple of a pane's height below its drawn content that is more than a margin. */
const FAR_BELOW = 3;
const FEW = 8;

/** Notes that a closed list, or a scrollable pane, has more content than is drawn. */
function noteMore(page, line, at) {
  if (line.kind !== HOLDER) return;
  if (WINDOWED.has(line.role)) line.more = partDrawn(line);
  if (line.more === undefined && line.scroll !== undefined && !holdsMore(page, at)) line.more = farBelow(page, line, at);
}

function partDrawn({ el, role }) {
  const one = role === "table" || role.endsWith("grid") ? "row" : role === "list" || role === "feed" ? "list item" : "item";
  const rows = one === "row" ? Number(attr(el, "aria-rowcount")) : 0;
  if (rows < 0) return `more ${one}s may come`;
  const first = rows > 0 || role === "table" ? null : query(el, "[aria-setsize]");
  const size = rows || (first === null ? 0 : Number(attr(first, "aria-setsize")));
  if (size < 0) return `more ${one}s may come`;
  if (!(size > 0)) return undefined;
  const drawn = queryAll(el, rows > 0 ? "[role=row],tr" : "[aria-setsize]").length;
  return drawn > 0 && drawn < size ? `${drawn} of ${size} ${one}s are drawn` : undefined;
}

const holdsMore = (page, at) => page.lines.some((line, i) => i > at && line.more !== undefined);

/** Detects a pane with a long scroll range and little drawn content: the rest is created on scrolling. */
function farBelow(page, line, at) {
  const below = parseFloat(line.scroll.split("/")[1]);
  if (below < clientHeightOf(line.el) * FAR_BELOW) return undefined;
  let drawn = 0;
  for (let i = at + 1; i < page.lines.length; i++) {
    if (isAfter(page.lines[i].place) && page.lines[i].kind !== HOLDER && ++drawn > FEW) return undefined;
  }
  return page.lines.length - at > 3 ? "more may come" : undefined;
}

/** Returns the note in place, which names the scrollable element by its id. */
function moreNote(line) {
  let pane = line;
  while (pane !== null && pane.scroll === undefined) pane = pane.parent;
  const where = pane === null ? "the page" : `[${eidOf(pane.el)}]`;
  return [line.depth + 1, "note", `${line.more}; scroll ${where} for the rest`, 0, 0];
}

/** Titles of rows by node, and by what holds the rows, as of the last walk. */
const rowTitles = new WeakMap();
const titlesWithin = new WeakMap();
let walkedAddress = "";
const NO_ITEMS = words("input select textarea option body html");
const MOST_WRAPPERS = 3;
/** Number of controls above which a row is a part of the page, of which the first text says little. */
const MOST_ROW_CONTROLS = 12;
const HOLDS_VALUES = "input,textarea,select,[contenteditable]";

/** Takes the numbers of things from nodes the row of which shows something else now. */
function partRecycled(list) {
  const groups = rowGroups(list);
  const parted = new Set();
  for (const [holder, rows] of groups) for (const node of recycledRows(titlesWithin.get(holder) ?? new Map(), rows)) parted.add(node);
  for (const thing of parted.size === 0 ? [] : list) if (thing.rows.some((node) => parted.has(node))) partThing(thing);
  for (const [holder, rows] of groups) {
    const titles = new Map();
    for (const [node, title] of rows) {
      rowTitles.set(node, title);
      titles.set(title, (titles.get(title) ?? 0) + 1);
    }
    titlesWithin.set(holder, titles);
  }
  walkedAddress = location.href;
}

/** Returns the rows of things with their titles, by what holds the rows. */
function rowGroups(list) {
  const groups = new Map();
  for (const thing of list) {
    const item = itemOf(thing.el);
    if (item !== null && !thing.rows.includes(item)) thing.rows = [item, ...thing.rows];
    for (const node of thing.rows) {
      const holder = drawnParent(node);
      if (holder === null) continue;
      const rows = groups.get(holder) ?? groups.set(holder, new Map()).get(holder);
      if (!rows.has(node)) rows.set(node, titleOfItem(node));
      if (node === item && rows.get(node) === "" && queryAll(node, HOLDS_VALUES).length === 0) rows.set(node, withoutCount(clean(withoutTimes(thing.name))));
    }
  }
  return groups;
}

/** Returns an element, or the one that it fills, if another one of its kind stands or has stood beside it; else null. */
function itemOf(el) {
  for (let node = el, level = 0; node !== null && level < MOST_WRAPPERS; node = drawnParent(node), level++) {
    const tag = localName(node);
    if (NO_ITEMS.has(tag)) return null;
    if (rowTitles.has(node)) return node;
    for (const beside of [previousElement(node), nextElement(node)]) {
      if (beside && localName(beside) === tag && kindOfNode(beside) === kindOfNode(node)) return node;
    }
    const holder = parentElement(node);
    if (holder === null || childElementCount(holder) !== 1) return null;
  }
  return null;
}

/** Returns the title of a row by its words, not by what is typed into it. */
function titleOfItem(node) {
  if (queryAll(node, CONTROLS).length > MOST_ROW_CONTROLS || node.isContentEditable === true) return "";
  return withoutCount(clean(withoutTimes(firstText(node)))).slice(0, LONGEST_ROW_TITLE);
}

/**
 * Returns those of some rows that show something else than before: titles have gone over to other rows, or most rows have
 * titles that begin otherwise. A title that changes alone, as that of a switch or of what is renamed, makes no other thing.
 */
function recycledRows(before, rows) {
  const changed = [];
  const [stayed, now] = [new Map(), new Map()];
  let known = 0;
  const count = (counts, title) => counts.set(title, (counts.get(title) ?? 0) + 1);
  for (const [node, title] of rows) {
    const old = rowTitles.get(node) ?? "";
    count(now, title);
    if (old === "" || title === "") continue;
    known++;
    if (old === title) count(stayed, title);
    else changed.push({ node, old, title });
  }
  if (changed.length === 0) return [];
  const hasMoved = (counts, title) => counts.get(title) === 1 && !stayed.has(title);
  const moved = changed.filter(({ old, title }) => (before.get(old) === 1 && hasMoved(now, old)) || hasMoved(before, title));
  const other = changed.filter(({ old, title }) => isOtherTitle(old, title, [...before.keys()]));
  const most = other.length > 1 && other.length * 2 > known && new Set(other.map(({ title }) => title)).size > 1 && new Set(other.map(({ old }) => old)).size > 1;
  const went = known === other.length && location.href !== walkedAddress;
  return [...(moved.length > 0 ? moved.concat(other) : most || went ? other : [])].map(({ node }) => node);
}

const wordsOfTitle = (text) => text.toLowerCase().split(/\s+/);
const withoutFigures = (text) => text.replace(/\d[\d.,]*/g, "0");

/** Reports whether a title names something else: it begins otherwise, after the words with which all begin. */
function isOtherTitle(old, title, all) {
  if (!/\p{L}/u.test(old) || !/\p{L}/u.test(title) || ` ${old} `.includes(` ${title} `) || ` ${title} `.includes(` ${old} `)) return false;
  // Numbers tell things from others only where the words do not.
  if (withoutFigures(old) === withoutFigures(title)) return all.filter((one) => withoutFigures(one) === withoutFigures(old)).length > 1;
  const [was, is] = [wordsOfTitle(old), wordsOfTitle(title)];
  const others = all.map(wordsOfTitle);
  let at = 0;
  while (others.length > 1 && at < was.length - 1 && others.every((one) => one[at] === was[at])) at++;
  return was[at] !== is[at];
}

/** Parts a thing from its number, which dies unless another node shows what it named. */
function partThing({ el, line }) {
  const eid = eidByNode.get(el);
  const old = things.get(eid);
  if (old === undefined) return;
  old.ref = new WeakRef(document.createComment(""));
  old.isParted = true;
  nodeByEid.set(eid, old.ref);
  eidByNode.delete(el);
  lastRoleAndName.delete(el);
  if (searching) return void lastMet.delete(el);
  newAt.set(el, observationCount);
  line.isNew = true;
  line.attrs = { ...line.attrs, new: true };
}

/** Reports whether a row around a thing has another title than in the last walk. */
function isRetitled(thing) {
  const el = thing?.ref.deref();
  if (el === undefined || thing.rowRefs === undefined) return false;
  return thing.rowRefs.some((ref) => {
    const node = ref.deref();
    const title = node === undefined ? "" : titleOfItem(node);
    return title !== "" && (rowTitles.get(node) ?? "") !== "" && rowTitles.get(node) !== title;
  });
}

/** Milliseconds for which a list is scrolled through; the caller waits for four seconds. */
const LONGEST_GATHERING = 3200;
const MOST_GATHERED_STEPS = 400;
/** Number of readings without another row after which a list has no more, or does not draw what is scrolled to. */
const MOST_STALLS = 8;
const MOST_ROWS_AROUND = 12;
/** Number of steps after which a list lets the page do other work. */
const STEPS_AT_ONCE = 60;

/** Returns the pane that scrolls rows and has more height than they take, or null. */
function paneOfRows({ holder, elements }) {
  const rows = elements();
  if (rows.length === 0) return null;
  const extent = rectOf(rows[rows.length - 1]).bottom - rectOf(rows[0]).top;
  const scrolls = (el) => clientHeightOf(el) > 20 && scrollHeightOf(el) - Math.max(extent, clientHeightOf(el)) > clientHeightOf(el) / 2 && /auto|scroll/.test(styleOf(el).overflowY);
  for (let node = drawnParent(rows[0]), steps = 0; node !== null && localName(node) !== "body" && steps < MOST_ROWS_AROUND; node = drawnParent(node), steps++) {
    if (scrolls(node)) return node;
    if (!contains(holder, node) && clientHeightOf(node) >= innerHeight) return null;
  }
  return null;
}

/** Returns the number of rows that a table states beyond those that were read. */
const statedBeyond = ({ holder, heads, rows }) => Math.max(0, Number(attr(holder, "aria-rowcount") ?? 0) - heads - rows.length) || 0;

/** Reports whether a list may draw more rows than it has read, or states that there are more. */
const mayDrawMore = (found) => statedBeyond(found) > 0 || paneOfRows(found) !== null;

/** Scrolls a pane and lets the page hear of it at once, not with the next frame. */
function scrollAndTell(pane, top) {
  pane.scrollTop = top;
  pane.dispatchEvent(new Event("scroll"));
}

function heightOfRow({ elements }) {
  const rows = elements();
  return rows.length === 0 ? 1 : Math.max(1, (rectOf(rows[rows.length - 1]).bottom - rectOf(rows[0]).top) / rows.length);
}

/** Reads the rows of a list that draws them only as they are scrolled to, within bounds, and tells how many it left out. */
async function gatherRows(found) {
  const pane = paneOfRows(found);
  if (pane === null) return { ...found, leftOut: Math.max(found.leftOut, statedBeyond(found)) };
  const before = scrollTopOf(pane);
  const began = performance.now();
  const all = { ...found, rows: [], last: [] };
  const height = heightOfRow(found);
  // A row stays in view: by it the rows before and after are put together.
  const step = Math.max(clientHeightOf(pane) / 2, clientHeightOf(pane) - 2 * height);
  let [stalls, isWhole] = [0, false];
  scrollAndTell(pane, 0);
  for (let steps = 0; steps < MOST_GATHERED_STEPS && all.rows.length < MOST_ROWS && performance.now() - began < LONGEST_GATHERING; steps++) {
    // Most lists draw as they hear of the scrolling, others with the next frame or later.
    if (stalls > 0 || steps % STEPS_AT_ONCE === 0) await nextFrame();
    stalls = addRows(all, found.readAgain()) ? 0 : stalls + 1;
    if (stalls > MOST_STALLS) break;
    const isAtEnd = scrollTopOf(pane) + clientHeightOf(pane) >= scrollHeightOf(pane) - 1;
    isWhole = isAtEnd && stalls > 1 && rectOf(found.elements().at(-1) ?? pane).bottom > rectOf(pane).bottom - 2 * height;
    if (isWhole) break;
    if (stalls === 0 && !isAtEnd) scrollAndTell(pane, scrollTopOf(pane) + step);
  }
  const beyond = isWhole ? 0 : Math.round((scrollHeightOf(pane) - scrollTopOf(pane) - clientHeightOf(pane)) / height);
  scrollAndTell(pane, before);
  // The pane that scrolls holds other things beside the rows.
  if (all.rows.length <= found.rows.length) return { ...found, leftOut: Math.max(found.leftOut, statedBeyond(found)) };
  return { ...all, leftOut: isWhole ? 0 : Math.max(statedBeyond(all), beyond) };
}

/** Adds the rows that are drawn now after those that were read before, without the ones that both have. Reports whether it added any. */
function addRows(all, now) {
  if (now === null) return false;
  for (const name of now.columns) if (!all.columns.includes(name)) all.columns = [...all.columns, name];
  const rows = now.rows.map((row) => all.columns.map((name) => row[now.columns.indexOf(name)] ?? ""));
  const texts = rows.map((row) => JSON.stringify(row));
  let overlap = Math.min(all.last.length, texts.length);
  while (overlap > 0 && !texts.slice(0, overlap).every((text, i) => text === all.last[all.last.length - overlap + i])) overlap--;
  // A list may draw more rows above than are new below: then only those after the last one known are.
  const known = overlap > 0 ? overlap : texts.lastIndexOf(all.last.at(-1)) + 1;
  all.rows.push(...rows.slice(known));
  all.last = [...all.last, ...texts.slice(known)];
  return known < rows.length;
}
