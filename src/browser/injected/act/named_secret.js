// Filling in a named secret. The value arrives last, for one origin, and is inserted in one task, so that scripts of
// the page cannot redirect it to another field.

const fieldOrigin = (el) => viewOf(ownerDocument(el))?.origin ?? "null";
const executeCommand = method(Document.prototype, "execCommand");

/** Returns "password" or "code", or "" for any other field, including parts of a card. */
function secretKind(el) {
  if (localName(el) !== "input" || !isSecret(el) || isCard(el)) return "";
  const auto = attr(el, "autocomplete") ?? "";
  if (/\bone-time-code\b/.test(auto)) return "code";
  if (inputType(el) === "password" || wasPassword.has(el) || /\b(?:current|new)-password\b/.test(auto)) return "password";
  return asksForCode(fieldWords(el)) ? "code" : "";
}

function secretField(eid) {
  const found = nodeOf(eid);
  if (found === null) return deadEid(eid);
  const el = fieldIn(found);
  if (el === null) return failed("not_editable", "text cannot be typed into this element");
  if (isDisabled(el)) return failed("disabled", "the field is disabled");
  if (hasAttr(el, "readonly")) return failed("readonly", "the field is read-only");
  return el;
}

function secretPlace(eid) {
  const el = secretField(eid);
  return el.error ? el : { origin: fieldOrigin(el), kind: secretKind(el) };
}

function fillSecret(eid, clear, value, origin) {
  let el = secretField(eid);
  if (el.error) return el;
  el.focus({ preventScroll: true });
  if (!isConnected(el)) {
    // The page has drawn its form anew as another field lost the focus.
    el = secretField(eid);
    if (el.error) return el;
    el.focus({ preventScroll: true });
  }
  if (fieldOrigin(el) !== origin || secretKind(el) === "") return failed("secret_misplaced", "the field changed before the secret was typed, so nothing was typed; look again");
  if (!isFocused(el)) return failed("focus_moved", "the page took the focus away, so nothing was typed; look again");
  selectField(el, "input", clear);
  const before = el.value;
  if (!executeCommand(ownerDocument(el), "insertText", false, value) || (el.value === before && before !== value)) return failed("bad_value", "the field does not take the secret");
  el.dispatchEvent(new Event("change", { bubbles: true }));
  return { ok: true };
}
