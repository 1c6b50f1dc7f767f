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

// Reports the handlers that frameworks delegate to a distant ancestor, which the element's own listeners do not reveal: props
// of React, properties of Svelte and Solid, selectors of jQuery. The page script asks with an event on the document.

/**
 * Letters of handlers, as `noteHandlers` takes them: p presses, 2 double clicks, c the context menu, d drops, H hovering
 * over items, o presses on others, m only the beginning of drags, w the wheel. React itself puts a listener on what has
 * `onClick`.
 */
const REACT_HANDLERS = [["onDoubleClick", "p"], ["onDrop", "d"], ["onMouseEnter", "H"], ["onMouseOver", "H"], ["onPointerEnter", "H"], ["onWheel", "w"]];
const TOUCHES = ["onTouchStart", "onTouchEnd"];
const DRAG_BEGINS = ["onPointerDown", "onMouseDown", "onTouchStart"];
const PLAIN_PRESSES = ["onClick", "onDoubleClick", "onMouseUp", "onPointerUp", "onTouchEnd", "onFocus", "onChange"];
const PRESS_ENDS = ["onMouseUp", "onPointerUp"];
const NO_PRESSES = ["onClick", "onMouseMove", "onPointerMove"];
const PRESSES = ["onClick", "onMouseDown", "onMouseUp", "onPointerDown", "onPointerUp"];
const PROPERTY_HANDLERS = [["click", "p"], ["dblclick", "p2"], ["pointerdown", "p"], ["contextmenu", "c"]];
const JQUERY_HANDLERS = [["wheel", "w"], ["mousewheel", "w"], ["click", "p"], ["dblclick", "p2"], ["mousedown", "p"], ["contextmenu", "c"], ["drop", "d"], ["mouseenter", "H"], ["mouseover", "H"]];
const MOST_SCANNED = 30000;
/** Number of elements whose properties are listed, to learn the names that frameworks use on this page. */
const SAMPLES = 600;
const MOST_TOLD = 400;
/** Greatest number of elements that a selector of jQuery may fit; others are for the whole page. */
const MOST_FITTING = 300;

/** Milliseconds after which a report ends, whatever is left: selectors of a page can be arbitrarily slow. */
const MOST_REPORT_MS = 60;

const roundDown = Math.floor;

/** Returns an own value, without calling a getter of the page. */
const ownValue = (holder, key) => (holder === null || holder === undefined ? undefined : getOwnPropertyDescriptor(holder, key)?.value);

function holdsLetter(letters, letter) {
  for (let i = 0; i < letters.length; i++) if (letterAt(letters, i) === letter) return true;
  return false;
}

function reportHandlers(doc, Elements, Message) {
  const collect = unbound(Document.prototype.getElementsByTagName);
  const collected = getter(HTMLCollection.prototype, "length");
  const found = unbound(Elements.prototype.querySelectorAll);
  const foundInDocument = unbound(Document.prototype.querySelectorAll);
  const countFound = getter(NodeList.prototype, "length");
  const dispatch = unbound(EventTarget.prototype.dispatchEvent);
  const { ownKeys } = Reflect;
  const { performance } = globalThis;
  const now = unbound(Performance.prototype.now);
  const told = new WeakMap();
  /** Names of the properties by which copies of React and jQuery keep handlers at an element. */
  const names = { __proto__: null, react: "", jquery: "" };
  let left = 0;
  let began = 0;
  const isLate = () => now(performance) - began > MOST_REPORT_MS;

  const tell = (el, letters) => {
    const before = lookUp(told, el) ?? "";
    let known = before;
    for (let i = 0; i < letters.length; i++) if (!holdsLetter(known, letterAt(letters, i))) known += letterAt(letters, i);
    if (known === before || left <= 0) return;
    keep(told, el, known);
    left--;
    dispatch(el, new Message(`${INTERNALS}.`, { __proto__: null, detail: known }));
  };

  const learn = (el) => {
    const keys = attempt(() => ownKeys(el), null);
    if (keys === null) return;
    for (let i = 0; i < keys.length && i < 40; i++) {
      const key = keys[i];
      if (typeof key !== "string") continue;
      if (part(key, 0, 13) === "__reactProps$") names.react = key;
      else if (part(key, 0, 6) === "jQuery" && attempt(() => ownValue(ownValue(el, key), "events") !== undefined, false)) names.jquery = key;
    }
  };

  const lettersOf = (holder, handlers, prefix) => {
    let letters = "";
    for (let i = 0; i < handlers.length; i++) {
      const handler = ownValue(holder, prefix + handlers[i][0]);
      if (handler !== undefined && handler !== null && handler !== false) letters += handlers[i][1];
    }
    return letters;
  };

  /** Libraries give their buttons and items handlers of the context menu that open none. */
  const opensMenu = (props) => typeof ownValue(props, "onContextMenu") === "function" && !ownValue(props, "onClick") && !ownValue(props, "onKeyDown") && !ownValue(props, "role");

  /** Cells that open as the button is let go; React puts no listener on them, as it does for `onClick`. */
  const pressedInTwo = (props) => handles(props, DRAG_BEGINS) && handles(props, PRESS_ENDS) && !handles(props, NO_PRESSES);

  /** Libraries give what they let be pressed a handler of double clicks as well, which mostly does nothing. */
  const doublesOnly = (props) => typeof ownValue(props, "onDoubleClick") === "function" && !ownValue(props, "onClick");

  const handles = (props, keys) => {
    for (let i = 0; i < keys.length; i++) if (typeof ownValue(props, keys[i]) === "function") return true;
    return false;
  };

  /** Tells of the elements that fit the selectors of an element's handlers. */
  const tellSelected = (el, isDocument) => {
    const events = ownValue(ownValue(el, names.jquery), "events");
    if (typeof events !== "object" || events === null) return;
    let own = false;
    let given = false;
    for (let i = 0; i < JQUERY_HANDLERS.length; i++) {
      const list = ownValue(events, JQUERY_HANDLERS[i][0]);
      for (let k = 0; k < (ownValue(list, "length") ?? 0) && k < 100 && !isLate(); k++) {
        const selector = ownValue(ownValue(list, k), "selector");
        if (typeof selector !== "string") {
          own ||= holdsLetter(JQUERY_HANDLERS[i][1], "p");
          if (JQUERY_HANDLERS[i][1] === "p2" && !isDocument) tell(el, "2");
          continue;
        }
        given ||= holdsLetter(JQUERY_HANDLERS[i][1], "p");
        const fitting = attempt(() => (isDocument ? foundInDocument : found)(el, selector), null);
        const count = fitting === null ? 0 : countFound(fitting);
        for (let n = 0; n < count && count <= MOST_FITTING; n++) tell(fitting[n], JQUERY_HANDLERS[i][1]);
      }
    }
    if (given && !own && !isDocument) tell(el, "o");
  };

  return () => {
    left = MOST_TOLD;
    began = now(performance);
    const all = collect(doc, "*");
    const count = collected(all);
    const stride = count <= SAMPLES ? 1 : roundDown(count / SAMPLES);
    learn(doc);
    for (let i = 0; i < count; i += i < SAMPLES / 2 ? 1 : stride) learn(all[i]);
    const byProperty = globalThis.__svelte !== undefined ? "__" : doc._$DX_DELEGATE !== undefined ? "$$" : "";
    if (names.jquery !== "") attempt(() => tellSelected(doc, true), null);
    if (names.react === "" && names.jquery === "" && byProperty === "") return;
    for (let i = 0; i < count && i < MOST_SCANNED && !(i % 64 === 0 && isLate()); i++) {
      const el = all[i];
      attempt(() => {
        const props = names.react === "" ? undefined : ownValue(el, names.react);
        let letters = props === undefined ? "" : lettersOf(props, REACT_HANDLERS, "");
        if (props !== undefined && opensMenu(props)) letters += "c";
        if (props !== undefined && doublesOnly(props)) letters += "2";
        if (props !== undefined && pressedInTwo(props)) letters += "p";
        if (props !== undefined && handles(props, TOUCHES) && !handles(props, PRESSES)) letters += "pt";
        if (props !== undefined && handles(props, DRAG_BEGINS) && !handles(props, PLAIN_PRESSES)) letters += "m";
        if (byProperty !== "") letters += lettersOf(el, PROPERTY_HANDLERS, byProperty);
        if (letters !== "") tell(el, letters);
        if (names.jquery !== "" && ownValue(el, names.jquery) !== undefined) tellSelected(el, false);
      }, null);
    }
  };
}

if (globalThis.document !== undefined && globalThis.HTMLElement !== undefined) {
  attempt(() => {
    const listen = unbound(EventTarget.prototype.addEventListener);
    const dispatch = unbound(EventTarget.prototype.dispatchEvent);
    const Plain = globalThis.Event;
    const inner = new EventTarget();
    listen(inner, "report", reportHandlers(globalThis.document, globalThis.Element, globalThis.CustomEvent));
    // Handlers are read within an event without a secret name: code of the page that runs meanwhile sees it as
    // `window.event`.
    listen(globalThis.document, INTERNALS, () => dispatch(inner, new Plain("report")));
  }, null);
}
