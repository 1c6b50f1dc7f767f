// Secret fields: passwords, cards, one-time codes. Their values never leave the page.

const SECRET_AUTOCOMPLETE = /\b(?:current-password|new-password|one-time-code|cc-(?:number|csc|exp|exp-month|exp-year))\b/;
const CARD_AUTOCOMPLETE = /\bcc-/;
const LONG_NUMBER = /^[\d\s-]{13,23}$/;
/** Matches a range of dates, whose digits may pass for those of a card: `2026-03-02 - 2026-03-04`. */
const TWO_DATES = /^(?:(?:19|20)\d\d-[01]\d-[0-3]\d\s+-\s+){1}(?:19|20)\d\d-[01]\d-[0-3]\d$/;

const NEVER_SECRET = words("checkbox radio submit button reset image range color file date time month week datetime-local hidden");

/** Reports whether an input is one of the single-digit boxes of a code. */
function isDigitBox(el) {
  if (attr(el, "maxlength") !== "1") return false;
  const [parent, above] = [parentNode(el), parentNode(parentNode(el) ?? el)];
  const near = above === null || nodeType(above) !== 1 || above === bodyOf(document) ? parent : above;
  const group = closest(el, "fieldset,form,[role=group]") ?? near;
  return group !== null && nodeType(group) === 1 && queryAll(group, 'input[maxlength="1"]').length >= 4;
}

function isCard(el) {
  if (localName(el) === "input" ? NEVER_SECRET.has(inputType(el)) : !isSecret(el)) return false;
  return CARD_AUTOCOMPLETE.test(attr(el, "autocomplete") ?? "") || CARD_WORDS.test(fieldWords(el)) || holdsCardNumber(el);
}

function isSecret(el) {
  const tag = localName(el);
  if (tag === "input") return isSecretInput(el);
  if (tag === "select") return SECRET_AUTOCOMPLETE.test(attr(el, "autocomplete") ?? "");
  return (tag === "textarea" || isRich(el)) && isSecretText(el);
}

function isSecretInput(el) {
  const type = inputType(el);
  if (type === "password") {
    wasPassword.add(el);
    return true;
  }
  if (NEVER_SECRET.has(type)) return false;
  if (SECRET_AUTOCOMPLETE.test(attr(el, "autocomplete") ?? "")) return true;
  const description = fieldWords(el);
  if (CARD_WORDS.test(description) || asksForCode(description) || holdsCardNumber(el) || isDigitBox(el)) return true;
  return isDrawnAsDots(el) || wasPassword.has(el);
}

/**
 * Reports whether a multi-line or custom text field is secret. Most of these hold plain text, so the rules are
 * stricter.
 */
function isSecretText(el) {
  if (SECRET_AUTOCOMPLETE.test(attr(el, "autocomplete") ?? "")) return true;
  return labelNamesSecret(el) || holdsCardNumber(el) || isDrawnAsDots(el);
}

/** Reports whether an element is a text field but not a form control. */
function isRich(el) {
  if (/^(?:input|textarea|select)$/.test(localName(el))) return false;
  const editable = attr(el, "contenteditable");
  return editable === null ? attr(el, "role") === "textbox" : editable !== "false";
}

const isSecretRich = (el) => isRich(el) && isSecret(el);

const isDrawnAsDots = (el) => (styleOf(el).webkitTextSecurity ?? "none") !== "none";

/** Fields that once had the type password: "show password" does not make them readable. */
const wasPassword = new WeakSet();

/** Returns the value of a field of any kind. */
const currentValue = (el) => (isRich(el) ? textContent(el).slice(0, LONGEST_HELD).trim() : String(el.value ?? ""));
const LONGEST_HELD = 500;

function holdsCardNumber(el) {
  const value = currentValue(el);
  return LONG_NUMBER.test(value) && !TWO_DATES.test(value) && passesLuhn(value.replace(/\D/g, ""));
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

/** Distance beyond the viewport, in CSS pixels, from which a field may enter the picture before the next query. */
const NEAR = 600;
const CAN_BE_SECRET = "input,textarea,select[autocomplete],[contenteditable],[role=textbox]";
const MOST_BOXES = 200;

/** Returns the boxes of all secret fields in or near the viewport, to be painted over in pictures. */
function secretBoxes(all) {
  const boxes = [];
  for (const root of all) {
    for (const el of queryAll(root, CAN_BE_SECRET)) {
      if (localName(el) === "input" && inputType(el) === "password") wasPassword.add(el);
      if (!isNear(el) || !isSecret(el) || !isShown(el)) continue;
      if (boxes.length < MOST_BOXES) boxes.push(boxInMain(el));
      else boxes[MOST_BOXES - 1] = boxOfBoth(boxes[MOST_BOXES - 1], boxInMain(el));
    }
  }
  return boxes;
}

function boxOfBoth([x, y, width, height], [x2, y2, width2, height2]) {
  const [left, top] = [Math.min(x, x2), Math.min(y, y2)];
  return [left, top, Math.max(x + width, x2 + width2) - left, Math.max(y + height, y2 + height2) - top];
}

/** Returns the frames in or near the viewport that need queries of their own. */
function unreadFrames(all) {
  const frames = [];
  for (const root of all) {
    for (const el of queryAll(root, "iframe,frame,object,embed")) {
      if (innerDocument(el) === null && isNear(el) && isShown(el) && rectOf(el).width >= 3) frames.push(el);
    }
  }
  return frames;
}

/**
 * Returns the boxes of secret fields, now and recently (`recent_places.js`); the unread frames: [key, transform,
 * whether it may show no document]; the number of elements that may hold fields not seen yet (`uncovered_roots.js`); and
 * whether the display shows nothing older than these positions. `framesHold` is true if unread
 * frames are known to hold secret fields.
 */
function secretsHere(framesHold = framesHoldSecrets) {
  framesHoldSecrets = framesHold;
  const { frames, some } = noteSecrets(rootsNow());
  if (some) follow();
  const unread = frames.map((el) => [keyOf(el), placeLately(el), /^(?:object|embed)$/.test(localName(el))]);
  return [fieldTrail.lately(), unread, unseen.length, !some || isDisplayed()];
}

/** Reports whether an element is in or near the viewport. Within a frame it always counts as near. */
function isNear(el) {
  if (ownerDocument(el) !== document) return true;
  const rect = rectOf(el);
  return rect.width > 0 && rect.bottom > -NEAR && rect.top < innerHeight + NEAR && rect.right > -NEAR && rect.left < innerWidth + NEAR;
}
