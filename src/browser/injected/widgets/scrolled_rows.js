// Rows that a list draws only as they are scrolled to: all of them are read by scrolling through it, within bounds. Also
// the one row of an object that a table or list tells by names and values.

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
  const all = { ...found, rows: [], texts: [] };
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
  const drawn = rows.map((row) => JSON.stringify(row));
  let overlap = Math.min(all.texts.length, drawn.length);
  while (overlap > 0 && !drawn.slice(0, overlap).every((text, i) => text === all.texts[all.texts.length - overlap + i])) overlap--;
  // A list may draw more rows above than are new below: then only those after the last one known are.
  const known = overlap > 0 ? overlap : drawn.lastIndexOf(all.texts.at(-1)) + 1;
  all.rows.push(...rows.slice(known));
  all.texts.push(...drawn.slice(known));
  return known < rows.length;
}

const MOST_PAIRS = 60;

/** Reports whether a table holds names with their values, one pair in each row: the things that a product is. */
const isGridOfPairs = (grid) => grid.length >= 2 && grid.length <= MOST_PAIRS && grid.every((row) => row.length === 2 && row[0].named && !row[1].named && row[0].text !== "");

/** Returns the one row of an object that names and values describe, or null. */
function rowOfPairs(holder, pairs) {
  const told = pairs.map(([name, value]) => [clean(name).replace(/:$/, ""), value]).filter(([name]) => name !== "");
  if (told.length < 2 || told.length > MOST_PAIRS) return null;
  const found = { columns: unique(told.map(([name]) => name)), rows: [told.map(([, value]) => value)], leftOut: 0, heads: 0, holder };
  return Object.assign(found, { elements: () => [], readAgain: () => found });
}

/** Names with their values, of which a schema may take one object: tables of two columns and lists of terms. */
function* pairsIn(top) {
  const all = queryAll(top, "table,dl,[role=table]");
  for (let i = 0; i < all.length && i < MOST_PAIRS; i++) {
    const holder = all[i];
    if (!isShown(holder)) continue;
    const grid = localName(holder) === "dl" ? [] : gridOf(holder).filter((row) => row.length === 2);
    const terms = localName(holder) !== "dl" ? [] : Array.prototype.filter.call(queryAll(holder, "dt"), (term) => nextElement(term) !== null && localName(nextElement(term)) === "dd");
    const found = rowOfPairs(holder, [...grid.map(([name, value]) => [name.text, value.text]), ...terms.map((term) => [cellText(term), cellText(nextElement(term))])]);
    if (found !== null) yield found;
  }
}
