// Amounts of money to which an approval is bound: around the target, and the totals of the whole page.

const AMOUNT = /[$€£₴¥₽₹₺₩₪₫₦฿]\s?\d|\b(?:USD|EUR|UAH|GBP|PLN|CHF)\s?\d|\d\s?(?:[$€£₴¥₽₹₺₩₪₫₦฿]|(?:USD|EUR|UAH|GBP|PLN|CHF|CZK|грн|руб|zł|kč|kr)(?![a-zа-яіїєґ]))/i;
const TOTAL = /(?:^|[^\p{L}])(?:(?:sub|grand )?total|to pay|you pay|amount due|разом|всього|усього|до сплати|итого|к оплате|сума|сумма|gesamt(?:summe|betrag)?|summe|totale|razem|suma|montant)(?![\p{L}])/iu;
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
  for (const part of parts) pricedLines(visibleText(part, 100000), true, found);
  if (body !== null) pricedLines(visibleText(body, 200000), false, found);
  drawnPrices(parts.at(-1) ?? body, found);
  return [...found];
}

/** Collects lines with an amount, or only totals; the amount of a total may be in the next line. */
function pricedLines(text, any, found) {
  const lines = withoutTimes(text).split("\n");
  for (let i = 0; i < lines.length; i++) {
    let line = lines[i];
    if (TOTAL.test(line)) {
      if (!/\d/.test(line)) line += ` ${lines[i + 1] ?? ""}`;
      if (!/\d/.test(line)) continue;
    } else if (!any || !AMOUNT.test(line)) continue;
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
      if (/\d/.test(drawn) && (AMOUNT.test(drawn) || TOTAL.test(drawn) || AMOUNT.test(`${drawn}${contentName(all[i])}`))) found.add(clean(drawn));
    }
  }
}
