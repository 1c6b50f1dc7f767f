// Field values of this document: saved for restoring in another browser, and compared for the report of a person's
// changes. Values of secret fields are never saved. For the report, only values of secret fields leave the page, so
// that they can be hidden in texts.

const HELD = "input,textarea,select";
const NOT_KEPT = words("file hidden submit button reset image");
const MOST_KEPT = 2000;
const LONGEST_KEPT = 20000;

const keptName = (el) => attr(el, "name") || attr(el, "id") || "";
const isTick = (el) => localName(el) === "input" && (inputType(el) === "checkbox" || inputType(el) === "radio");

/** Reports whether a field is a password field, even if the page shows it in clear now. */
function isPasswordField(el) {
  if (inputType(el) === "password") wasPassword.add(el);
  return wasPassword.has(el);
}

/**
 * Returns the fields that differ from their initial values: [{index, tag, name, value, checked}], and the scroll
 * position.
 */
function heldFields() {
  const fields = [];
  const all = queryAll(document, HELD);
  for (let index = 0; index < all.length && index < MOST_KEPT; index++) {
    const held = keptOf(all[index]);
    if (held !== null) fields.push({ index, tag: localName(all[index]), name: keptName(all[index]), ...held });
  }
  return { url: location.href, fields, scroll: [scrollX, scrollY] };
}

function keptOf(el) {
  const tag = localName(el);
  if (isSecret(el) || isCard(el) || (tag === "input" && NOT_KEPT.has(inputType(el)))) return null;
  if (isTick(el)) return el.checked === el.defaultChecked ? null : { value: null, checked: el.checked };
  if (tag === "select") {
    const chosen = Array.from(el.options, (option) => option.selected !== option.defaultSelected);
    return chosen.includes(true) ? { value: el.value, checked: null } : null;
  }
  if (el.value === el.defaultValue || holdsCardNumber(el)) return null;
  return { value: el.value.slice(0, LONGEST_KEPT), checked: null };
}

/** Restores the values from `heldFields`, with the events of typing. */
function putBack(fields, [x, y]) {
  const all = [...queryAll(document, HELD)];
  for (const { index, tag, name, value, checked } of fields) {
    const fits = (el) => el !== undefined && localName(el) === tag && keptName(el) === name;
    const el = fits(all[index]) ? all[index] : name === "" ? undefined : all.find(fits);
    if (el === undefined || isDisabled(el)) continue;
    if (checked === null) setValue(el, value);
    else el.checked = checked;
    el.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    el.dispatchEvent(new Event("change", { bubbles: true }));
  }
  scrollTo({ left: x, top: y, behavior: "instant" });
  return true;
}

/** Sets a value through the prototype's setter, past the setters that frameworks install on elements. */
function setValue(el, value) {
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(el), "value").set.call(el, value);
}

/** Values by field at the beginning of a take-over. */
let valuesBefore = null;
/** State of the document at that time: names of visible fields, text, dialogs and frames. */
let stateBefore = null;

const DIALOGS_HERE = `dialog[open],${DIALOGS}`;

const valueOf = (el) => (isTick(el) ? el.checked : el.value);
const nameOfField = (el) => nameOf(el, roleOf(el)) || keptName(el) || localName(el);

/** Returns all elements that match, in all roots. */
function everywhere(selector) {
  const found = [];
  for (const root of allRoots()) found.push(...queryAll(root, selector));
  return found;
}

/** Returns the visible text of the document. */
function textHere() {
  const texts = [];
  for (const root of allRoots()) {
    if (nodeType(root) === 9) texts.push(root.body?.innerText ?? "");
    else for (const child of root.children) texts.push(child.innerText ?? "");
  }
  return texts.join(" ").replace(/\s+/g, " ").trim();
}

function documentState() {
  const fields = new Map(everywhere(HELD).filter(isShown).map((el) => [el, nameOfField(el)]));
  const frames = everywhere("iframe,frame").map((el) => el.src).join("\n");
  return { fields, text: textHere(), dialogs: new Set(everywhere(DIALOGS_HERE).filter(isShown)), frames };
}

/** Records the values of all fields and the state of the document. */
function rememberFields() {
  valuesBefore = new Map(everywhere(HELD).map((el) => [el, valueOf(el)]));
  stateBefore = documentState();
  return { url: location.href, title: document.title, passwords: visiblePasswordFields() };
}

/**
 * Returns the differences since `rememberFields`: names of changed, new and removed fields, names of opened dialogs,
 * whether text or frames changed, whether this is another document; and values of secret fields. Then forgets the
 * record.
 */
function compareFields() {
  const now = documentState();
  const before = stateBefore ?? { fields: new Map(), text: null, dialogs: new Set(), frames: null };
  const changed = [...(valuesBefore ?? [])].filter(([el, value]) => isConnected(el) && valueOf(el) !== value);
  const secrets = changedSecrets(valuesBefore ?? new Map());
  const replaced = stateBefore === null;
  const names = (all) => [...new Set(all)];
  const differences = {
    fields: names(changed.map(([el]) => nameOfField(el))),
    came: names([...now.fields].filter(([el]) => !before.fields.has(el)).map(([, name]) => name)),
    gone: names([...before.fields].filter(([el]) => !now.fields.has(el)).map(([, name]) => name)),
    dialogs: names([...now.dialogs].filter((el) => !before.dialogs.has(el)).map((el) => nameOf(el, "dialog") || "")),
    text: now.text !== before.text,
    frames: now.frames !== before.frames,
    replaced,
  };
  valuesBefore = stateBefore = null;
  return { url: location.href, title: document.title, passwords: visiblePasswordFields(), secrets, ...differences };
}

/** Returns values of secret fields that differ from those recorded. They are only used to hide them in texts. */
function changedSecrets(before) {
  const found = [];
  for (const root of allRoots()) {
    for (const el of queryAll(root, "input,textarea")) {
      if (isSecret(el) && el.value !== "" && before.get(el) !== el.value) found.push(el.value.slice(0, LONGEST_KEPT));
    }
  }
  return found;
}

/** Returns the number of visible password fields, including those shown in clear. */
function visiblePasswordFields() {
  let count = 0;
  for (const root of allRoots()) for (const el of queryAll(root, "input")) if (isPasswordField(el) && isShown(el)) count++;
  return count;
}
