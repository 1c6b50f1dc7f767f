// Days of the month that a calendar draws, for the entries in it: each tells its day.

const CALENDARS = "[data-date],[class*=calendar i],[class*=month i],[role=grid]";
const MONTH_DAYS = 28;
const MOST_DAYS = 100;
const [MOST_IN_CALENDAR, MOST_BEFORE_DAYS] = [3000, 200];
const DAY_ROLES = words("clickable link button");
const FULL_DATE = /\d{4}-\d{2}-\d{2}/;

/** Tells the day of each entry of a month: entries stand in the cells of days, or are drawn over them. */
function tellDays(page) {
  const entries = page.lines.filter((line) => line.shown && line.kind === ACTOR && DAY_ROLES.has(line.role) && line.attrs && !DAY.test(line.name));
  if (entries.length === 0 || documentQuery.call(document, CALENDARS) === null) return;
  const days = daysOfMonth(entries);
  for (const line of days.length === 0 ? [] : entries) {
    const day = dayOf(line.el, days);
    if (day !== undefined && !(/\p{L}/u.test(day.title) && line.name.includes(day.title))) line.attrs.in = day.title;
  }
}

/** Returns the days of the first month that is drawn: {node, cell, box, title}; an empty list if there is none. */
function daysOfMonth(entries) {
  for (const holder of Array.prototype.slice.call(queryAll(document, CALENDARS), 0, MOST_DAYS)) {
    if (childElementCount(holder) === 0 || !entries.some(({ el }) => contains(holder, el))) continue;
    const nodes = dayNumbersIn(holder);
    if (nodes.length >= MONTH_DAYS && nodes.length <= MOST_DAYS) return nodes.map((node, i) => dayAt(node, [nodes[i - 1], nodes[i + 1]], holder));
  }
  return [];
}

/** Returns the elements in a calendar that show the number of a day and nothing else, if each follows the one before; else none. */
function dayNumbersIn(holder) {
  const texts = ownerDocument(holder).createTreeWalker(holder, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let read = 0; read < MOST_IN_CALENDAR && (found.length > 2 || read < MOST_BEFORE_DAYS) && texts.nextNode(); read++) {
    const text = textData(texts.currentNode).trim();
    const el = parentNode(texts.currentNode);
    if (!DAY.test(text) || !isShown(el)) continue;
    const last = found[found.length - 1];
    const isNext = last === undefined || Number(text) === last.number + 1 || (Number(text) === 1 && last.number >= MONTH_DAYS);
    if (isNext) found.push({ el, number: Number(text) });
    else if (found.length < 7) found.splice(0, found.length, { el, number: Number(text) });
  }
  return found.map(({ el }) => el);
}

/** Returns the day that a number stands for: its cell is the largest element around it without the number before or after it. */
function dayAt(node, beside, holder) {
  let cell = node;
  for (let around = parentElement(node); around !== null && around !== holder && !beside.some((other) => other !== undefined && contains(around, other)); around = parentElement(around)) cell = around;
  const label = attr(cell, "aria-label") || attr(node, "aria-label") || [query(cell, "[aria-label]")].map((one) => (one !== null && contains(one, node) ? attr(one, "aria-label") : "")).join("");
  const date = FULL_DATE.exec(attr(cell, "data-date") ?? attr(closest(node, "[data-date]") ?? node, "data-date") ?? attr(closest(node, "time") ?? node, "datetime") ?? "");
  return { node, cell, box: rectOf(cell), title: cut(clean(label || (date === null ? "" : date[0]) || contentName(node)), LONGEST_THING) };
}

/** Returns the day in whose cell an entry stands or begins; undefined for what is no entry of the month. */
function dayOf(el, days) {
  const own = days.find(({ cell }) => contains(cell, el));
  if (own !== undefined) return contains(own.node, el) || contains(el, own.node) ? undefined : own;
  if (contains(el, days[0].cell)) return undefined;
  const { left, top, width, height } = rectOf(el);
  if (width === 0 || height === 0) return undefined;
  return days.find(({ box }) => left >= box.left - 2 && left < box.right - 2 && top >= box.top && top < box.bottom - 2);
}
