// Virtual lists: how many more items exist, and how to get them.

/** Roles of lists that may be drawn partly. */
const WINDOWED = words("list grid table treegrid listbox feed");
/** Multiple of a pane's height below its drawn content that is more than a margin. */
const FAR_BELOW = 3;
const FEW = 8;

/** Notes that a closed list, or a scrollable pane, has more content than is drawn. */
function noteMore(page, line, at) {
  if (line.kind !== HOLDER) return;
  if (WINDOWED.has(line.role)) line.more = partDrawn(line, () => isScrollable(page, line, at));
  if (line.more !== undefined && line.scroll === undefined) line.inner = paneInList(page, line, at);
  if (line.more === undefined && line.scroll !== undefined && !holdsMore(page, at)) line.more = farBelow(page, line, at);
}

/** Returns the line of the pane within a list that scrolls its own items, not those of another list in it, or null. */
function paneInList(page, line, at) {
  for (let i = at + 1; i < page.lines.length; i++) {
    const pane = page.lines[i];
    let around = pane;
    while (around !== null && around !== line && !WINDOWED.has(around.role)) around = around.parent;
    if (pane.scroll !== undefined && pane.kind === HOLDER && pane.scroll !== BY_WHEEL && around === line) return pane;
  }
  return null;
}

/** Reports whether anything in or around a list can be scrolled; a list of unknown size gets no more items otherwise. */
function isScrollable(page, line, at) {
  if (paneInList(page, line, at) !== null) return true;
  for (let around = line; around !== null; around = around.parent) if (around.scroll !== undefined) return true;
  const root = scrollingElementOf(ownerDocument(line.el)) ?? rootElementOf(ownerDocument(line.el));
  return scrollHeightOf(root) - clientHeightOf(root) >= LEAST_SCROLL;
}

function partDrawn({ el, role }, canGrow) {
  const one = role === "table" || role.endsWith("grid") ? "row" : role === "list" || role === "feed" ? "list item" : "item";
  const rows = one === "row" ? Number(attr(el, "aria-rowcount")) : 0;
  if (rows < 0) return canGrow() ? `more ${one}s may come` : undefined;
  const first = rows > 0 || role === "table" ? null : query(el, "[aria-setsize]");
  const size = rows || (first === null ? 0 : Number(attr(first, "aria-setsize")));
  if (size < 0) return canGrow() ? `more ${one}s may come` : undefined;
  if (!(size > 0)) return undefined;
  const drawn = queryAll(el, rows > 0 ? "[role=row],tr" : "[aria-setsize]").length;
  return drawn > 0 && drawn < size ? `${drawn} of ${size} ${one}s are drawn` : undefined;
}

const holdsMore = (page, at) => page.lines.some((line, i) => i > at && line.more !== undefined);

/** Detects a pane with a long scroll range and little drawn content: the rest is created on scrolling. */
function farBelow(page, line, at) {
  const below = parseFloat(line.scroll.split("/")[1]);
  if (!(below >= clientHeightOf(line.el) * FAR_BELOW)) return undefined; // also if a wheel moves it
  let drawn = 0;
  for (let i = at + 1; i < page.lines.length; i++) {
    if (isAfter(page.lines[i].place) && page.lines[i].kind !== HOLDER && ++drawn > FEW) return undefined;
  }
  return page.lines.length - at > 3 ? "more may come" : undefined;
}

/** Returns the note in place, which names the scrollable element by its id. */
function moreNote(line) {
  let pane = line.inner ?? line;
  while (pane !== null && pane.scroll === undefined) pane = pane.parent;
  const where = pane === null ? "the page" : `[${eidOf(pane.el)}]`;
  return [line.depth + 1, "note", `${line.more}; scroll ${where} for the rest`, 0, 0];
}
