// One look: walk, choose, write the lines.
// A line is [depth, role, name, eid or 0, attrs or 0]. Folded lists have their `note` line in place; `leftOut`
// counts all else that was left out: lines above and below the viewport, and how many of all of them are texts.

const DEFAULT_BUDGET = 2000;
/** Did the last look pass blocks by? Then `roots` may lack some shadow roots. */
let somePassed = false;

/**
 * In a frame with a walker of its own, Rust tells what of it can be seen (`part`) and which numbers it may give, up to
 * `lastEid`; are they too few, the answer is {short} and `more` gives the rest. `fresh`: those given before are void.
 */
function look({ firstEid = 1, lastEid = Infinity, budget = DEFAULT_BUDGET, part = null, fresh = false, again = false } = {}) {
  const stirred = watching && changedSinceLook();
  watching = false;
  if (fresh) forgetEids();
  shownPart = part;
  lookCount++;
  if (!again) previousLook = lookCount - 1;
  forgetDead();
  roots.clear();
  if (rootElementOf(document) === null) {
    watchForChanges();
    return emptyLook();
  }
  const page = walkAll(budget, false);
  somePassed = page.passed !== null || page.behinds.length > 0 || part?.behind === true;
  choose(page);
  unfinished = { page, stirred, ...leftOutOf(page) };
  return more({ firstEid, lastEid });
}

function walkAll(budget, all) {
  const page = new Page(Math.max(100, Math.min(budget, 100000)));
  page.all = all;
  noteAllCarried();
  walkDocument(document, page, null, null, null);
  visitOverlays(page);
  page.flush();
  // Places to drop on may stand before the first thing that is to be dragged.
  if (page.again) return walkAll(budget, all);
  return all || noteModals(page) ? page : walkAll(budget, true);
}

/** A look whose lines have no numbers yet. */
let unfinished = null;

function more({ firstEid, lastEid }) {
  const { page, folds, out, stirred } = unfinished;
  // Nobody else gave numbers since: those that were kept to spare are still ours.
  if (firstEid !== spareUntil) nextEid = Math.max(nextEid, firstEid);
  const needed = SPARE + (lastEid === Infinity ? 0 : unnumbered(page, folds));
  if (nextEid + needed - 1 > lastEid) return { short: needed };
  unfinished = null;
  const lines = write(page, folds);
  const root = scrollRoot();
  const frames = page.frames.filter((line) => line.shown).map(frameFacts);
  spareUntil = nextEid + SPARE;
  watchForChanges();
  return {
    url: location.href,
    title: cut(clean(String(titleOf(document)).slice(0, 2000)), LONGEST_VALUE),
    viewport: [innerWidth, innerHeight],
    scroll: [Math.round(scrollY), Math.max(0, Math.round(scrollHeightOf(root) - innerHeight))],
    lines,
    nextEid: spareUntil,
    leftOut: out,
    frames,
    secrets: secretsHere()[0],
    suspects: suspects.length,
    stirred,
  };
}

/** How many lines need a number that they do not have yet. */
function unnumbered(page, folds) {
  let count = 0;
  for (const line of page.lines) {
    if (!line.shown || eidByNode.has(line.el)) continue;
    if (line.kind === ACTOR || line.role === "iframe" || line.scroll !== undefined || line.drop || folds.has(line)) count++;
  }
  return count;
}

/** Hears of changes since the last look, until it is asked. */
let sinceLook = null;
/** Is the next look to tell of changes before it? */
let watching = false;

/** From here on what changes is not of the same moment as the look that follows. */
function watch() {
  watchForChanges();
  watching = true;
}

function watchForChanges() {
  sinceLook?.observer.disconnect();
  const since = { changed: false };
  since.observer = new MutationObserver(() => {
    since.changed = true;
    since.observer.disconnect();
  });
  for (const root of [document, ...roots]) since.observer.observe(root, { childList: true, characterData: true, attributes: true, subtree: true });
  sinceLook = since;
}

/** Has the page changed since the last look? In another document than that of the look: yes. */
function changedSinceLook() {
  if (sinceLook === null) return true;
  const changed = sinceLook.changed || sinceLook.observer.takeRecords().length > 0;
  sinceLook.observer.disconnect();
  sinceLook = null;
  return changed;
}

const titleOf = getter(Document.prototype, "title");
const scrollingElementOf = getter(Document.prototype, "scrollingElement");
const scrollRoot = () => scrollingElementOf(document) ?? rootElementOf(document);

/** A document without a root element (it is being replaced) has nothing to show yet. */
function emptyLook() {
  const viewport = [innerWidth, innerHeight];
  return { url: location.href, title: "", viewport, scroll: [0, 0], lines: [], nextEid, leftOut: { above: 0, below: 0, text: 0 }, frames: [], secrets: [] };
}

function write(page, folds) {
  const lines = [];
  const waiting = [];
  const notes = notesOf(page);
  const endLists = (depth) => {
    while (waiting.length > 0 && waiting[waiting.length - 1].depth > depth) {
      const note = waiting.pop();
      lines.push(note.more ? moreNote(note.line) : noteLine(note));
    }
  };
  for (const line of page.lines) {
    if (!line.shown) continue;
    endLists(line.depth);
    line.at = lines.length;
    if (line.kind === TEXT && line.role === "text") {
      lines.push([line.depth, "text", line.name, 0, line.attrs ?? 0]);
      continue;
    }
    const fold = folds.get(line);
    const eid = line.kind === ACTOR || line.scroll !== undefined || line.drop || line.role === "listbox" || fold ? eidOf(line.el) : 0;
    // A row's line says its cells one by one; its name is what they say together.
    if (eid !== 0) lastSaid.set(line.el, { role: line.role, name: line.role === "row" ? nameOf(line.el, "row", line.tag) : line.name });
    lines.push([line.depth, line.role, line.name ?? "", eid, hasKeys(line.attrs) ? line.attrs : 0]);
    if (line.note) lines.push([line.depth + 1, "note", line.note, 0, 0]);
    if (notes.has(line)) lines.push([line.depth + 1, "note", notes.get(line), 0, 0]);
    if (line.more) waiting.push({ depth: line.depth + 1, line, more: true });
    if (!fold) continue;
    if (fold.above.size > 0) lines.push(noteLine({ depth: line.depth + 1, line, count: fold.above.size, eid, side: "above" }));
    const count = fold.below.size + (fold.missing ?? 0);
    if (count > 0) waiting.push({ depth: line.depth + 1, line, count, eid, side: "below" });
  }
  endLists(-1);
  return lines;
}

function noteLine({ depth, line, count, eid, side }) {
  const one = line.role === "table" || line.role.endsWith("grid") ? "row" : line.role === "list" || line.role === "feed" ? "list item" : "item";
  return [depth, "note", `${count} ${one}${count === 1 ? "" : "s"} ${side}; scroll or extract [${eid}] to see ${count === 1 ? "it" : "them"}`, 0, 0];
}

function hasKeys(attrs) {
  if (!attrs) return false;
  for (const _ in attrs) return true;
  return false;
}

/** Every document and open shadow root that the last look met; found anew if there was no look yet. */
function allRoots() {
  const all = new Set([document]);
  for (const root of roots) if (nodeType(root) === 9 ? viewOf(root) !== null : isConnected(root)) all.add(root);
  if (lookCount === 0 || somePassed) findRoots(document, all);
  return all;
}

function findRoots(root, all) {
  for (const el of queryAll(root, "*")) {
    const inner = shadowRootOf(el) ?? innerDocument(el);
    if (inner !== null && !all.has(inner)) {
      all.add(inner);
      findRoots(inner, all);
    }
  }
}
