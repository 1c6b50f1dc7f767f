// Options that were picked: the words that a list shows for what it submits, such as "Maria" for `assignee=4711`. A
// question about a request names them beside the ids.

const PICKED_ROLES = words("option menuitem menuitemradio treeitem radio gridcell listitem clickable combobox listbox");
const VALUE_ATTRIBUTES = ["data-value", "data-id", "data-key", "value"];
const MOST_HIDDEN_INPUTS = 200;
const MOST_SELECTS = 60;
const MOST_OPTIONS_TOLD = 100;
const MOST_PICKED = 60;

/** Options that were picked: {ref, name, value, words}; `ref` is the hidden field whose value changed, or the option. */
let pickedOptions = [];

/** Notes the hidden fields before an action on an element that may be an option or a list; null for another one. */
function beforePick(el, all) {
  const role = el === undefined ? "" : actedRole(el, localName(el));
  if (!PICKED_ROLES.has(role) || isSecret(el)) return null;
  const fields = new Map();
  for (const field of hiddenInputs(all)) fields.set(field, String(field.value ?? ""));
  const words = nameOf(el, role) || cut(clean(visibleText(el, LONGEST_NAME)), LONGEST_NAME);
  return { el, isList: role === "combobox" || role === "listbox", words, fields };
}

function hiddenInputs(all) {
  const found = [];
  for (const root of all) {
    const inputs = queryAll(root, "input[type=hidden]");
    for (let i = 0; i < inputs.length && found.length < MOST_HIDDEN_INPUTS; i++) found.push(inputs[i]);
  }
  return found;
}

/** Remembers what an action has picked: the hidden fields that it changed, and the value of the option itself. */
function afterPick(pick, all) {
  if (pick === null) return;
  const told = pick.isList && isLive(pick.el) ? String(tracedStates(pick.el).value ?? "") : pick.words;
  if (told === "") return;
  for (const field of hiddenInputs(all)) {
    const value = String(field.value ?? "");
    if (value !== "" && value !== told && pick.fields.get(field) !== value) remembersPick(field, attr(field, "name") ?? "", value, told);
  }
  if (!pick.isList) for (const value of ownValues(pick.el)) if (value !== told) remembersPick(pick.el, "", value, told);
}

/** Returns the values that an option states in its attributes. */
const ownValues = (el) => [...new Set(VALUE_ATTRIBUTES.map((name) => attr(el, name) ?? "").filter((value) => value !== "" && value.length <= 100))];

function remembersPick(el, name, value, told) {
  pickedOptions = pickedOptions.filter((one) => one.ref.deref() !== el || one.value !== value).slice(-MOST_PICKED + 1);
  pickedOptions.push({ ref: new WeakRef(el), name, value, words: told });
}

/** Returns [name, value, words] of each option that is picked, and of those that acting on the element may pick. */
function picksAround(el) {
  const found = pickedOptions.map(({ name, value, words: told }) => [name, value, told]);
  const selects = queryAll(ownerDocument(el), "select");
  for (let i = 0; i < selects.length && i < MOST_SELECTS; i++) {
    const all = selects[i] === el ? Array.from(el.options).slice(0, MOST_OPTIONS_TOLD) : Array.from(selects[i].selectedOptions);
    for (const option of all) if (option.value !== "" && !isSecret(selects[i])) found.push([attr(selects[i], "name") ?? "", option.value, clean(option.label)]);
  }
  const role = actedRole(el, localName(el));
  if (PICKED_ROLES.has(role)) for (const value of ownValues(el)) found.push(["", value, nameOf(el, role)]);
  return found.filter(([, value, told]) => told !== "" && told !== value && value.length <= 100)
    .map(([name, value, told]) => ({ name: name.slice(0, 200), value, words: cut(told, LONGEST_NAME) }));
}
