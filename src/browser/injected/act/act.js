// Actions performed within the page: placing the caret, setting values. Clicks and keys are real input events that
// come from outside.

const SET_BY_VALUE = words("date time month week datetime-local color range");

/** Number of times that a field is focused anew because the page draws it anew meanwhile. */
const MOST_REFOCUSED = 3;

/**
 * Focuses a field for typing; with `clear`, selects its whole content, so that typing replaces it. A page may draw its form
 * anew as another field loses the focus: then the node is focused that stands for the field now.
 */
function fill(eid, clear) {
  const left = innermostFocus();
  const answer = focusForTyping(eid, clear);
  const mayRedraw = answer.error === undefined && left !== null && left !== nodeOf(eid) && isEditable(left, localName(left));
  return mayRedraw ? refocusRedrawn(eid, clear, answer) : answer;
}

async function refocusRedrawn(eid, clear, answer) {
  for (let tries = 0; tries < MOST_REFOCUSED && answer.error === undefined; tries++) {
    // Listeners of the change may draw in the next task.
    await new Promise((resolve) => setTimeout(resolve, 0));
    if (isLive(focusedForTyping.deref())) return answer;
    answer = focusForTyping(eid, clear);
  }
  return answer;
}

/** Node that was focused last for typing. */
let focusedForTyping = new WeakRef(document);

function focusForTyping(eid, clear) {
  const found = nodeOf(eid);
  if (found === null) return deadEid(eid);
  focusedForTyping = new WeakRef(found);
  const editing = isDisabled(found) ? null : focusEditor(found, clear);
  if (editing !== null) return editing;
  const el = fieldIn(found);
  if (el !== null) focusedForTyping = new WeakRef(el);
  if (el === null && canSlide(found) && !isDisabled(found)) return { ok: true, by: "slide" };
  if (el === null) return failed("not_editable", whyNotEditable(found));
  if (isDisabled(el)) return failed("disabled", "the field is disabled; do first what enables it");
  const tag = localName(el);
  const type = tag === "input" ? inputType(el) : tag;
  if (hasAttr(el, "readonly") && tag !== "div") return failed("readonly", whyReadonly(el));
  el.focus({ preventScroll: true });
  if (tag === "input" && SET_BY_VALUE.has(type)) return { ok: true, by: "set", type };
  const plain = tag === "input" || tag === "textarea";
  const end = plain && !selectField(el, tag, clear);
  if (!plain) selectRich(el, clear);
  return { ok: true, by: "insert", type, secret: isSecret(el), empty: isEmptyField(el, tag), end, rich: !plain };
}

function whyNotEditable(el) {
  const tag = localName(el);
  const role = roleOf(el, tag);
  const range = boundsOf(el, role, tag);
  switch (role) {
    case "slider": case "spinbutton":
      return `this ${role} takes keys, not text: click it, then press ArrowUp or ArrowDown (also Home, End, PageUp, PageDown)${range ? `; it goes ${range}` : ""}`;
    case "combobox": case "listbox": return "nothing can be typed into this list; use select with one of its options";
    case "checkbox": case "radio": case "switch": return `this is a ${role}; click it`;
    case "file": return "this takes a file, not text; use upload";
    default: {
      const field = query(el, "input,textarea,[contenteditable]");
      const inner = field !== null && isShown(field) ? spareEid(field) : 0;
      return `text cannot be typed into this element (${role || tag})${inner ? `; its field is [eid ${inner}]` : "; choose a textbox, searchbox, combobox or spinbutton"}`;
    }
  }
}

const whyReadonly = (el) =>
  (attr(el, "aria-haspopup") ?? "false") !== "false" || closest(el, "[role=combobox],[class*=picker],[class*=date]") !== null
    ? "the field is read-only; click it and choose from what opens" : "the field is read-only";

/** Returns the field that an element stands for: itself, or the first field within a wrapper or label. */
function fieldIn(el) {
  const tag = localName(el);
  if (isEditable(el, tag) || (tag === "input" && SET_BY_VALUE.has(inputType(el)))) return el;
  if (tag === "label" && labelControl(el) !== null) return fieldIn(labelControl(el));
  for (const inner of queryAll(el, "input,textarea,[contenteditable]")) if (isEditable(inner) && isShown(inner)) return inner;
  return el.isContentEditable === true ? el : null;
}

const isEmptyField = (el, tag) => (tag === "input" || tag === "textarea" ? String(el.value ?? "") === "" : textContent(el).trim() === "");

/** Returns false if the caret must be moved to the end by a key: email and number fields have no position to set. */
function selectField(el, tag, clear) {
  try {
    if (clear) (tag === "input" ? HTMLInputElement : HTMLTextAreaElement).prototype.select.call(el);
    else el.setSelectionRange(el.value.length, el.value.length);
    return true;
  } catch {
    return false;
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

/**
 * Sets date, time, colour and range fields, which cannot be typed into, and sends the page input and change events.
 */
function set(eid, value) {
  const el = nodeOf(eid);
  if (el === null) return deadEid(eid);
  if (localName(el) !== "input") return failed("not_editable", "only fields have a value to set");
  const type = inputType(el);
  if (hasAttr(el, "readonly")) return failed("readonly", whyReadonly(el));
  const wanted = asTaken(el, type, String(value));
  const bad = failed("bad_value", `the field takes ${takes(el, type)}; '${cut(clean(String(value)), 60)}' is no such value`);
  if (wanted === null || !isWithin(el, type, wanted)) return bad;
  const write = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
  const before = el.value;
  write.call(el, wanted);
  // A slider rounds to its nearest step, as it does for a person.
  if (!sameValue(el.value, wanted) && type !== "range") {
    write.call(el, before);
    return bad;
  }
  const taken = el.value;
  settings.set(el, () => sameValue(el.value, taken));
  dispatchInputEvents(el);
  return { ok: true, value: el.value };
}

/** Tests of fields and lists that the present action has set: each tells whether what was set is still there. */
let settings = new WeakMap();

/** Forgets what earlier actions have set. */
function forgetSettings() {
  settings = new WeakMap();
}

/** Reports whether a field or list has gone back from what the present action has set. */
const hasGoneBack = (el) => settings.get(el)?.() === false;

/** Compares values of fields, which may leave out seconds. */
const sameValue = (is, wanted) => is === wanted || (wanted !== "" && is !== "" && (wanted.startsWith(is) || is.startsWith(wanted)));

function dispatchInputEvents(el) {
  el.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  el.dispatchEvent(new Event("change", { bubbles: true }));
}

/** Returns the field of plain text that an element stands for; null for secrets and all others. */
function plainField(eid) {
  const found = nodeOf(eid);
  const el = found === null ? null : fieldIn(found);
  return el !== null && matches(el, "input,textarea") && !isSecret(el) ? el : null;
}

/** Returns the text of a plain field, else null. */
const plainText = (eid) => {
  const el = plainField(eid);
  return el === null ? null : String(el.value);
};

/** Shortens the text of a plain field without an event, and puts the caret at its end. */
function cutText(eid, length) {
  const el = plainField(eid);
  if (el === null) return failed("not_editable", "the field is gone");
  el.focus({ preventScroll: true });
  el.value = el.value.slice(0, length);
  selectField(el, localName(el), false);
  return true;
}
