// Texts that describe a field, and whether they ask for a secret.

const CARD_WORDS = /card.?(?:num|no\b)|cc.?num|credit.?card|\bpan\b|cvv|cvc|\bcsc\b|security.?code|номер.?карт|kartennummer|prüfziffer|numéro de carte/i;
const CODE_WORDS = new RegExp([
  /passw|passcode|\botp\b|one.?time|2fa|totp|verification.?code|(?:sms|auth(?:entication|enticator)?|access|confirmation).?code|\bpin\b/,
  /парол|одноразов|код.{0,3}(?:з |із |підтв|перевір|безпек|доступ|sms|смс)|(?:^|[^\p{L}])пін(?:-?код)?(?:$|[^\p{L}])/,
  /kennwort|(?:sicherheits|bestätigungs|zugangs)code|mot de passe|code de (?:sécurité|vérification)|contraseña|hasło/,
].map((words) => words.source).join("|"), "iu");

/** Requests in a sentence for a code that was sent or comes from an app, without any of the words above. */
const SENT_CODE = new RegExp([
  /\b(?:\d{1,2}|four|five|six|eight)[\s-]*digits?\b.{0,30}\bcode\b|\bcode\b.{0,40}\b(?:sent|texted|e-?mailed) (?:to )?(?:you|your)\b/,
  /\bcode\b.{0,10}\bwe(?:['’]ve| have)? (?:just )?(?:sent|texted|e-?mailed)\b|\b(?:sent|texted|e-?mailed) (?:you )?an? .{0,20}\bcode\b/,
  /\bcode\b.{0,20}\b(?:from|in|by|via) (?:your |the |an? )?(?:sms|text message|authenticat\w*|phone|e-?mail)\b|\b(?:log-?in|sign-?in) code\b/,
  /\d.{0,3}значн\p{L}*.{0,30}код|код.{0,40}(?:надісла|відправ|прийш|отправ|присла|приш[её]л)|(?:надісла|отправ|присла)\p{L}*.{0,40}код/,
  /\d.{0,2}stellige\p{L}* code|code.{0,40}(?:gesendet|geschickt)|code.{0,40}envoyé/,
].map((words) => words.source).join("|"), "iu");
const OTHER_CODE = new RegExp([
  /\b(?:promo\w*|discount|coupon|voucher|gift|referral|invit\w*|postal|post|zip|country|area|dial\w*|source|qr|bar|colou?r|product|item|article)[\s-]*code/,
  /\b(?:tracking|booking|reservation|tax|bank|sort|swift|branch|error|status|airport|currency|language|class|course|room|game)[\s-]*code/,
  /поштов\p{L}* (?:код|індекс)|промо-?код|код (?:країни|купон\p{L}*|товару|міста|страны|города)|postleitzahl|gutschein/,
].map((words) => words.source).join("|"), "iu");

const asksForCode = (text) => CODE_WORDS.test(text) || (SENT_CODE.test(text) && !OTHER_CODE.test(text));

/**
 * Matches a label that names a secret and nothing else: for fields that mostly hold plain text, and for text beside a
 * field.
 */
const SECRET_ALONE = new RegExp(`^[\\s*]*(?:(?:${[
  /your|enter|type|the|a|new|current|old|confirm|repeat|re-?enter|account|user|login|master|my|secret/,
  /ваш|введіть|введите|новий|новый|поточний|старий|підтвердіть|повторіть|повторите/,
].map((words) => words.source).join("|")})\\s+)*(?:${[
  /passw(?:or)?d|pass ?(?:code|phrase)|pin(?: ?code)?|(?:cvv|cvc)2?(?: ?(?:code|number))?|csc|(?:cvv|cvc)2? ?\/ ?(?:cvv|cvc|csc)2?/,
  /(?:(?:credit|debit|bank|payment) )?card ?(?:number|num|no)|(?:credit|debit) card|(?:card )?(?:security|verification) code/,
  /one[\s-]?time (?:code|password|passcode|pin)|otp|(?:seed|recovery|secret|mnemonic) phrase|private key/,
  /парол[ья]?|п[іи]н(?:-?код)?|номер карт(?:ки|и|ы)|(?:cvv|cvc)-?код|код безпеки|код безопасности/,
  /passwort|kennwort|kartennummer|prüfziffer|mot de passe|numéro de carte|contraseña|número de tarjeta|hasło|numer karty/,
].map((words) => words.source).join("|")})[\\s:*.…•\\d-]*(?:\\([^()]{0,40}\\))?[\\s:*]*$`, "iu");

/** Splits an identifier of the page into words: "cardNumber", "card_number". */
const inWords = (name) => name.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[_-]+/g, " ");

const ownNames = (el) => `${attr(el, "name") ?? ""} ${attr(el, "id") ?? ""}`;

function fieldWords(el) {
  return `${ownNames(el)} ${attr(el, "aria-label") ?? ""} ${attr(el, "placeholder") ?? ""} ${labelsOf(el).join(" ")}`;
}

/** Reports whether any text that describes the element names a secret and nothing else. */
function labelNamesSecret(el) {
  const texts = ["aria-label", "placeholder", "aria-placeholder", "data-placeholder", "title"].map((name) => attr(el, name) ?? "");
  const names = ["name", "id"].map((name) => inWords(attr(el, name) ?? ""));
  return [...texts, ...names, ...labelsOf(el)].some((text) => text !== "" && SECRET_ALONE.test(text));
}

const HOLD_TEXT = "textarea,select,[contenteditable]";

/** Returns the text of a label without the values of fields in it. */
function wordsOf(label) {
  if (query(label, HOLD_TEXT) === null) return textContent(label).slice(0, LONGEST_LABEL);
  let words = "";
  const gatherWords = (el, depth) => {
    for (let node = firstChild(el); node !== null && words.length < LONGEST_LABEL; node = nextSibling(node)) {
      if (nodeType(node) === 3) words += textData(node);
      else if (nodeType(node) === 1 && depth < 20 && !matches(node, HOLD_TEXT)) gatherWords(node, depth + 1);
    }
  };
  gatherWords(label, 0);
  return words.slice(0, LONGEST_LABEL);
}

/** Label texts of a field, with the time of the look-up, which walks through the document. */
const labelCache = new WeakMap();
const LABELS_FOR_MS = 1000;
const LONGEST_LABEL = 120;

const MOST_LABELS_AROUND = 5;
/** Labels of each tree by the id that they are for; forgotten when the task ends, since the page may change then. */
let labelsByTree = null;

function labelsForId(root, id) {
  if (labelsByTree === null) {
    labelsByTree = new Map();
    queueMicrotask(() => (labelsByTree = null));
  }
  if (!labelsByTree.has(root)) {
    const byId = new Map();
    for (const label of queryAll(root, "label[for]")) {
      const known = byId.get(attr(label, "for"));
      if (known === undefined) byId.set(attr(label, "for"), [label]);
      else known.push(label);
    }
    labelsByTree.set(root, byId);
  }
  return labelsByTree.get(root).get(id) ?? [];
}

const LABELABLE = words("button input meter output progress select textarea");

const FIELD_BEHIND_BUTTON = "input:not([type=hidden]):not([type=button]):not([type=submit]):not([type=reset]),select,textarea";

/** Returns what a label is for: the field in it also where a button comes first, which the browser takes. */
function fieldOfLabel(label) {
  const control = controlOf(label);
  if (control === null || localName(control) !== "button" || hasAttr(label, "for")) return control;
  // A list that the button opens may have a field of its own.
  const fields = Array.from(queryAll(label, FIELD_BEHIND_BUTTON));
  return fields.find(isShown) ?? fields[0] ?? control;
}

/**
 * Returns the labels of a field or of a custom element that belongs to forms, in document order. The browser's own list
 * reads the whole tree for each field, which adds up; custom elements have none.
 */
function labelElementsOf(el) {
  if (!LABELABLE.has(localName(el)) && !(someInternals && internalsByNode.has(el))) return [];
  const labels = new Set();
  for (let label = closest(el, "label"), steps = 0; label && steps < MOST_LABELS_AROUND; steps++) {
    labels.add(label);
    const outer = parentNode(label);
    label = outer !== null && nodeType(outer) === 1 ? closest(outer, "label") : null;
  }
  const id = attr(el, "id");
  if (id) for (const label of labelsForId(getRootNode(el), id)) labels.add(label);
  const own = [...labels].filter((label) => fieldOfLabel(label) === el);
  return own.length < 2 ? own : own.sort((a, b) => ((a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING) === 0 ? 1 : -1));
}

/** Returns the label texts; for a field without any label, the text beside it. */
function labelsOf(el) {
  const known = labelCache.get(el);
  const now = performance.now();
  if (known !== undefined && now - known.at < LABELS_FOR_MS) return known.texts;
  const texts = labelElementsOf(el).map(wordsOf);
  const ids = attr(el, "aria-labelledby")?.split(/\s+/, 12) ?? [];
  for (const id of ids) {
    const label = id && queryAll(getRootNode(el), "#" + CSS.escape(id))[0];
    if (label) texts.push(wordsOf(label));
  }
  if (texts.length === 0 && isUnnamed(el)) {
    texts.push(...textsBeside(el).filter((beside) => SECRET_ALONE.test(beside)));
  }
  labelCache.set(el, { texts, at: now });
  return texts;
}

const isUnnamed = (el) =>
  !attr(el, "aria-label") && !/\p{L}{3}/u.test(attr(el, "placeholder") ?? "") && !/^(?:email|search|url)$/i.test(attr(el, "type") ?? "");

const ANY_FIELD = "input:not([type=hidden]),select,textarea,button,[contenteditable]";
const NEAR_FIELD = `${ANY_FIELD},[role=slider],[role=spinbutton],[role=combobox],[role=textbox],[role=searchbox]`;

/** Reports whether an element is or contains a field other than this one; a field that is not drawn belongs to another. */
function holdsOtherFieldThan(node, el) {
  const own = nativeBehind(el, roleOf(el));
  const isOther = (field) => field !== el && field !== own && !contains(field, el) && !contains(el, field) && rawVisible.call(field, { visibilityProperty: true });
  return (matches(node, NEAR_FIELD) && isOther(node)) || Array.prototype.some.call(queryAll(node, NEAR_FIELD), isOther) || drawsControlFor(node, NEAR_FIELD, el);
}

/**
 * Returns the text before a field that has no other field near it; in a table, that of the previous cell and of the
 * column header. `onlySeen`: hidden words and names of icons do not count.
 */
function textsBeside(el, onlySeen = false) {
  const cell = closest(el, "td,th");
  const column = onlySeen && cell === null ? columnAbove(el) : null;
  if (column !== null) return [column];
  const before = textBefore(el, cell, onlySeen);
  if (before !== "" || cell === null) return [before];
  const left = previousElement(cell);
  const row = closest(cell, "table")?.rows?.[0];
  const head = row && !contains(row, cell) ? row.cells?.[cell.cellIndex] : null;
  // In a table with a header, what a cell says of another column is no label.
  const columns = head && isOfHead(head) && parentNode(cell).cells?.length > 2 ? [head, left] : [left, head];
  return columns.filter((one) => one && query(one, ANY_FIELD) === null).map((one) => clean(textContent(one).slice(0, LONGEST_LABEL)));
}

const NO_TEXT = words("script style template noscript select textarea datalist option");

function textBefore(el, cell, onlySeen) {
  // The words before the field of a drawn list are its choice.
  for (let node = (onlySeen ? drawnListAround(el) : null) ?? el, steps = 0; node !== null && node !== cell && steps < 4; node = parentNode(node), steps++) {
    if (steps > 0 && (nodeType(node) !== 1 || /^(?:body|form|fieldset|table|dialog)$/.test(localName(node)))) return "";
    if (steps > 0 && holdsOtherFieldThan(node, el)) return "";
    for (let before = previousSibling(node); before !== null; before = previousSibling(before)) {
      const type = nodeType(before);
      if (type === 1 && holdsOtherFieldThan(before, el)) return "";
      if (type === 1 && NO_TEXT.has(localName(before))) continue;
      if (type === 1 && onlySeen && (!isShown(before) || holdsTable(before) || drawsCharacters(before, el))) continue;
      const words = type === 3 ? textData(before) : type !== 1 ? "" : onlySeen ? contentName(before) : textContent(before);
      const text = clean(words.slice(0, LONGEST_LABEL));
      if (type === 1 && onlySeen && text !== "" && saysAnotherControl(before, text)) return "";
      if (text !== "" && !(onlySeen && isEndOfScale(text, el))) return text;
    }
  }
  return "";
}

const MOST_IN_CONTROL = 40;

/** Roles of widgets with several parts, whose words name no field beside them. */
const WIDGETS = "[role=tablist],[role=menu],[role=menubar],[role=toolbar],[role=tree],[role=radiogroup]";

/** Reports whether a text before a field is mostly the own words of what reacts by itself, such as a drawn list, tabs or stars. */
function saysAnotherControl(before, text) {
  if (matches(before, WIDGETS) || query(before, WIDGETS) !== null) return true;
  const reacts = (one) => localName(one) !== "label" && (Number(attr(one, "tabindex") ?? -1) >= 0 || VALUED.has(attr(one, "role") ?? "") || isItem(one) || (listening.has(one) && hasPointer(one)));
  const parts = [before, ...Array.prototype.slice.call(queryAll(before, "*"), 0, MOST_IN_CONTROL)].filter(reacts);
  const outer = parts.filter((one) => !parts.some((other) => other !== one && contains(other, one)));
  return outer.reduce((sum, one) => sum + (contentName(one) || tipOf(one)).length, 0) >= text.length * MOST_OF_IT;
}

/** Reports whether a text beside a slider is only the number at an end of its scale. */
const isEndOfScale = (text, el) => /^[\d\s.,%+−-]+$/.test(text) && matches(el, SLIDERS);

const MOST_IN_LABEL = 2;

/** Reports whether an element is or contains a table or a list, whose words name no field beside it. */
function holdsTable(el) {
  const tables = "table,tbody,thead,tr,ul,ol,[role=grid],[role=row],[role=listbox]";
  return matches(el, tables) || queryAll(el, `${tables},td,li`).length > MOST_IN_LABEL;
}

/** Matches names by which libraries call each of their editors. */
const MERE_EDITOR = /^(?:editor content|rich text (?:area|editor)|(?:code|text) editor)\b/i;
const EDITOR_BOXES = ".monaco-editor,.CodeMirror,.cm-editor,.ace_editor,.ql-container,.tox";

/** Returns the words of a label without a field of its own before an element, or before what holds just that. */
function labelBefore(el, ofOne = false) {
  for (let node = el, steps = 0; node !== null && nodeType(node) === 1 && steps < 4; node = parentNode(node), steps++) {
    let before = previousElement(node);
    while (before !== null && !isShown(before) && localName(before) !== "label") before = previousElement(before);
    if (before === null) continue;
    if (localName(before) !== "label" || (controlOf(before) !== null && isShown(controlOf(before)))) return "";
    // A label before several fields is the title of all.
    return ofOne && holdsOtherFieldThan(parentNode(node), el) ? "" : contentName(before);
  }
  return "";
}

/** Returns the caption of a table without the words of controls in it, which have lines of their own. */
function captionOf(table) {
  for (let node = firstChild(table); node !== null; node = nextSibling(node)) {
    if (nodeType(node) === 1 && localName(node) === "caption") return captionWords(node);
  }
  return "";
}

function captionWords(caption) {
  const controls = queryAll(caption, CONTROLS);
  return (controls.length === 0 ? "" : wordsWithout(caption, new Set(controls))) || contentName(caption, true);
}

/** Returns the header in which a control stands, else that of its column if its cell holds nothing else; "" for others. */
function columnOfControl(el) {
  const head = closest(el, "th,[role=columnheader]");
  if (head !== null) return cut(wordsWithout(head, new Set([el])), LONGEST_THING);
  const cell = closest(el, "td");
  if (cell === null && (contentName(el) !== "" || !isEmptyCell(el))) return "";
  if (cell === null) return columnAbove(el) ?? "";
  if (contentName(cell) !== "" || queryAll(cell, CONTROLS).length > 1) return "";
  const above = closest(cell, "table")?.rows?.[0]?.cells?.[cell.cellIndex];
  return above && above !== cell && localName(above) === "th" && query(above, CONTROLS) === null ? contentName(above) : "";
}
