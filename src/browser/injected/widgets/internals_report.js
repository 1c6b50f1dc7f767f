// Reports what custom elements say of themselves by `ElementInternals` (role, name, states), which no other script can
// read. The page script asks with an event on the element; its random type keeps pages from listening.

const INTERNALS_ROLES = ["role", "ariaAtomic", "ariaAutoComplete", "ariaBusy", "ariaChecked", "ariaColCount", "ariaColIndex", "ariaColSpan", "ariaCurrent",
  "ariaDescription", "ariaDisabled", "ariaExpanded", "ariaHasPopup", "ariaHidden", "ariaInvalid", "ariaLabel", "ariaLevel", "ariaLive", "ariaModal",
  "ariaMultiLine", "ariaMultiSelectable", "ariaOrientation", "ariaPlaceholder", "ariaPosInSet", "ariaPressed", "ariaReadOnly", "ariaRequired",
  "ariaRoleDescription", "ariaRowCount", "ariaRowIndex", "ariaRowSpan", "ariaSelected", "ariaSetSize", "ariaSort", "ariaValueMax", "ariaValueMin",
  "ariaValueNow", "ariaValueText"];
const lowerCase = unbound(String.prototype.toLowerCase);

/** Returns the getters of the attributes that this browser knows, with the names of the attributes in HTML. */
function internalsGetters(Internals) {
  const getters = [];
  for (let i = 0; i < INTERNALS_ROLES.length; i++) {
    const name = INTERNALS_ROLES[i];
    if (getOwnPropertyDescriptor(Internals.prototype, name)?.get === undefined) continue;
    const attribute = name === "role" ? name : `aria-${lowerCase(part(name, 4))}`;
    defineProperty(getters, getters.length, { __proto__: null, value: { __proto__: null, attribute, read: getter(Internals.prototype, name) } });
  }
  return getters;
}

function describeInternals(internals, getters, readMessage) {
  const told = { __proto__: null };
  for (let i = 0; i < getters.length; i++) {
    const value = attempt(() => getters[i].read(internals), null);
    if (typeof value === "string") told[getters[i].attribute] = part(value, 0, 500);
  }
  // Only elements that belong to forms have a message.
  const message = attempt(() => readMessage(internals), "");
  if (typeof message === "string" && message !== "") told["-refusal"] = part(message, 0, 300);
  return stringify(told);
}

function reportInternals(Elements, Internals) {
  const getters = internalsGetters(Internals);
  const readMessage = getter(Internals.prototype, "validationMessage");
  const Message = globalThis.CustomEvent;
  const dispatch = unbound(EventTarget.prototype.dispatchEvent);
  const listen = unbound(EventTarget.prototype.addEventListener);
  replaceMethod(Elements.prototype, "attachInternals", (self, args, native) => {
    const internals = apply(native, self, args);
    listen(self, INTERNALS, () => {
      dispatch(self, new Message(`${INTERNALS}.`, { __proto__: null, detail: describeInternals(internals, getters, readMessage) }));
    });
    return internals;
  });
}

if (globalThis.HTMLElement !== undefined && globalThis.ElementInternals !== undefined) {
  attempt(() => reportInternals(globalThis.HTMLElement, globalThis.ElementInternals), null);
}
