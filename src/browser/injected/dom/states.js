// Attributes of an element's line besides role and name: value, options, states.

const LONGEST_HREF = 200;
const OPTIONS_ROOM = 400;

/** Roles whose class may tell that they are chosen. */
const CHOOSABLE = words("link button clickable tab treeitem row cell gridcell columnheader rowheader listitem");

function statesOf(el, role, tag = localName(el)) {
  const out = {};
  valueInto(out, el, role, tag);
  if (role === "heading") out.level = headingLevel(el, tag);
  if (tag === "a" || tag === "area") hrefInto(out, el);
  if (!itemPartInto(out, el)) checkedInto(out, el, role, tag);
  if (isSaidSelected(el, tag) || isInSelectedCell(el, role) || (out.checked !== true && isCurrent(el, role))) out.selected = true;
  const pressed = attr(el, "aria-pressed");
  if (pressed === "true") out.pressed = true;
  else if (pressed === "mixed") out.mixed = true;
  expandedInto(out, el, tag);
  if (someSorted && SORTING.has(role) && out.value === undefined && sortsBy(el) !== "") out.value = sortsBy(el);
  if (ACTED_ON.has(role) || role === "listbox") fieldStatesInto(out, el, tag);
  else if ((role === "row" || CELLS.has(role)) && (hasAttr(el, "tabindex") || hasAttr(el, "id")) && isFocused(el)) out.focused = true;
  return out;
}

/** True once a head cell has told how its table is sorted by it. */
let someSorted = false;
/** Roles of head cells, and of what sorts by them. */
const SORTING = words("columnheader rowheader button link clickable");
const NOT_SORTED = words("none false");
const SORT_CONTROLS = "button,a[href],[role=button],[role=link]";

/** Returns how a table is sorted by the column of this head cell ("sorted ascending"), or "". */
function sortOfHead(head) {
  const order = clean(attr(head, "aria-sort") ?? "").toLowerCase();
  return order === "" || NOT_SORTED.has(order) ? "" : `sorted ${cut(order, 20)}`;
}

/** Returns how a table is sorted by a head cell, or by the first control in one, which sorts it; else "". */
function sortsBy(el) {
  const head = closest(el, "[aria-sort]");
  if (head === null) return "";
  const first = head === el ? null : query(head, SORT_CONTROLS);
  return first === null || first === el ? sortOfHead(head) : "";
}

/** Reports whether a button is all that a selected cell of a grid holds: a day of a calendar. */
function isInSelectedCell(el, role) {
  if (role !== "button" || attr(el, "aria-selected") !== null) return false;
  const cell = parentElement(el);
  return cell !== null && childElementCount(cell) === 1 && attr(cell, "aria-selected") === "true" && attr(cell, "role") === "gridcell";
}

/** Reports whether an element stands for the page, step or date that is shown. */
function isCurrent(el, role) {
  const current = attr(el, "aria-current");
  if (current !== null) return current !== "" && current !== "false";
  return CHOOSABLE.has(role) && attr(el, "aria-selected") === null && isChosenByClass(el);
}

/** Reports whether a drawn list shows an option, whose label may stand after that of its group. */
function showsChoice(el, label) {
  const shown = wordsShownBy(el);
  return shown.includes(label) || label.split(": ").some((part) => shown.includes(part));
}

function valueInto(out, el, role, tag) {
  const native = nativeBehind(el, role);
  if (native !== null && !isSecret(native)) {
    const { all, chosen } = optionLabels(native);
    out.options = all;
    // A list that must have a choice has its first one, also where the drawn one shows none.
    const shown = native.multiple ? chosen : chosen.filter((label) => showsChoice(el, label));
    const value = cleanValue(shown.join(", "));
    if (value) out.value = value;
    if (isEditable(el, tag)) out.editable = true;
    return;
  }
  if (tag === "select") {
    const options = optionLabels(el);
    out.options = options.all;
    if (isSecret(el)) secretInto(out, el);
    else if (options.chosen.length > 0) out.value = cleanValue(options.chosen.join(", "));
    return;
  }
  if (tag === "input" || tag === "textarea") {
    if (isSecret(el)) secretInto(out, el);
    else if (!/^(?:checkbox|radio|submit|button|reset|image)$/.test(tag === "input" ? inputType(el) : "")) {
      const value = cleanValue(String(el.value ?? "").replace(/^C:\\fakepath\\/, ""));
      if (value) out.value = value;
      const list = role === "combobox" && el.list;
      if (list) out.options = optionLabels(list).all;
    }
  } else if (isSecretRich(el)) {
    secretInto(out, el);
  } else if (role === "textbox" || role === "searchbox" || (role === "combobox" && isEditable(el, tag))) {
    const value = cleanValue(editorValue(el) ?? visibleText(el, LONGEST_VALUE + 50, true));
    if (value) out.value = value;
  } else if (role === "slider" || role === "spinbutton" || role === "progressbar" || role === "meter") {
    const value = attr(el, "aria-valuetext") || attr(el, "aria-valuenow") || (role === "progressbar" || role === "meter" ? attr(el, "value") : "");
    if (value) out.value = cleanValue(value);
  } else if (role === "combobox") {
    const value = clean(wordsWithout(el, new Set(queryAll(el, NO_VALUE))));
    if (value && value !== nameOf(el, role, tag)) out.value = cleanValue(value);
  } else if (role === "clickable" || role === "link") drawnStateInto(out, el);
  if (role === "combobox" && out.options === undefined) {
    const options = optionNames(el);
    if (options.length > 0) out.options = options;
  }
  if (isEditable(el, tag)) out.editable = true;
}

/** Marks a secret field. Only whether it is filled is revealed. */
function secretInto(out, el) {
  out.secret = true;
  if (currentValue(el) !== "") out.value = "••••";
}

/**
 * Returns the labels of a select's or datalist's options: as many as fit into the line, then the number of the rest.
 */
function optionLabels(el) {
  const all = [];
  const chosen = [];
  let room = OPTIONS_ROOM;
  let more = 0;
  const options = el.options;
  for (let i = 0; i < options.length && i < 5000; i++) {
    const option = options[i];
    if (!option.selected && room < 0) {
      more++;
      continue;
    }
    const label = optionLabel(option);
    if (option.selected && localName(el) === "select") chosen.push(label);
    const shown = label !== "" && isDisabledOption(option) ? label + DISABLED_OPTION : label;
    if (room < 0) more++;
    else if (shown) all.push(shown);
    room -= shown.length + 1;
  }
  if (more > 0) all.push(`… ${more} more`);
  return { all, chosen };
}

const DISABLED_OPTION = " (disabled)";
const isDisabledOption = (option) => matches(option, ":disabled");

/** Returns the label of an option, after that of its group. */
function optionLabel(option) {
  const own = cut(clean(attr(option, "label") || textContent(option).slice(0, 300) || option.value), 80);
  const group = parentNode(option);
  const title = group !== null && nodeType(group) === 1 && localName(group) === "optgroup" ? clean(attr(group, "label") ?? "") : "";
  return title === "" || own === "" ? own : `${cut(title, 80)}: ${own}`;
}

/** Returns the options that a closed combobox keeps in the page. Once it is open they have their own lines. */
function optionNames(el) {
  const list = controlled(el, "listbox");
  if (list === null || isShown(list)) return [];
  const names = [];
  let room = OPTIONS_ROOM;
  const options = optionsWithin(list);
  for (let i = 0; i < options.length && room > 0; i++) {
    const name = cut(contentName(options[i], true), 80);
    if (name) names.push(isDisabled(options[i]) ? name + DISABLED_OPTION : name);
    room -= name.length + 1;
  }
  if (options.length > names.length && room <= 0) names.push(`… ${options.length - names.length} more`);
  return names;
}

/** Returns the element of this role that a widget declares to control or own, or null. */
function controlled(el, role) {
  const ids = `${attr(el, "aria-controls") ?? ""} ${attr(el, "aria-owns") ?? ""}`.trim();
  if (ids === "") return null;
  for (const id of ids.split(/\s+/, 8)) {
    const found = id && queryAll(getRootNode(el), "#" + CSS.escape(id))[0];
    if (!found) continue;
    if (attr(found, "role") === role) return found;
    const inner = query(found, `[role=${role}]`);
    if (inner !== null) return inner;
  }
  return null;
}

function hrefInto(out, el) {
  const href = hrefOf(el);
  if (href === null || href === "" || href === "#" || /^\s*(?:javascript|data|blob):/i.test(href)) return;
  const url = typeof el.href === "string" ? el.href : drawnUrl(el, href);
  const near = url.startsWith(location.origin + "/") ? url.slice(location.origin.length) : url;
  out.href = cut(clean(near), LONGEST_HREF);
}

/** Resolves the address of an SVG link, which has no `href` string property. */
function drawnUrl(el, href) {
  try {
    return new URL(href, ownerDocument(el).baseURI).href;
  } catch {
    return href;
  }
}

/** Items that say for the box in them whether it is ticked. */
const TICKED_ITEMS = "[role=treeitem],[role=option],[role=row]";

/** Reports whether a page says the state of a switch, or of a box that it draws itself: it keeps that of the native box as it likes. */
const isStateSaid = (el) => hasAttr(el, "aria-checked") && (attr(el, "role") === "switch" || !isShown(el));

function checkedInto(out, el, role, tag) {
  const silent = silentBoxOf(el);
  if (silent !== null) return checkedInto(out, silent, roleOf(silent), localName(silent));
  if (role === "clickable" || (role === "switch" && attr(el, "aria-checked") === null && tag !== "input")) {
    if (drawnState(el) === true) out[isSelectedByPress(el) || nameOfSlideMark(el) !== "" || wireOf(el, tag) !== null ? "selected" : "checked"] = true;
    return;
  }
  if ((role === "checkbox" || role === "radio") && tag !== "input" && attr(el, "aria-checked") === null) {
    if (drawnState(el) === true || attr(closest(el, TICKED_ITEMS) ?? el, "aria-selected") === "true") out.checked = true;
    return;
  }
  if (role !== "checkbox" && role !== "radio" && role !== "switch" && !role.startsWith("menuitem") && role !== "option" && role !== "treeitem") return;
  const native = tag === "input" && el.type !== "button" && !isStateSaid(el);
  const ariaChecked = native ? null : attr(el, "aria-checked");
  if (native && el.indeterminate === true && role === "checkbox") out.mixed = true;
  else if (ariaChecked === "mixed") out.mixed = true;
  else if (native ? el.checked === true && (el.type === "checkbox" || el.type === "radio") : ariaChecked === "true") out.checked = true;
}

function expandedInto(out, el, tag) {
  const ariaExpanded = attr(el, "aria-expanded");
  const open = tag === "summary" ? hasAttr(parentElement(el) ?? el, "open") : ariaExpanded === null ? null : ariaExpanded === "true";
  if (open === true && isFolded(el, tag)) out.collapsed = true;
  else if (open === true) out.expanded = true;
  else if (open === false && (tag === "summary" || ariaExpanded === "false")) out.collapsed = true;
}

/** Fields whose refusal the browser has told: those of a form that was to report, of which the first has the focus. */
const reportedFields = new WeakSet();
const MOST_REPORTED = 100;
let refusedNow = [];

/** Hears which fields a document refuses; a page that only asks (`checkValidity`) moves no focus to them. */
function hearRefusals(doc) {
  doc.addEventListener("invalid", (event) => {
    if (!event.isTrusted || refusedNow.length >= MOST_REPORTED) return;
    refusedNow.push(event.target);
    if (refusedNow.length === 1) setTimeout(noteReported, 0);
  }, { capture: true, passive: true });
}

function noteReported() {
  const refused = refusedNow;
  refusedNow = [];
  if (refused.some((field) => getRootNode(field) === ownerDocument(field) && activeElementOf(ownerDocument(field)) === field)) for (const field of refused) reportedFields.add(field);
}

hearRefusals(document);

/** Reports whether a field refuses its value, and the browser has said so. */
const isRefused = (el) => matches(el, ":user-invalid") || (reportedFields.has(el) && matches(el, ":invalid"));

/** Reports whether a field refuses its value itself, by the custom element that it takes the focus for, or by its class. */
function isRefusedHere(el, field) {
  if ((field || localName(el).includes("-")) && isRefused(el)) return true;
  const host = field ? fieldHostOf(el) : null;
  return (host !== null && isRefused(host)) || isRefusedByClass(el, field);
}

function fieldStatesInto(out, el, tag) {
  const field = tag === "input" || tag === "select" || tag === "textarea";
  if (attr(el, "aria-required") === "true" || (field && hasAttr(el, "required"))) out.required = true;
  const invalid = attr(el, "aria-invalid");
  if ((invalid !== null && invalid !== "false" && invalid !== "") || isRefusedHere(el, field)) out.invalid = true;
  if (attr(el, "aria-readonly") === "true" || ((tag === "input" || tag === "textarea") && hasAttr(el, "readonly"))) out.readonly = true;
  if (isDisabled(el)) out.disabled = true;
  if (isFocused(el)) out.focused = true;
}

const CAN_BE_DISABLED = words("button input select textarea fieldset option optgroup");

/** Own elements tell it by the attribute of native ones. */
const isOwnDisabled = (el) => localName(el).includes("-") && hasAttr(el, "disabled") && attr(el, "disabled") !== "false";
const isDisabled = (el) => attr(el, "aria-disabled") === "true" || ((CAN_BE_DISABLED.has(localName(el)) || localName(el).includes("-")) && matches(el, ":disabled")) || isOwnDisabled(el) || isDrawnDisabled(el) || (silentBoxOf(el) !== null && isDisabled(silentBoxOf(el)));

const CALLED_DISABLED = /(?:^|\s)(?!\S*(?:not|non|un|never)[-_]?disabled)(?:[\w-]+[-_])?disabled(?:\s|$)/;

/** Reports whether class and cursor both say that an element takes no presses. Browsers draw a hand over links. */
function isDrawnDisabled(el) {
  if (!CALLED_DISABLED.test(attr(el, "class") ?? "")) return false;
  const { cursor } = styleOf(el);
  return cursor === "not-allowed" || (cursor === "default" && (localName(el) === "a" || isOffBesideOn(el)));
}

function isFocused(el) {
  const root = getRootNode(el);
  const active = nodeType(root) === 9 ? activeElementOf(root) : isShadow(root) ? shadowActive(root) : null;
  if (active === null || !ownerDocument(el).hasFocus()) return false;
  if (editorAt(el) !== null) return contains(el, active);
  return active === el || (hasAttr(active, "aria-activedescendant") && attr(active, "aria-activedescendant") === attr(el, "id"));
}
