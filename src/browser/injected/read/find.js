// `find`: elements and texts on the whole page by words of them, also beyond the viewport and in folded parts.

const MOST_FOUND = 20;

/**
 * Returns the lines of a whole walk whose name, value or text holds the words: {lines: [[role, name, eid, attrs]],
 * hidden: [[text, eid of what shows it, its name]], count}. `role` leaves others out. A closed list whose options hold
 * the words has those options; a row is told by its cells.
 */
function findOnPage(text, role = null) {
  const words = foldCase(text);
  const page = walkAll(MOST_BUDGET, true);
  page.lines.forEach(readLine);
  const acted = new Set(page.lines.filter((line) => line.kind === ACTOR).map((line) => line.el));
  const found = page.lines.flatMap((line) => fittingLines(line, words, role, acted));
  // Alike lines tell their row or card, as in a look.
  const alike = found.filter((line) => line.kind === ACTOR && line.el);
  for (const line of alike) line.shown = true;
  tellThings({ lines: alike });
  const lines = bestFirst(found, words).slice(0, MOST_FOUND).map((line) => foundLine(line, words));
  const hidden = role === null && found.length < 5 ? findHidden(words) : [];
  return { lines, hidden, count: found.length };
}

const foldCase = (text) => clean(String(text)).toLocaleLowerCase();

/** Returns what a line adds to the result: itself, itself with the options that fit, or the cells of a row that fit. */
function fittingLines(line, words, role, acted) {
  const isWanted = role === null || line.role === role;
  if (isWanted && line.role === "row") {
    const cells = fittingCells(line, words, acted);
    if (cells.length > 0) return cells;
  }
  if (isWanted && [line.name, line.attrs?.value, line.attrs?.href, wholeText(line)].some((part) => typeof part === "string" && foldCase(part).includes(words))) return [line];
  if (!isWanted && role !== "option") return [];
  const options = fittingOptions(line, words);
  return options.length === 0 ? [] : [{ ...line, attrs: { ...line.attrs, options } }];
}

/** Returns the whole text of an editor or field the value of which is cut in its line; else "". */
function wholeText({ el, role, tag, attrs }) {
  if (!el || role !== "textbox" || (attrs?.value ?? "").length < LONGEST_VALUE - 1 || isSecret(el) || isSecretRich(el)) return "";
  if (tag === "input" || tag === "textarea") return String(el.value).slice(0, MOST_EXTRACTED);
  return (editorText(el) ?? textContent(el)).slice(0, MOST_EXTRACTED);
}

const MOST_FITTING_OPTIONS = 20;
const MOST_READ_OPTIONS = 5000;

/** Returns the labels with the words among the options of a list that is closed, or that the browser draws. */
function fittingOptions({ el, role, tag }, words) {
  if (!el || (role !== "combobox" && role !== "listbox" && !MAY_DRAW_LIST.has(role)) || isSecret(el)) return [];
  const native = tag === "select" ? el : (tag === "input" && el.list) || nativeBehind(el, role);
  const list = native || role !== "combobox" ? null : controlled(el, "listbox");
  const options = native ? native.options : list === null || isShown(list) ? [] : queryAll(list, "[role=option]");
  const found = [];
  for (let i = 0; i < options.length && i < MOST_READ_OPTIONS && found.length < MOST_FITTING_OPTIONS; i++) {
    const label = native ? optionLabel(options[i]) : cut(contentName(options[i], true), 80);
    if (foldCase(label).includes(words)) found.push(native && isDisabledOption(options[i]) ? label + DISABLED_OPTION : label);
  }
  return found;
}

const MOST_CELLS = 100;

/** Returns lines of the cells of a row that show the words without having lines of their own. */
function fittingCells({ el, parent }, words, acted) {
  const cells = queryAll(el, "td,th,[role=cell],[role=gridcell],[role=columnheader],[role=rowheader]");
  const found = [];
  for (let i = 0; i < cells.length && i < MOST_CELLS; i++) {
    const name = contentName(cells[i]);
    if (!isShown(cells[i]) || isSecretRich(cells[i]) || !foldCase(name).includes(words)) continue;
    if (acted.has(cells[i]) || Array.prototype.some.call(queryAll(cells[i], "*"), (one) => acted.has(one))) continue;
    found.push({ role: roleOf(cells[i]) || "cell", name: cut(name, LONGEST_VALUE), el: cells[i], tag: localName(cells[i]), kind: SHOWN, parent, numbered: true });
  }
  return found;
}

/** Sorts the same name first, then names that begin so, then elements before texts; the page's order within. */
function bestFirst(found, words) {
  const rank = (line) => {
    const name = foldCase(line.name ?? "");
    return (name === words ? 0 : name.startsWith(words) ? 2 : 4) + (line.kind === ACTOR ? 0 : 1);
  };
  return found.map((line, at) => [rank(line), at, line]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, , line]) => line);
}

function foundLine(line, words) {
  const acts = line.kind === ACTOR || line.role === "iframe" || line.numbered;
  if (line.kind === TEXT && !line.silent) return foundText(line, words);
  const eid = line.el ? (acts ? spareEid(line.el) : eidByNode.get(line.el) ?? 0) : 0;
  if (eid !== 0) lastRoleAndName.set(line.el, { role: line.role, name: line.role === "row" ? nameOf(line.el, "row", line.tag) : line.name });
  return [line.role, line.name ?? "", eid, hasKeys(line.attrs) ? line.attrs : 0];
}

const MOST_LEVELS_FOUND = 40;

/**
 * Returns a text as `clickable` if something around it listens: a listener far above may react to presses on it (a cell of
 * a drawn spreadsheet, a title to be edited by a double click). Other texts have a number, too: to be dragged.
 */
function foundText(line, words) {
  const attrs = hasKeys(line.attrs) ? line.attrs : 0;
  const around = holdingWords(line.el, words);
  const el = foldCase(contentName(around)).includes(words) ? around : line.el;
  const eid = isListenedAround(el) ? spareEid(el) : 0;
  if (eid === 0 && line.role === "text" && isShown(line.el)) return ["generic", line.name ?? "", spareEid(line.el), attrs];
  if (eid === 0) return [line.role, line.name ?? "", eidByNode.get(line.el) ?? 0, attrs];
  // Lines of texts have no number.
  const [role, name] = line.role === "text" ? ["clickable", cut(contentName(el), LONGEST_NAME)] : [line.role, line.name ?? ""];
  lastRoleAndName.set(el, { role, name });
  return [role, name, eid, attrs];
}

/** Returns the innermost element that holds the words. */
function holdingWords(el, words) {
  // Words side by side may be of several elements.
  let inner = foldCase(contentName(el)).includes(words) ? el : parentNode(el) ?? el;
  for (let steps = 0; inner !== undefined && steps < MOST_LEVELS_FOUND; steps++) {
    el = inner;
    inner = Array.prototype.find.call(childrenOf(el), (one) => isShown(one) && foldCase(contentName(one)).includes(words));
  }
  return el;
}

function isListenedAround(el) {
  for (let node = el, steps = 0; node !== null && steps < MOST_LEVELS_FOUND; node = drawnParent(node), steps++) if (listening.has(node)) return true;
  return doubled.has(ownerDocument(el));
}

/** Finds words in parts that are not shown, with what opens them as far as the page declares it. */
function findHidden(words) {
  const found = [];
  for (const root of allRoots()) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(), steps = 0; node !== null && steps < 50000 && found.length < 5; node = walker.nextNode(), steps++) {
      const text = textData(node);
      if (text.length < words.length || !foldCase(text).includes(words)) continue;
      const el = node.parentElement;
      if (el === null || /^(?:script|style|noscript|template|title|option)$/.test(localName(el)) || isShown(el)) continue;
      const opener = openerOf(el);
      found.push([cut(clean(text), 120), opener === null ? 0 : spareEid(opener), opener === null ? "" : nameOf(opener, roleOf(opener) || "button")]);
    }
  }
  return found;
}
