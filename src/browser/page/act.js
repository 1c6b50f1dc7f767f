// The acting that is done inside of the page: putting the caret in place, choosing options, scrolling.
// Clicks and keys are real input events and come from outside.

const SET_BY_VALUE = words("date time month week datetime-local color range");

/** Focuses a field for typing; with `clear`, all it holds is selected, so that typing replaces it. */
function fill(eid, clear) {
  const found = nodeOf(eid);
  if (found === null) return deadEid(eid);
  const el = fieldIn(found);
  if (el === null) return failed("not_editable", "text cannot be typed into this element");
  if (isDisabled(el)) return failed("disabled", "the field is disabled");
  const tag = localName(el);
  if (hasAttr(el, "readonly") && tag !== "div") return failed("readonly", "the field is read-only");
  el.focus({ preventScroll: true });
  if (tag === "input" && SET_BY_VALUE.has(inputType(el))) return { ok: true, by: "set", type: inputType(el) };
  if (tag === "input" || tag === "textarea") selectField(el, tag, clear);
  else selectRich(el, clear);
  return { ok: true, by: "insert", type: tag === "input" ? inputType(el) : tag, secret: isSecret(el), empty: isEmptyField(el, tag) };
}

/** The field that is meant: itself, or the one field inside of a wrapper or label. */
function fieldIn(el) {
  const tag = localName(el);
  if (isEditable(el, tag) || (tag === "input" && SET_BY_VALUE.has(inputType(el)))) return el;
  if (tag === "label" && labelControl(el) !== null) return fieldIn(labelControl(el));
  for (const inner of queryAll(el, "input,textarea,[contenteditable]")) if (isEditable(inner) && isShown(inner)) return inner;
  return el.isContentEditable === true ? el : null;
}

const isEmptyField = (el, tag) => (tag === "input" || tag === "textarea" ? String(el.value ?? "") === "" : textContent(el).trim() === "");

function selectField(el, tag, clear) {
  try {
    if (clear) (tag === "input" ? HTMLInputElement : HTMLTextAreaElement).prototype.select.call(el);
    else el.setSelectionRange(el.value.length, el.value.length);
  } catch {
    // e-mail and number fields have no caret positions to set: it is at the end already
  }
}

function selectRich(el, clear) {
  const selection = viewOf(ownerDocument(el)).getSelection();
  const range = ownerDocument(el).createRange();
  range.selectNodeContents(el);
  if (!clear) range.collapse(false);
  selection.removeAllRanges();
  selection.addRange(range);
}

/** Sets date, time, colour and range fields, which cannot be typed into; the page hears input and change. */
function set(eid, value) {
  const el = nodeOf(eid);
  if (el === null) return deadEid(eid);
  if (localName(el) !== "input") return failed("not_editable", "only fields have a value to set");
  const write = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
  const before = el.value;
  write.call(el, String(value));
  if (el.value !== String(value) && !(inputType(el) === "range" && el.value !== "")) {
    write.call(el, before);
    return failed("bad_value", `the field takes no such value; it is of type ${inputType(el)}`);
  }
  tell(el);
  return { ok: true, value: el.value };
}

function tell(el) {
  el.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  el.dispatchEvent(new Event("change", { bubbles: true }));
}

/** Chooses options of a native select by label or value. */
function pick(eid, wanted) {
  const el = nodeOf(eid);
  if (el === null) return deadEid(eid);
  if (localName(el) !== "select") return failed("not_select", "this is no native list of options; click it and choose from what opens");
  if (isDisabled(el)) return failed("disabled", "the list is disabled");
  const list = Array.isArray(wanted) ? wanted : [wanted];
  if (list.length !== 1 && !el.multiple) return failed("one_option", "this list takes one option");
  const chosen = [];
  for (const one of list) {
    const option = findOption(el, String(one));
    if (option === null) return failed("no_option", `there is no option '${cut(clean(String(one)), 80)}'; options: ${optionLabels(el).all.join(", ")}`);
    if (option.disabled || matches(option, ":disabled")) return failed("disabled", `the option '${clean(option.label)}' is disabled`);
    chosen.push(option);
  }
  el.focus({ preventScroll: true });
  for (const option of el.options) if (el.multiple) option.selected = chosen.includes(option);
  if (!el.multiple) chosen[0].selected = true;
  tell(el);
  return { ok: true, selected: chosen.map((option) => clean(option.label)) };
}

/** Same label, same value, same label but for case and white space, then a label that begins so. */
function findOption(el, wanted) {
  const plain = clean(wanted).toLowerCase();
  const tests = [
    (option) => clean(option.label) === clean(wanted),
    (option) => option.value === wanted,
    (option) => clean(option.label).toLowerCase() === plain || option.value.toLowerCase() === plain,
    (option) => plain !== "" && clean(option.label).toLowerCase().startsWith(plain),
  ];
  for (const test of tests) {
    const fit = Array.from(el.options).filter(test);
    if (fit.length > 0) return fit.find((option) => !option.disabled) ?? fit[0];
  }
  return null;
}
