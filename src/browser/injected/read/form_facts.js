// The form (or dialog, or group of fields) of a target, which the gate checks and a fingerprint binds.

/** Most fields of a form, and of fields outside forms. What leaves is compared with the form field by field. */
const MOST_FORM_FIELDS = 1000;
const MOST_FIELDS = 60;
const FIELDS = "input,select,textarea,[contenteditable=''],[contenteditable=true],[role=textbox],[role=combobox]";
const SUBMITTERS = "button,input[type=submit],input[type=image],[role=button]";

/**
 * Returns the container of the fields around a target: its form, a dialog, or the nearest element with a field and a
 * button.
 */
function formElementOf(el) {
  const own = el.form;
  if (own && nodeType(own) === 1 && localName(own) === "form") return own;
  for (let node = el, steps = 0; node !== null && steps < 200; node = drawnParent(node), steps++) {
    if (localName(node) === "form") return node;
    const role = attr(node, "role");
    if (localName(node) === "dialog" || role === "dialog" || role === "alertdialog" || role === "form") return node;
  }
  return looseForm(el);
}

function looseForm(el) {
  let node = drawnParent(el);
  for (let steps = 0; node !== null && steps < 6; node = drawnParent(node), steps++) {
    const tag = localName(node);
    if (tag === "body" || tag === "html" || tag === "main") return null;
    const field = query(node, "input:not([type=hidden]):not([type=search]):not([type=checkbox]):not([type=radio]),textarea");
    if (field !== null && query(node, SUBMITTERS) !== null) return node;
  }
  return null;
}

function formFacts(form, el) {
  const native = localName(form) === "form";
  const submitter = native ? submitterOf(form, el) : null;
  const collected = fieldsOf(form, native);
  return {
    action: native ? submitUrl(form, submitter) : "",
    method: native ? submitMethod(form, submitter) : "",
    ...(native ? { encoding: asSent(form, submitter, "enctype"), window: asSent(form, submitter, "target") } : {}),
    name: formName(form),
    fields: [...collected.fields, ...(native ? buttonField(form, el) : [])],
    rest: collected.rest,
    buttons: buttonsOf(form, submitter === null || submitter === pressed(el) ? null : submitter),
    text: shortenText(visibleText(form, 20000), 500, "\n"),
  };
}

function formName(form) {
  const ownName = nameOf(form, roleOf(form) || "form");
  if (ownName) return ownName;
  const title = query(form, "h1,h2,h3,h4,legend,[role=heading]");
  return title ? cleanName(contentName(title)) : "";
}

const asSent = (form, by, name) => ((by && attr(by, `form${name}`)) || attr(form, name) || "").slice(0, 2000);

function submitUrl(form, submitter) {
  const address = asSent(form, submitter, "action") || ownerDocument(form).URL;
  try {
    return new URL(address, ownerDocument(form).baseURI).href.slice(0, 2000);
  } catch {
    return address.slice(0, 2000);
  }
}

function submitMethod(form, submitter) {
  const verb = asSent(form, submitter, "method").toLowerCase();
  return ["post", "dialog"].includes(verb) ? verb : "get";
}

function fieldsOf(form, native) {
  const fields = [];
  let rest = "";
  const all = native ? formElements(form) : queryAll(form, FIELDS);
  const rich = native ? queryAll(form, "[contenteditable=''],[contenteditable=true],[role=textbox]") : [];
  const most = native ? MOST_FORM_FIELDS : MOST_FIELDS;
  for (const list of [all, rich]) {
    let at = 0;
    for (; at < list.length && fields.length < most; at++) {
      const facts = isDrawnChoice(list[at]) ? null : fieldFacts(list[at]);
      if (facts !== null) fields.push(facts);
    }
    rest += restOf(list, at);
  }
  return { fields, rest };
}

/** Reports whether an element only draws what a list shows: nobody types into it, and the list is a field itself. */
function isDrawnChoice(el) {
  if (attr(el, "role") !== "textbox" || attr(el, "aria-readonly") !== "true") return false;
  return !isEditable(el) && !isRich(el);
}

/** Reports whether a list shows only an option that cannot be chosen ("Select one"), of which nothing is sent. */
const isLeftUnchosen = (el, tag) => tag === "select" && el.multiple !== true && matches(el, ":has(option:checked:disabled)");

function fieldFacts(el) {
  const tag = localName(el);
  if (tag === "fieldset" || tag === "button" || tag === "output" || tag === "object") return null;
  const type = tag === "input" ? inputType(el) : tag === "select" && el.multiple === true ? "select-multiple" : tag;
  if (/^(?:submit|button|image|reset)$/.test(type)) return null;
  const role = roleOf(el, tag);
  const states = type === "hidden" ? {} : statesOf(el, role, tag);
  const choice = type === "checkbox" || type === "radio";
  const card = isCard(el);
  const secret = states.secret === true || card || isSecret(el);
  const value = type === "hidden" ? hiddenValue(el) : choice ? choiceValue(el) : isLeftUnchosen(el, tag) ? "" : approvalValue(el, tag, states);
  return {
    name: (attr(el, "name") ?? "").slice(0, 200),
    label: type === "hidden" ? "" : nameOf(el, role, tag),
    group: type === "radio" ? groupName(el) : "",
    type,
    autocomplete: (attr(el, "autocomplete") ?? "").slice(0, 80),
    value: secret ? "" : value,
    sent: sentBy(el, tag, type, value, secret),
    generated: generatedBy(el, tag, type, secret),
    secret,
    card,
    filled: choice ? el.checked === true : secret ? currentValue(el) !== "" : value !== "",
  };
}

/** Returns the question that a radio button answers: the name of its group. */
function groupName(el) {
  const holder = closest(el, "fieldset,[role=radiogroup],[role=group]");
  return holder ? nameOf(holder, roleOf(holder)) : "";
}

/** Returns a short value of a hidden field; longer ones are in `sent`. */
function hiddenValue(el) {
  const name = attr(el, "name") ?? "";
  const value = String(el.value ?? "");
  return isOneTime(name, value) || value.length > 64 ? "" : clean(value);
}

const choiceValue = (el) => (el.checked === true ? clean(String(el.value ?? "on").slice(0, 200)) : "");

/** Returns the names of the buttons, beginning with the button that Enter presses, even if it has no name. */
function buttonsOf(form, first) {
  const names = first === null ? [] : [nameOf(first, "button")];
  for (const el of queryAll(form, SUBMITTERS)) {
    if (names.length >= 20) break;
    if (el === first || !isShown(el)) continue;
    const name = nameOf(el, "button");
    if (name) names.push(name);
  }
  return names;
}

function isSubmitter(el) {
  const tag = localName(el);
  if (tag === "input") return inputType(el) === "submit" || inputType(el) === "image";
  return tag === "button" && !/^(?:button|reset)$/i.test(attr(el, "type") ?? "");
}

/**
 * Returns the element that a click presses: the button around the target, the control of its label, or a button whose
 * label is within it.
 */
function pressed(el) {
  const own = closest(el, "button,input,select,textarea,a[href]");
  if (own !== null) return own;
  const label = closest(el, "label");
  if (label !== null) return controlOf(label) ?? el;
  for (const inner of queryAll(el, "label")) {
    const control = controlOf(inner);
    if (control !== null && isSubmitter(control)) return control;
  }
  return el;
}

function controlOf(label) {
  try {
    return labelControl(label);
  } catch {
    return null; // a `label` element outside HTML
  }
}

/** Reports whether a click or Enter on an element submits the form. */
function submits(el, form) {
  if (form === null || localName(form) !== "form") return false;
  if (isSubmitter(pressed(el))) return true;
  if (localName(el) !== "input" || !isEditable(el, "input")) return false;
  const all = formElements(form);
  let texts = 0;
  for (let i = 0; i < all.length && i < 500; i++) {
    if (isSubmitter(all[i])) return true;
    if (localName(all[i]) === "input" && isEditable(all[i], "input")) texts++;
  }
  return texts === 1;
}

/** Shortens a text to `most` characters. Lines with prices and totals are kept first, with `between` between lines. */
function shortenText(text, most, between = " ") {
  const lines = withoutTimes(text).split("\n").filter((line) => line.trim() !== "");
  const whole = lines.join(between);
  if (whole.length <= most) return whole;
  let room = most - 2;
  const stays = new Set();
  for (const wanted of [statesMoney, (line) => !statesMoney(line)]) {
    for (let i = 0; i < lines.length && room > 0; i++) {
      if (!wanted(lines[i]) || lines[i].length > room) continue;
      stays.add(i);
      room -= lines[i].length + 1;
    }
  }
  return stays.size === 0 ? cut(whole, most) : lines.filter((_, i) => stays.has(i)).join(between);
}
