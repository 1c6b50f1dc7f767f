// Focus and states of controls that actions ask about.

/** Reports whether keys that are held down go to this document, and not to a frame. */
const keysStayHere = () => {
  const active = activeElementOf(document);
  return active === null || !matches(active, "iframe,frame,object,embed");
};

/** Reports whether keys go to a field now, or to a frame that has its own. */
function takesText() {
  const focus = innermostFocus();
  return focus !== null && (isEditable(focus, localName(focus)) || contextIn(focus) !== null || matches(focus, "iframe,frame,object,embed"));
}

/** Sides of a field that shows its text, in pixels, at least. */
const SHOWN_FIELD = 8;

/**
 * Reports whether the field with the focus shows a text that keys can select. A terminal's line cannot be selected, and
 * behind a hidden field stands a drawing whose whole content would be.
 */
function showsSelectableText() {
  const focus = innermostFocus();
  if (focus === null || !isEditable(focus, localName(focus))) return false;
  const editor = closest(focus, EDITOR_ROOTS);
  if (editor !== null) return !matches(editor, TERMINAL_ROOTS);
  const { width, height } = rectOf(focus);
  return isInSight(focus) && Math.min(width, height) >= SHOWN_FIELD && currentValue(focus) !== "";
}

/** Milliseconds within which a field takes the focus that a key has opened. */
const FIELD_WAIT = 400;

/** Resolves to true as soon as a field has the focus, and to false if none takes it. */
async function awaitField() {
  for (const began = performance.now(); performance.now() - began < FIELD_WAIT; await nextFrame()) {
    if (!takesText()) continue;
    await nextFrame();
    return true;
  }
  return false;
}

const lettersOf = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
const LEAST_FIELD = 5;

/** Returns the value of the field with the focus if letters or digits of a text are missing in it; else null. */
function lackingText(text) {
  const focus = innermostFocus();
  if (focus === null || isSecret(focus) || !isEditable(focus, localName(focus)) || rectOf(focus).width < LEAST_FIELD) return null;
  if (closest(focus, EDITOR_ROOTS) !== null) return null;
  const value = VALUED_TAGS.has(localName(focus)) ? String(focus.value) : textContent(focus);
  let left = lettersOf(text);
  for (const letter of lettersOf(value)) if (left.startsWith(letter)) left = left.slice(letter.length);
  return left === "" || value.trim() === "" ? null : cut(clean(value), 80);
}

/** Returns whether a checkbox, switch or radio button is on. */
function checkedState(eid) {
  const el = nodeOf(eid);
  if (el === null) return deadEid(eid);
  const state = checkedOf(el);
  return state === null ? failed("not_editable", `[${eid}] is nothing that is checked or not; click it, or give \`text\` or \`option\``) : state;
}

/** Returns true, false, or null for what has no such state. */
function checkedOf(el) {
  const control = localName(el) === "label" ? labelControl(el) ?? el : el;
  if (localName(control) === "input" && /^(?:checkbox|radio)$/.test(inputType(control)) && !isStateSaid(control)) return control.checked;
  for (const name of ["aria-checked", "aria-pressed", "aria-selected"]) if (hasAttr(control, name)) return attr(control, name) === "true";
  const inner = query(control, "input[type=checkbox],input[type=radio],[aria-checked]");
  return inner === null ? null : checkedOf(inner);
}

/** Returns the state that a press would have changed; null for what a press need not change. */
function stateThatStays(el, role) {
  const isOn = /^(?:checkbox|switch|menuitemcheckbox|radio|menuitemradio)$/.test(role) ? checkedOf(el) : null;
  if (isOn === null) return null;
  if (!isOn) return "unchecked";
  return /radio$/.test(role) ? null : "checked";
}

/** Returns the whole text of a plain field; null for other elements, and for secrets. */
const wholeFieldText = (el) => (/^(?:input|textarea)$/.test(localName(el)) && isEditable(el) && !isSecret(el) && closest(el, EDITOR_ROOTS) === null ? String(el.value) : null);

/** Resolves after the next frame: what a handler has begun is on its way then. */
async function awaitFrame() {
  await nextFrame();
  return true;
}

/** Waits up to half a second until it is as wanted; pages draw their state anew. */
async function checkedWithin(eid, wanted) {
  const began = performance.now();
  for (;;) {
    const el = nodeOf(eid);
    // A page that replaces the control after a press has taken the press.
    if (el === null || checkedOf(el) === wanted) return true;
    if (performance.now() - began > 500) return false;
    await nextFrame();
  }
}

function focusField(eid) {
  const el = nodeOf(eid);
  if (el === null) return deadEid(eid);
  (fieldIn(el) ?? el).focus({ preventScroll: true });
  return true;
}

/** Returns the number of the element at a point: the nearest that was listed or acts by itself, else the innermost. */
function elementAt(x, y) {
  const met = hitIn(document, x, y);
  if (met === null) return 0;
  for (let node = met, steps = 0; node !== null && steps < 30; node = drawnParent(node), steps++) {
    if (node === rootElementOf(document) || node === bodyOf(document)) break;
    if (eidByNode.has(node) || ACTED_ON.has(roleOf(node))) return spareEid(node);
  }
  return spareEid(met);
}
