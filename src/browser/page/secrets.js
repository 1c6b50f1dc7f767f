// Which fields hold what nobody may read: passwords, cards, one-time codes. Their values never leave the page.

const SECRET_AUTOCOMPLETE = /\b(?:current-password|new-password|one-time-code|cc-(?:number|csc|exp|exp-month|exp-year))\b/;
const CARD_AUTOCOMPLETE = /\bcc-/;
const CARD_WORDS = /card.?(?:num|no\b)|cc.?num|credit.?card|\bpan\b|cvv|cvc|\bcsc\b|security.?code|номер.?карт|kartennummer|prüfziffer|numéro de carte/i;
const CODE_WORDS = new RegExp([
  /passw|passcode|\botp\b|one.?time|2fa|totp|verification.?code|(?:sms|auth(?:entication|enticator)?|access|confirmation).?code|\bpin\b/,
  /парол|одноразов|код.{0,3}(?:з |із |підтв|перевір|безпек|доступ|sms|смс)|(?:^|[^\p{L}])пін(?:-?код)?(?:$|[^\p{L}])/,
  /kennwort|(?:sicherheits|bestätigungs|zugangs)code|mot de passe|code de (?:sécurité|vérification)|contraseña|hasło/,
].map((words) => words.source).join("|"), "iu");
const LONG_NUMBER = /^[\d\s-]{13,23}$/;

const NEVER_SECRET = words("checkbox radio submit button reset image range color file date time month week datetime-local hidden");

function fieldWords(el) {
  return `${attr(el, "name") ?? ""} ${attr(el, "id") ?? ""} ${attr(el, "aria-label") ?? ""} ${attr(el, "placeholder") ?? ""} ${labelWords(el)}`;
}

/** field → what its labels say, and when they were asked: it takes a walk through the document. */
const labelsSaid = new WeakMap();
const LABELS_FOR_MS = 1000;
const LONGEST_LABEL = 120;

function labelWords(el) {
  const known = labelsSaid.get(el);
  const now = performance.now();
  if (known !== undefined && now - known.at < LABELS_FOR_MS) return known.words;
  const texts = Array.from(el.labels ?? [], (label) => textContent(label).slice(0, LONGEST_LABEL));
  const ids = attr(el, "aria-labelledby")?.split(/\s+/, 12) ?? [];
  for (const id of ids) {
    const label = id && queryAll(getRootNode(el), "#" + CSS.escape(id))[0];
    if (label) texts.push(textContent(label).slice(0, LONGEST_LABEL));
  }
  const said = texts.join(" ");
  labelsSaid.set(el, { words: said, at: now });
  return said;
}

/** One of the boxes for the digits of a code. */
function isDigitBox(el) {
  if (attr(el, "maxlength") !== "1") return false;
  const [parent, above] = [parentNode(el), parentNode(parentNode(el) ?? el)];
  const near = above === null || nodeType(above) !== 1 || above === bodyOf(document) ? parent : above;
  const group = closest(el, "fieldset,form,[role=group]") ?? near;
  return group !== null && nodeType(group) === 1 && queryAll(group, 'input[maxlength="1"]').length >= 4;
}

function isCard(el) {
  if (localName(el) !== "input" || NEVER_SECRET.has(inputType(el))) return false;
  return CARD_AUTOCOMPLETE.test(attr(el, "autocomplete") ?? "") || CARD_WORDS.test(fieldWords(el)) || holdsCardNumber(el);
}

function isSecret(el) {
  const tag = localName(el);
  if (tag === "textarea") return SECRET_AUTOCOMPLETE.test(attr(el, "autocomplete") ?? "");
  if (tag !== "input") return false;
  const type = inputType(el);
  if (type === "password") {
    wasPassword.add(el);
    return true;
  }
  if (NEVER_SECRET.has(type)) return false;
  if (SECRET_AUTOCOMPLETE.test(attr(el, "autocomplete") ?? "")) return true;
  const said = fieldWords(el);
  if (CARD_WORDS.test(said) || CODE_WORDS.test(said) || holdsCardNumber(el) || isDigitBox(el)) return true;
  return (styleOf(el).webkitTextSecurity ?? "none") !== "none" || wasPassword.has(el);
}

/** Fields that were of type password once: "show password" does not make them readable to us. */
const wasPassword = new WeakSet();

function holdsCardNumber(el) {
  const value = el.value;
  return typeof value === "string" && LONG_NUMBER.test(value) && passesLuhn(value.replace(/\D/g, ""));
}

function passesLuhn(digits) {
  if (digits.length < 13 || digits.length > 19) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    let digit = Number(digits[digits.length - 1 - i]);
    if (i % 2 === 1) digit = digit > 4 ? digit * 2 - 9 : digit * 2;
    sum += digit;
  }
  return sum % 10 === 0;
}

/** So far beyond the viewport a field may come into the picture before it is asked again, in CSS pixels. */
const NEAR = 600;

/** Boxes of all secret fields in the viewport or near it, to be painted over in pictures. */
function secretBoxes(all = allRoots()) {
  const boxes = [];
  for (const root of all) {
    for (const el of queryAll(root, "input,textarea")) {
      if (boxes.length >= 200) return boxes;
      if (localName(el) === "input" && inputType(el) === "password") wasPassword.add(el);
      if (isNear(el) && isSecret(el) && isShown(el)) boxes.push(boxInMain(el));
    }
  }
  return boxes;
}

/** The same, and the frames that must be asked for themselves: [number, x, y of its viewport, box]. */
function secretsHere() {
  const all = allRoots();
  const frames = [];
  for (const root of all) {
    for (const el of queryAll(root, "iframe,frame")) {
      if (innerDocument(el) !== null || !isNear(el) || !isShown(el) || rectOf(el).width < 3) continue;
      const { x, y } = placeIn(el);
      frames.push([keyOf(el), x, y, boxInMain(el)]);
    }
  }
  return [secretBoxes(all), frames];
}

/** In a frame it may be anywhere. */
function isNear(el) {
  if (ownerDocument(el) !== document) return true;
  const rect = rectOf(el);
  return rect.width > 0 && rect.bottom > -NEAR && rect.top < innerHeight + NEAR && rect.right > -NEAR && rect.left < innerWidth + NEAR;
}
