// State of the page before and after a gesture: a drag or a turn of the wheel may do nothing at all.

let rememberedState = null;

/** Milliseconds within which a drag that moved nothing is tried again. */
const TRIED_AGAIN_WITHIN = 1000;
/** Element of the last drag, if that moved nothing: {eid, at}. */
let failedDrag = null;

function rememberState() {
  rememberedState = stateOfPage();
  if (failedDrag !== null && performance.now() - failedDrag.at > TRIED_AGAIN_WITHIN) failedDrag = null;
  return true;
}

/** Resolves to true if the page differs from the remembered state once it is still, or if that cannot be told. */
async function stateChanged(eids) {
  if (rememberedState === null) return true;
  await settle({ quietMs: 80, maxMs: 1200 });
  const now = stateOfPage();
  const same = now.length === rememberedState.length && now.every((part, at) => part === rememberedState[at]);
  const changed = !same || eids.some((eid) => nodeOf(eid) === null || isUnreadable(nodeOf(eid)));
  if (eids.length === 2) failedDrag = changed ? null : { eid: eids[0], at: performance.now() };
  return changed;
}

/** Reports, once, whether an element is about to be dragged again because the first drag of it moved nothing. */
function consumeFailedDrag(eid) {
  if (failedDrag?.eid !== eid) return false;
  const again = performance.now() - failedDrag.at <= TRIED_AGAIN_WITHIN;
  failedDrag = null;
  return again;
}

/** Attributes that a gesture leaves behind empty. */
const EMPTIED = / (?:style|class)=""/g;
const VALUE_FIELDS = "input,textarea,select";

function stateOfPage() {
  const parts = [location.href];
  for (const root of allRoots()) {
    const top = nodeType(root) === 9 ? rootElementOf(root) : root;
    if (top === null) continue;
    parts.push(String(top.innerHTML).replace(EMPTIED, ""));
    for (const field of queryAll(root, VALUE_FIELDS)) parts.push(isSecret(field) ? String(field.value.length) : `${field.value} ${field.checked === true}`);
    for (const el of queryAll(root, "*")) if (scrollTopOf(el) !== 0 || scrollLeftOf(el) !== 0) parts.push(`${scrollTopOf(el)} ${scrollLeftOf(el)}`);
  }
  return parts;
}

const UNREADABLE = "canvas,video,iframe,frame,object,embed";
const isUnreadable = (el) => matches(el, UNREADABLE) || query(el, UNREADABLE) !== null;

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
