// Marks without words in the text: icons that say yes or no of the item that holds them, stars of a rating.

/** Adds what icons and stars say that have no words. */
function tellDrawnMark(el, tag, role, page, ctx) {
  if (VERDICT_TAGS.has(tag)) tellVerdict(el, tag, page, ctx);
  if (role === "" && firstElementChild(el) !== null && RATED.test(attr(el, "class") ?? "")) tellRating(el, page, ctx);
}

const VERDICT_TAGS = words("i svg span img em b");
const MAY_BE_VERDICT = /check|tick|done|cross|times|close|remove|cancel|xmark|accept|(?:^|[\s_/-])(?:ok|yes|no|x|ban)(?:[\s_.-]|$)/i;
const SAYS_YES = /^(?:check|checkmark|check mark|tick|ok|done|yes|accept|checked)$/;
const SAYS_NO = /^(?:times|x|xmark|cross|close|remove|no|ban|cancel|no entry)$/;
const LEVELS_TO_ITEM = 2;

/** Adds the sign for an icon that says that the item in which it stands holds or does not: "✓", "✗". */
function tellVerdict(el, tag, page, ctx) {
  if (firstElementChild(el) !== null && tag !== "svg") return;
  const called = tag === "img" ? attr(el, "src") : attr(el, "class");
  const isCalled = called !== null && MAY_BE_VERDICT.test(called);
  const use = tag === "svg" && !isCalled ? query(el, "use") : null;
  if (!isCalled && use === null && !(called !== null && LIGATURE_CLASS.test(called) && isLigature(el, tag))) return;
  const icon = (use === null ? "" : iconOf(use)) || iconOf(el);
  const sign = SAYS_YES.test(icon) ? "✓" : SAYS_NO.test(icon) ? "✗" : "";
  if (sign === "" || contentName(el) !== "" || !isInItemLike(el)) return;
  page.addText(` ${sign} `, parentElement(el) ?? el, ctx.clip);
  page.guessed = true;
}

/** Reports whether an element stands in an item of a list, or in one of several parts that are built alike. */
function isInItemLike(el) {
  for (let node = parentElement(el), steps = 0; node !== null && steps < LEVELS_TO_ITEM; node = parentElement(node), steps++) {
    if (localName(node) === "li") return true;
    if (/^t[dh]$/.test(localName(node)) || CELLS.has(attr(node, "role") ?? "")) return false;
    if ([previousElement(node), nextElement(node)].some((one) => one !== null && isAlike(one, node) && query(one, PICTURED) !== null)) return true;
  }
  return false;
}
