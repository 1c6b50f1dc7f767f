// Amounts of money to which an approval is bound: around the target, and the totals of the whole page.

const MOST_DRAWN = 1500;
const AROUND = words("section article dialog main");
const AROUND_ROLES = words("dialog alertdialog main region");

function pricesAround(el, form) {
  const found = new Set();
  const parts = form === null ? [] : [form];
  for (let node = form ?? el, steps = 0; node !== null && steps < 200; node = drawnParent(node), steps++) {
    if (AROUND.has(localName(node)) || AROUND_ROLES.has(attr(node, "role"))) parts.push(node);
  }
  const body = bodyOf(document);
  // If no part of the page is marked as a section, the whole page counts.
  if (body !== null && parts.every((part) => part === form)) parts.push(body);
  for (const part of parts) pricedLinesIn(part, true, found);
  if (body !== null) pricedLinesIn(body, false, found);
  drawnPrices(parts.at(-1) ?? body, found);
  return [...found];
}

const MOST_PRICED = 300;
const MOST_OUTWARDS = 4;
const LONGEST_PRICED = 2000;

/**
 * Collects the lines of a part of the page that state an amount (`any`) or a total. Reads only the blocks that may hold
 * one: the visible text of a whole page takes as long as an observation.
 */
function pricedLinesIn(part, any, found) {
  const most = any ? 100000 : 200000;
  const holdsOtherTrees = roots.size > 1 || query(part, "iframe,frame,slot") !== null;
  const blocks = holdsOtherTrees ? new Set([part]) : pricedBlocks(part, any);
  for (const block of blocks.size > MOST_PRICED ? [part] : blocks) pricedLines(visibleText(block, most), any, found);
}

/** Returns the blocks of a part that may hold an amount, or a total. */
function pricedBlocks(part, any) {
  const blocks = new Set();
  const add = (node, words) => {
    if (namesTotal(words)) blocks.add(blockOf(node, part, true));
    else if (any && namesCurrency(words)) blocks.add(blockOf(node, part, false));
  };
  const drawing = drawingIn.get(ownerDocument(part)) ?? new Set();
  if (drawing.size > MOST_DRAWN) return new Set([part]);
  for (const el of drawing) {
    if (blocks.size > MOST_PRICED) break;
    if (contains(part, el)) add(el, drawnWordsBefore(el) + drawnWordsAfter(el));
  }
  const text = textContent(part);
  if (!/\d/.test(text) || !(namesTotal(text) || (any && namesCurrency(text)))) return blocks;
  const nodes = ownerDocument(part).createTreeWalker(part, NodeFilter.SHOW_TEXT);
  for (let node = nodes.nextNode(); node !== null && blocks.size <= MOST_PRICED; node = nodes.nextNode()) {
    add(node, textData(node));
  }
  return blocks;
}

/** Returns the block around a text; around a total, the nearest that holds its amount too. */
function blockOf(node, part, isTotal) {
  let block = nodeType(node) === 1 ? node : parentNode(node);
  while (block !== part && styleOf(block).display.startsWith("inline")) block = parentNode(block);
  for (let steps = 0; isTotal && block !== part && steps < MOST_OUTWARDS && !/\d/.test(textContent(block)); steps++) {
    const outer = parentNode(block);
    if (textContent(outer).length > LONGEST_PRICED) break;
    block = outer;
  }
  return block;
}

/** Collects lines with an amount, or only totals; the amount of a total may be in the next line. */
function pricedLines(text, any, found) {
  const lines = withoutTimes(text).split("\n");
  for (let i = 0; i < lines.length; i++) {
    let line = lines[i];
    if (statesTotal(line)) {
      if (!/\d/.test(line)) line += ` ${lines[i + 1] ?? ""}`;
      if (!/\d/.test(line)) continue;
    } else if (!any || !statesAmount(line)) continue;
    found.add(clean(line));
  }
}

/** Collects amounts that only a style sheet writes, before or after an element. */
function drawnPrices(part, found) {
  if (part === null) return;
  const all = queryAll(part, "*");
  for (let i = 0; i < all.length && i < MOST_DRAWN; i++) {
    for (const place of ["::before", "::after"]) {
      const content = getComputedStyle(all[i], place).content;
      if (!/["(]/.test(content) || content.startsWith("url(")) continue;
      const drawn = content.replace(/attr\(([\w-]+)\)/g, (_, name) => attr(all[i], name) ?? "").replace(/"/g, "");
      if (/\d/.test(drawn) && (statesMoney(drawn) || statesAmount(`${drawn}${contentName(all[i])}`))) found.add(clean(drawn));
    }
  }
}
