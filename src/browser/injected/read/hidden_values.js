// Submitted data beyond what is shown: hidden and long values, the pressed button's value, fields outside forms.

const LOOSE = "input,textarea,select,[contenteditable=''],[contenteditable=true]";
const UNSENT_TYPES = /^(?:submit|button|image|reset|search|hidden|checkbox|radio)$/;

const LONGEST_SENT = 4000000;

/**
 * Returns what a field submits, as far as `value` does not show it completely. Empty for one-time tokens and secrets.
 * Rust keeps only its hash.
 */
function sentBy(el, tag, type, value, secret) {
  if (secret || ((type === "checkbox" || type === "radio") && el.checked !== true)) return "";
  const raw = rawValue(el, tag);
  const name = attr(el, "name") ?? "";
  // "All sites" may be submitted as nothing. Rust knows this sign as `NOTHING_SENT`.
  if (tag === "select" && raw === "" && value) return " ";
  const idle = type === "hidden" || !isShown(el) ? isOneTime(name, raw) || /captcha-response/i.test(name) : raw === value;
  return idle ? "" : bounded(raw);
}

/**
 * Returns a value that looks generated, such as a hidden id: another one may leave only if the person is asked again.
 * Empty for tokens against forgery and times, which change by themselves. Rust keeps only its hash.
 */
function generatedBy(el, tag, type, secret) {
  if (secret || (type !== "hidden" && isShown(el))) return "";
  const raw = rawValue(el, tag);
  const name = attr(el, "name") ?? "";
  return isOneTime(name, raw) && !RENEWED.test(name) ? bounded(raw) : "";
}

/** Limits a value, which may be gigabytes long: its length and both ends reveal most changes. */
function bounded(raw) {
  if (raw.length <= LONGEST_SENT) return raw;
  return `${raw.length}\n${raw.slice(0, LONGEST_SENT / 2)}\n${raw.slice(-LONGEST_SENT / 2)}`;
}

function rawValue(el, tag = localName(el)) {
  if (tag !== "select") return typeof el.value === "string" ? el.value : visibleText(el, 100000, true);
  const chosen = [];
  for (const option of el.options) if (option.selected) chosen.push(option.value);
  return chosen.join("\n");
}

/** Returns the value to show in an approval: complete, even if observations cut it. */
function approvalValue(el, tag, { value = "", secret }) {
  if (secret === true || !value.endsWith("…")) return value;
  return tag === "select" ? value : shownWhole(rawValue(el, tag)) || value;
}

const ONE_TIME = /csrf|xsrf|nonce|time|elapsed|viewstate|authenticity|requestverification|^_?(?:token|state|ts|t|sid|session|uuid|signature|fingerprint|captcha)$|token$|_id$|recaptcha|captcha-response/i;
const RENEWED = /csrf|xsrf|nonce|time|elapsed|viewstate|authenticity|requestverification|captcha|^_?(?:token|ts|t)$/i;
const ACCOUNT = /^[A-Z]{2}\d{2}[A-Z0-9]{10,30}$/i;
const MADE = /^(?=.*\d)(?=.*[a-z])[\w+/=.:-]{16,}$/i;
const STAMP = /^1[5-9]\d{8}(?:\d{3})?(?:\.\d+)?$/;
const SPAN = /^\d{1,7}$/;

/**
 * Reports whether a value is a one-time token by name and form. It would void every approval and carries no meaning.
 */
function isOneTime(name, value) {
  const plain = value.trim();
  if (!ONE_TIME.test(name) || ACCOUNT.test(plain) || passesLuhn(plain)) return false;
  return plain === "" || MADE.test(plain) || STAMP.test(plain) || (/elapsed|time/i.test(name) && SPAN.test(plain));
}

/** Returns the field that the submitting button adds to the form, if it has a name. */
function buttonField(form, el) {
  const by = submitterOf(form, el);
  const name = by === null ? "" : attr(by, "name") ?? "";
  if (name === "") return [];
  const raw = String(by.value ?? "");
  const value = cleanValue(raw);
  return [{ name: name.slice(0, 200), label: "", group: "", type: "submitter", autocomplete: "", value,
    sent: raw === value ? "" : bounded(raw), secret: false, card: false, filled: true }];
}

/** Returns the submitting button: the one pressed, or for Enter in a field the first of the form. */
function submitterOf(form, el) {
  if (isSubmitter(pressed(el))) return pressed(el);
  if (localName(el) !== "input" || !submits(el, form)) return null;
  const all = formElements(form);
  for (let i = 0; i < all.length && i < 500; i++) if (isSubmitter(all[i])) return all[i];
  return null;
}

/** Returns the fields beyond the maximum number as one text. */
function restOf(list, from) {
  const parts = [];
  for (let i = from; i < list.length; i++) {
    const tag = localName(list[i]);
    const type = tag === "input" ? inputType(list[i]) : tag;
    if (/^(?:fieldset|button|output|object|submit|image|reset)$/.test(type)) continue;
    const secret = isSecret(list[i]) || isCard(list[i]);
    parts.push(attr(list[i], "name") ?? "", sentBy(list[i], tag, type, null, secret));
  }
  return parts.length === 0 ? "" : JSON.stringify(parts);
}

/** Returns filled fields outside forms, which a script may send on a click of any button outside forms. */
function looseFields(el, form) {
  if (form !== null && localName(form) === "form") return [];
  const found = [];
  for (const field of queryAll(ownerDocument(el), LOOSE)) {
    if (found.length >= MOST_FIELDS) break;
    const tag = localName(field);
    if (field === el || UNSENT_TYPES.test(tag === "input" ? inputType(field) : tag) || isEmptyInput(field, tag)) continue;
    if (closest(field, "form") !== null || nodeType(field.form ?? document) === 1) continue;
    if (form !== null && contains(form, field)) continue;
    const facts = isShown(field) ? fieldFacts(field) : null;
    if (facts !== null && facts.filled) found.push(facts);
  }
  return found;
}

/** Reports whether a field is evidently empty, which costs less to find out than the facts about it. */
function isEmptyInput(field, tag) {
  if (tag !== "input") return tag === "textarea" && field.value === "";
  if (/^(?:checkbox|radio)$/.test(inputType(field))) return field.checked !== true;
  return field.value === "" && field.validity?.badInput !== true;
}
