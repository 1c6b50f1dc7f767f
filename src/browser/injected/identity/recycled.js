// Nodes of rows that come to show something else, as a list draws what is scrolled to, or another folder, into the rows that
// it has: they lose their numbers. Things that return after looks that lacked them get theirs back.

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

/** Returns the first text of a row outside of its buttons and fields, as it stands there. */
function firstText(row) {
  let left = TITLE_NODES;
  let state = "";
  const search = (node) => {
    for (let child = firstChild(shadowRootOf(node) ?? node); child !== null && left > 0; child = nextSibling(child)) {
      left--;
      if (nodeType(child) === 3) {
        if (!/[\p{L}\p{N}]/u.test(textData(child))) continue;
        const text = runText(child, row);
        // "Running" before "alpha" tells how a thing is, and its place in a list where it is, not which one it is.
        if (!tellsState(clean(text)) && !isPlaceInList(text, row)) return text;
        if (state === "") state = text;
      } else if (nodeType(child) === 1) {
        const tag = localName(child);
        if (TITLE_SKIPS.has(tag) || attr(child, "role") === "button") continue;
        const found = search(child);
        if (found !== "") return found;
      }
    }
    return "";
  };
  return search(row) || state;
}

const BARE_NUMBER = /^\s*#?(\d{1,3})[.)]?\s*$/;

/** Reports whether a number is that of a row among its like, counted from the first one or from a row of heads. */
function isPlaceInList(text, row) {
  const number = Number(BARE_NUMBER.exec(text)?.[1] ?? NaN);
  if (!(number > 0)) return false;
  const tag = localName(row);
  let before = 0;
  for (let node = previousElement(row); node !== null && before <= number; node = previousElement(node)) if (localName(node) === tag) before++;
  return before === number - 1 || before === number;
}

const CALLED_STATUS = '[class*="status" i],[id*="status" i],[class*="autosave" i],[id*="autosave" i],[class*="progress" i],[id*="progress" i],[class*="feedback" i],[id*="feedback" i]';

/** Reports whether a text beside a control is called a status: it changes, and the control stays the same. */
function isCalledStatus(around, control, text) {
  const found = queryAll(around, CALLED_STATUS);
  return Array.prototype.some.call(found, (one) => !contains(one, control) && clean(textContent(one).slice(0, LONGEST_ROW_TITLE)) !== "" && text.startsWith(withoutCount(clean(withoutTimes(textContent(one).slice(0, LONGEST_ROW_TITLE))))));
}

/** Matches texts that tell in which state something is, not what it is ("Saved searches"), such as "All changes saved", "Uploading 3 files". */
const STATE_WORDS = new RegExp(`^(?:(?:not|no|all|last|just|now|still|auto|your|is|are|changes?|draft|unsaved)[\\s-]+)*(?:${[
  "(?:un)?saved|saving|no changes|draft|loaded|loading|ready|idle|done|pending|running|stopped|starting|stopping|paused|playing|recording|waiting|queued|busy|finished",
  "complet(?:ed|e)|fail(?:ed|ure)|errors?|success(?:ful(?:ly)?)?|(?:dis|re)?connect(?:ed|ing)|(?:on|off)line|(?:en|dis)abled|(?:in)?active|published|unpublished",
  "sen(?:t|ding)|sync(?:ed|ing|hronized)?|up(?:loaded|loading|dated|dating)|down(?:loaded|loading)|process(?:ed|ing)|check(?:ed|ing)|verif(?:ied|ying)|in progress|up to date|copied",
  "збережено|зберігається|зберігання|готово|помилка|виконується|зупинено|призупинено|очікування|завантажується|завантажено|надіслано|надсилається|опубліковано|чернетка",
].join("|")})(?:\\s+(?:to|at|by|for|in|on|from|changes|ago|yet|now|with|successfully)\\b.*|\\s*[^\\p{L}\\s](?!\\p{L}).*|\\s*)$`, "iu");
const LONGEST_STATE = 60;

const tellsState = (text) => text.length <= LONGEST_STATE && STATE_WORDS.test(text);

/** Matches the beginning of a name that a box has while it is ticked: "Unselect task 4". */
const TURNED_NAME = /^(?:un|de)(?=(?:select|check|tick|mark|star|pin|flag|mute|lock|follow|like|watch)\b)/i;

/** Removes from the name of a choice what tells only that a press would take it back. */
const withoutTurn = (name, role) => (SWITCHES.has(role) || role === "menuitemcheckbox" ? name.replace(TURNED_NAME, "").toLowerCase() : name);

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
  const others = describeTitles(before.keys());
  const other = changed.filter(({ old, title }) => isOtherTitle(old, title, others));
  const most = other.length > 1 && other.length * 2 > known && new Set(other.map(({ title }) => title)).size > 1 && new Set(other.map(({ old }) => old)).size > 1;
  const went = known === other.length && location.href !== walkedAddress;
  return [...(moved.length > 0 ? moved.concat(other) : most || went ? other : [])].map(({ node }) => node);
}

const wordsOfTitle = (text) => text.toLowerCase().split(/\s+/);
const withoutFigures = (text) => text.replace(/\d[\d.,]*/g, "0");

/** Returns the number of words with which all of some titles begin, and the count of titles that differ in their figures only. */
function describeTitles(titles) {
  const alike = new Map();
  let begin = null;
  let count = 0;
  for (const title of titles) {
    count++;
    const plain = withoutFigures(title);
    alike.set(plain, (alike.get(plain) ?? 0) + 1);
    const now = wordsOfTitle(title);
    let same = 0;
    while (begin !== null && same < begin.length && begin[same] === now[same]) same++;
    begin = begin === null ? now : begin.slice(0, same);
  }
  return { shared: count > 1 ? begin.length : 0, alike };
}

/** Reports whether a title names something else: it begins otherwise, after the words with which all begin. */
function isOtherTitle(old, title, { shared, alike }) {
  if (!/\p{L}/u.test(old) || !/\p{L}/u.test(title) || ` ${old} `.includes(` ${title} `) || ` ${title} `.includes(` ${old} `)) return false;
  // Numbers tell things from others only where the words do not.
  if (withoutFigures(old) === withoutFigures(title)) return (alike.get(withoutFigures(old)) ?? 0) > 1;
  const [was, is] = [wordsOfTitle(old), wordsOfTitle(title)];
  const at = Math.min(shared, was.length - 1);
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

/** Identifies a thing across looks that lack it: everything known of it must be the same, the text of its row or dialog included. */
const keyOfReturn = (thing) => [thing.kind, thing.title, thing.card, thing.part, thing.inRow || thing.kind.includes("\u0000dialog ") ? thing.sign : ""].join("\u0001");

/** Gives things that looks have lacked their numbers back, where exactly one such thing is gone and exactly one is there. */
function pairReturned(list) {
  const wanted = new Map();
  for (const thing of list) if (!eidByNode.has(thing.el)) wanted.set(keyOfReturn(thing), { fresh: [], gone: [] });
  if (wanted.size === 0) return;
  for (const thing of list) wanted.get(keyOfReturn(thing))?.fresh.push(thing);
  for (const thing of things.values()) {
    const found = wanted.get((thing.returnKey ??= keyOfReturn(thing)));
    if (found !== undefined && !isLive(thing.ref.deref())) found.gone.push(thing);
  }
  for (const { fresh, gone } of wanted.values()) if (fresh.length === 1 && gone.length === 1 && isSameReturned(gone[0], fresh[0])) inherit(gone[0], fresh[0]);
}

/** Reports whether a thing of an earlier look is on the same page, and on a layer that the same element has opened, if on one. */
function isSameReturned(old, { el, rows, semantic }) {
  if (old.address !== location.href) return false;
  const [cause, layer] = [causeOfLayer(el), layerAround(el)];
  return old.cause === 0 || cause === 0 || old.cause === cause || (semantic && rows.some((row) => contains(row, layer)));
}
