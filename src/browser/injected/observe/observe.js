// Observation: walks the page, selects the lines and writes them. A written line is [depth, role, name, eid or 0,
// attrs or 0]. Folded lists have a `note` line; `leftOut` counts all other omitted lines: above and below the
// viewport, and how many of both are texts.

const DEFAULT_BUDGET = 2000;
/** True if the last observation skipped blocks, so that `roots` may lack shadow roots. */
let skippedSome = false;

/**
 * Observes the page. For a frame with its own walker, Rust passes the visible part (`part`) and the last element id
 * that it may assign (`lastEid`). If those ids are too few, the reply is {short}, and `more` returns the observation.
 * `fresh` invalidates the ids assigned before. Changes since `changesSince` (Unix milliseconds; null for all since the
 * page was watched) make text and picture disagree.
 */
function observe({ firstEid = 1, lastEid = Infinity, budget = DEFAULT_BUDGET, part = null, fresh = false, again = false, changesSince = null } = {}) {
  const changed = hasChanged(changesSince);
  if (fresh) forgetEids();
  shownPart = part;
  observationCount++;
  if (!again) previousObservation = observationCount - 1;
  forgetDead();
  learnFromPresses();
  roots.clear();
  if (rootElementOf(document) === null) {
    watchForChanges();
    return emptyObservation();
  }
  const page = walkAll(budget, false);
  skippedSome = page.passed !== null || page.behinds.length > 0 || part?.behind === true;
  lastBudget = budget;
  choose(page);
  tellThings(page);
  const { out, folds } = leftOutOf(page);
  unfinished = { page, changed, out, folds, list: inheritNumbers(page, folds) };
  unmarkRedrawnLines(page, folds, again);
  return more({ firstEid, lastEid });
}

/**
 * Observes the page once its next frame is on its way to the display. A picture that was asked for shows that frame and
 * is made meanwhile; a walk before it would hold the frame up.
 */
async function observeAfterFrame(how) {
  await nextFrame();
  await new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = resolve;
    port2.postMessage(null);
  });
  return observe(how);
}

function walkAll(budget, all) {
  walkCount++;
  const page = new Page(Math.max(100, Math.min(budget, MOST_BUDGET)));
  page.all = all;
  noteAllCarried();
  noteSelectedMenus();
  fullLayer = findFullLayer(document);
  walkDocument(document, page, null, null, null);
  if (page.owners.length > 0) moveOwned(page);
  visitOverlays(page);
  page.flush();
  noteWiresLeft(page);
  // Drop targets may precede the first draggable element, so the walk is repeated.
  if (page.again) return walkAll(budget, all);
  return all || noteModals(page) ? page : walkAll(budget, true);
}

/** Observation whose lines have no element ids yet. */
let unfinished = null;

function more({ firstEid, lastEid }) {
  const { page, folds, out, changed, list } = unfinished;
  // No other document has assigned ids since, so the reserved ones can still be used.
  if (firstEid !== spareUntil) nextEid = Math.max(nextEid, firstEid);
  const needed = SPARE + (lastEid === Infinity ? 0 : unnumbered(page, folds));
  if (nextEid + needed - 1 > lastEid) return { short: needed };
  unfinished = null;
  const lines = write(page, folds);
  const unshown = unshownOf(page, folds);
  rememberThings(list, page.behinds.length > 0);
  const root = scrollRoot();
  const frames = frameFacts(page.frames.filter((line) => line.shown));
  spareUntil = nextEid + SPARE;
  watchForChanges();
  return {
    url: location.href,
    document: documentId(),
    title: cut(clean(String(titleOf(document)).slice(0, 2000)), LONGEST_VALUE),
    viewport: [innerWidth, innerHeight],
    scroll: [Math.round(scrollY), Math.max(0, Math.round(scrollHeightOf(root) - innerHeight))],
    scrollAcross: scrollAcross(root),
    lines,
    nextEid: spareUntil,
    leftOut: out,
    unshown,
    frames,
    secrets: secretsHere()[0],
    suspects: suspects.length,
    closedSheets: unreadSheets.size,
    changed,
  };
}

let lastRoot = null;
let rootCount = 0;

/** Identifies the document, also one whose whole content a script has written anew. */
function documentId() {
  const root = rootElementOf(document);
  if (root !== lastRoot) rootCount++;
  lastRoot = root;
  return `${performance.timeOrigin}/${rootCount}`;
}

/** Returns the number of lines that need a new element id. */
function unnumbered(page, folds) {
  let count = 0;
  for (const line of page.lines) {
    if (!line.shown || eidByNode.has(line.el)) continue;
    if (hasNumber(line, folds) || line.role === "iframe") count++;
  }
  return count;
}

/** Returns the distance of the page from its left edge, and the maximum. */
function scrollAcross(root) {
  const body = bodyOf(document);
  if ([root, body].some((el) => el !== null && /hidden|clip/.test(styleOf(el).overflowX))) return [0, 0];
  const far = Math.max(0, scrollWidthOf(root) - clientWidthOf(root));
  return far <= 1 ? [0, 0] : [Math.round(isRightToLeft(body ?? root) ? far + scrollX : scrollX), Math.round(far)];
}

const titleOf = getter(Document.prototype, "title");
const scrollingElementOf = getter(Document.prototype, "scrollingElement");
const scrollRoot = () => scrollingElementOf(document) ?? rootElementOf(document);

/** Returns an empty observation, for a document without a root element while it is being replaced. */
function emptyObservation() {
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
    const eid = hasNumber(line, folds) ? eidOf(line.el) : 0;
    // The line of a row lists its cells; `nameOf` returns them as one name.
    if (eid !== 0) lastRoleAndName.set(line.el, { role: line.role, name: line.role === "row" ? nameOf(line.el, "row", line.tag) : line.name });
    lines.push([line.depth, line.role, line.name ?? "", eid, hasKeys(line.attrs) ? line.attrs : 0]);
    if (line.note) lines.push([line.depth + 1, "note", line.note, 0, 0]);
    for (const note of notes.get(line) ?? []) lines.push([line.depth + 1, "note", note, 0, 0]);
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

/** Returns all documents and open shadow roots that the last observation met, searching anew if it may lack some. */
function allRoots() {
  const all = new Set([document]);
  for (const root of roots) if (nodeType(root) === 9 ? viewOf(root) !== null : isConnected(root)) all.add(root);
  if (observationCount === 0 || skippedSome) findRoots(document, all);
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
