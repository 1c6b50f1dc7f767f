// The list of a drop-down, drawn in the page while a person has it: Chromium's own is a window of its own, which stands
// in no picture. At work in the world of `noted.js` alone, and only as long as it is told to be. The page hears nothing
// of what is done in the list (`listed.js`), and finds nothing of it once it is closed.

const HEARD = words("pointerdown mousedown pointermove mousemove pointerup mouseup click auxclick dblclick contextmenu wheel keydown keypress keyup beforeinput");
const BEGINS = words("pointerdown mousedown keydown");
const SLIP_OF_PRESS = 6;
const TYPED_ON = 1000;
const listenTo = method(EventTarget.prototype, "addEventListener");

let unfolds = false;
let listensForLists = false;
/** What is open: its list, and what was pressed and typed there. */
let unfolded = null;
/** What ended in the list is not heard of by the page until something new begins. */
let ending = false;

/** A person has the page, or has it no more. */
function unfoldLists(on) {
  unfolds = on;
  if (!on) fold();
  if (listensForLists) return;
  listensForLists = true;
  for (const kind of HEARD) listenTo(window, kind, heardOfList, { capture: true, passive: false });
  for (const kind of ["scroll", "resize", "blur"]) listenTo(window, kind, (event) => event.isTrusted && movesList(event) && fold(), true);
  // A page that is kept for the way back may come when nobody has it.
  listenTo(window, "pagehide", () => unfoldLists(false));
}

/** What is around its field was scrolled, or the focus has left for another document. */
function movesList({ type, target }) {
  if (type !== "scroll") return target === window;
  return unfolded !== null && target instanceof Node && contains(target, unfolded.select);
}

function fold() {
  const was = unfolded;
  unfolded = null;
  was?.list.remove();
}

function heardOfList(event) {
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
  // Of a pointer that is prevented there is no mouse any more.
  if (!event.type.startsWith("pointer")) event.preventDefault();
  event.stopImmediatePropagation();
}

/** A drop-down that opens by this, unless the page prevents it: that is known where the event has been everywhere. */
function mayUnfold(event) {
  if (event.type !== "mousedown" && event.type !== "keydown") return;
  const path = event.composedPath();
  const select = path[0];
  if (!(select instanceof HTMLSelectElement) || !dropsDown(select) || !asksForList(event)) return;
  const decide = (heard) => {
    if (heard !== event || unfolded !== null || event.defaultPrevented) return;
    if (heard.currentTarget !== window && !event.cancelBubble) return;
    event.preventDefault();
    unfold(select, event);
  };
  for (const node of path) listenTo(node, event.type, decide, { once: true });
}

/** That of a secret field is not: others look on, and could see what is chosen. */
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
    // As one press opens it, another closes it.
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

/** A press that opened the list may go on into it, and ends at what is picked. */
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

/** One letter again and again goes from one to the next that begin so. */
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

/** As if it had been picked in Chromium's own list. */
function pickAt(option) {
  if (option === null) return;
  const { select } = unfolded;
  close();
  if (!isConnected(select) || matches(select, ":disabled") || matches(option, ":disabled")) return;
  if (option.selected || !contains(select, option)) return;
  option.selected = true;
  tell(select);
}
