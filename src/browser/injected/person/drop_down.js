// The option list of a drop-down, drawn in the page during a take-over: Chromium's own list is a separate window that
// does not appear in screenshots. Active only in the isolated world of `typed_by_person.js`, and only while switched on.
// The page receives no events from the list, and finds no trace of it after it has closed.

const LIST_EVENTS = words("pointerdown mousedown pointermove mousemove pointerup mouseup click auxclick dblclick contextmenu wheel keydown keypress keyup beforeinput");
const BEGINS = words("pointerdown mousedown keydown");
const SLIP_OF_PRESS = 6;
const TYPED_ON = 1000;
const listenTo = method(EventTarget.prototype, "addEventListener");

let unfolds = false;
let listensForLists = false;
/** Open list, with the position of the press and the text typed there. */
let unfolded = null;
/** True after the list closed: events are kept from the page until a new interaction begins. */
let ending = false;

/** Switches the drawing of lists on or off, at the beginning and end of a take-over. */
function unfoldLists(on) {
  unfolds = on;
  if (!on) fold();
  if (listensForLists) return;
  listensForLists = true;
  for (const kind of LIST_EVENTS) listenTo(window, kind, handleListEvent, { capture: true, passive: false });
  for (const kind of ["scroll", "resize", "blur"]) listenTo(window, kind, (event) => event.isTrusted && movesList(event) && fold(), true);
  // A page kept in the back/forward cache may be restored after the take-over.
  listenTo(window, "pagehide", () => unfoldLists(false));
}

/** Reports whether an ancestor of the field was scrolled, or the focus has left for another document. */
function movesList({ type, target }) {
  if (type !== "scroll") return target === window;
  return unfolded !== null && target instanceof Node && contains(target, unfolded.select);
}

function fold() {
  const was = unfolded;
  unfolded = null;
  was?.list.remove();
}

function handleListEvent(event) {
  if (!event.isTrusted) return;
  if (BEGINS.has(event.type)) ending = false;
  if (unfolded !== null && !isConnected(unfolded.list.host)) fold();
  if (unfolded === null) {
    if (ending) keepFromPage(event);
    else if (unfolds) mayUnfold(event);
  } else if (event.type.startsWith("key") || event.type === "beforeinput") {
    keyInList(event);
  } else {
    pointerInList(event);
  }
}

function keepFromPage(event) {
  // Preventing a pointer event would also suppress its mouse events.
  if (!event.type.startsWith("pointer")) event.preventDefault();
  event.stopImmediatePropagation();
}

/** Opens the list of a drop-down unless the page prevents the event, which is known after its propagation. */
function mayUnfold(event) {
  if (event.type !== "mousedown" && event.type !== "keydown") return;
  const path = event.composedPath();
  const select = path[0];
  if (!(select instanceof HTMLSelectElement) || !dropsDown(select) || !asksForList(event)) return;
  const decide = (bubbled) => {
    if (bubbled !== event || unfolded !== null || event.defaultPrevented) return;
    if (bubbled.currentTarget !== window && !event.cancelBubble) return;
    event.preventDefault();
    unfold(select, event);
  };
  for (const node of path) listenTo(node, event.type, decide, { once: true });
}

/** Reports whether a select opens a list here. A secret one does not: other viewers could see the choice. */
function dropsDown(select) {
  return !isSecret(select) && !select.multiple && select.size <= 1 && !matches(select, ":disabled") && styleOf(select).appearance !== "base-select";
}

function asksForList(event) {
  if (event.type === "mousedown") return event.button === 0;
  if (event.ctrlKey || event.metaKey) return false;
  return event.key === " " || event.key === "F4" || (event.altKey && /^Arrow(?:Up|Down)$/.test(event.key));
}

function unfold(select, event) {
  select.focus({ preventScroll: true });
  const list = new OptionList(select);
  const pressed = event.type === "mousedown" ? [event.clientX, event.clientY] : null;
  unfolded = { select, list, pressed, inside: pressed === null, typed: "", typedAt: 0 };
}

function pointerInList(event) {
  const { list, select } = unfolded;
  const inside = list.holds(event.clientX, event.clientY);
  if (!inside) {
    if (event.type === "wheel") return fold();
    if (event.type !== "mousedown") return undefined;
    // Presses on the field open and close the list in turn.
    if (event.composedPath()[0] === select) keepFromPage(event);
    return fold();
  }
  keepFromPage(event);
  if (event.type === "wheel") list.scroll(event.deltaY * [1, 16, 200][event.deltaMode]);
  else if (event.type === "mousemove") moveInList(event);
  else if (event.type === "mousedown") unfolded.inside = true;
  else if (event.type === "mouseup" && unfolded.inside && event.button === 0) pickAt(list.at(event.clientX, event.clientY));
  return undefined;
}

/** Lets a press that opened the list continue into it; its release then picks an option. */
function moveInList(event) {
  const { pressed, list } = unfolded;
  if (pressed === null || Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) > SLIP_OF_PRESS) unfolded.inside = true;
  list.light(list.at(event.clientX, event.clientY));
}

function keyInList(event) {
  if (event.type !== "keydown") return keepFromPage(event);
  if (event.key === "Tab") return pickAt(unfolded.list.lit);
  keepFromPage(event);
  const { list } = unfolded;
  if (event.key === "Escape" || event.key === "F4" || (event.altKey && event.key.startsWith("Arrow"))) return close();
  if (event.key === "Enter" || (event.key === " " && performance.now() - unfolded.typedAt > TYPED_ON)) return pickAt(list.lit);
  const steps = { ArrowDown: 1, ArrowUp: -1, ArrowRight: 1, ArrowLeft: -1, PageDown: 8, PageUp: -8, Home: -Infinity, End: Infinity }[event.key];
  if (steps !== undefined) return list.step(steps);
  if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) typeInList(event.key);
  return undefined;
}

/** Searches by typed letters. One letter repeated goes to the next option with that beginning. */
function typeInList(letter) {
  const now = performance.now();
  const typed = (now - unfolded.typedAt > TYPED_ON ? "" : unfolded.typed) + letter.toLowerCase();
  Object.assign(unfolded, { typed, typedAt: now });
  const same = typed.split("").every((one) => one === typed[0]);
  unfolded.list.find(same ? typed[0] : typed, same);
}

function close() {
  ending = true;
  fold();
}

/** Picks an option, with the events of Chromium's own list. */
function pickAt(option) {
  if (option === null) return;
  const { select } = unfolded;
  close();
  if (!isConnected(select) || matches(select, ":disabled") || matches(option, ":disabled")) return;
  if (option.selected || !contains(select, option)) return;
  option.selected = true;
  dispatchInputEvents(select);
}
