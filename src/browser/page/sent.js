// What would be sent beside what is shown: hidden and long values, the pressed button's own, fields of no form.

const LOOSE = "input,textarea,select,[contenteditable=''],[contenteditable=true]";
const UNSENT_TYPES = /^(?:submit|button|image|reset|search|hidden|checkbox|radio)$/;

const LONGEST_SENT = 4000000;

/** What a field sends, as far as `value` does not say all of it; not for one-time tokens, and not for secrets.
 * Rust keeps only its hash. */
function sentBy(el, tag, type, value, secret) {
  if (secret || ((type === "checkbox" || type === "radio") && el.checked !== true)) return "";
  const raw = rawValue(el, tag);
  const name = attr(el, "name") ?? "";
  const idle = type === "hidden" || !isShown(el) ? isOneTime(name, raw) || /captcha-response/i.test(name) : raw === value;
  return idle ? "" : bounded(raw);
}

/** A page may hold gigabytes; the length and both ends tell most changes of those. */
function bounded(raw) {
  if (raw.length <= LONGEST_SENT) return raw;
  return `${raw.length}\n${raw.slice(0, LONGEST_SENT / 2)}\n${raw.slice(-LONGEST_SENT / 2)}`;
}

function rawValue(el, tag = localName(el)) {
  if (tag !== "select") return typeof el.value === "string" ? el.value : visibleText(el, 100000);
  const chosen = [];
  for (const option of el.options) if (option.selected) chosen.push(option.value);
  return chosen.join("\n");
}

/** What the look cut is shown whole where it is sent. */
function toShow(el, tag, { value = "", secret }) {
  if (secret === true || !value.endsWith("…")) return value;
  return tag === "select" ? value : shownWhole(rawValue(el, tag)) || value;
}

const ONE_TIME = /csrf|xsrf|nonce|time|elapsed|viewstate|authenticity|requestverification|^_?(?:token|state|ts|t|sid|session|uuid|signature|fingerprint|captcha)$|token$|_id$|recaptcha|captcha-response/i;
const ACCOUNT = /^[A-Z]{2}\d{2}[A-Z0-9]{10,30}$/i;
const MADE = /^(?=.*\d)(?=.*[a-z])[\w+/=.:-]{16,}$/i;
const STAMP = /^1[5-9]\d{8}(?:\d{3})?(?:\.\d+)?$/;
const SPAN = /^\d{1,7}$/;

/** Made anew at every load or moment, by its name and by its looks: would void every approval, and says nothing. */
function isOneTime(name, value) {
  const plain = value.trim();
  if (!ONE_TIME.test(name) || ACCOUNT.test(plain) || passesLuhn(plain)) return false;
  return plain === "" || MADE.test(plain) || STAMP.test(plain) || (/elapsed|time/i.test(name) && SPAN.test(plain));
}

/** The button that sends the form is a field of it, too, if it has a name. */
function buttonField(form, el) {
  const by = submitterOf(form, el);
  const name = by === null ? "" : attr(by, "name") ?? "";
  if (name === "") return [];
  const raw = String(by.value ?? "");
  const value = cleanValue(raw);
  return [{ name: name.slice(0, 200), label: "", group: "", type: "submitter", autocomplete: "", value,
    sent: raw === value ? "" : bounded(raw), secret: false, card: false, filled: true }];
}

/** The button that sends the form: the one that is pressed, or for Enter in a field the form's first. */
function submitterOf(form, el) {
  if (isSubmitter(pressed(el))) return pressed(el);
  if (localName(el) !== "input" || !submits(el, form)) return null;
  const all = formElements(form);
  for (let i = 0; i < all.length && i < 500; i++) if (isSubmitter(all[i])) return all[i];
  return null;
}

/** All of the fields that are too many to be told, in one text. */
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

/** Filled fields of no form: a script may send them with any button that is in no form either. */
function looseFields(el, form) {
  if (form !== null && localName(form) === "form") return [];
  const found = [];
  for (const field of queryAll(ownerDocument(el), LOOSE)) {
    if (found.length >= MOST_FIELDS) break;
    const tag = localName(field);
    if (field === el || UNSENT_TYPES.test(tag === "input" ? inputType(field) : tag)) continue;
    if (closest(field, "form") !== null || nodeType(field.form ?? document) === 1) continue;
    if (form !== null && contains(form, field)) continue;
    const facts = isShown(field) ? fieldFacts(field) : null;
    if (facts !== null && facts.filled) found.push(facts);
  }
  return found;
}
