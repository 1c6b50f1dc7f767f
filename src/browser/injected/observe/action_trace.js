// Trace of an action: what is different on the page once it is still, for the result that a planner reads. What a page
// keeps to itself (a message sent, the clipboard, a timer) is not seen.

/** Matches elements that open over a page, or announce something. */
const OPENING = "dialog[open],[role=dialog],[role=alertdialog],[role=menu],[role=listbox],[role=tooltip],[role=alert],[role=status],[popover]";
const MOST_OPENING = 60;
const MOST_TRACED = 20;
const MOST_ADDED = 300;
const MOST_WORDS = 80;
const LOOKS = words("class style data-focus data-hover data-active data-focus-visible data-focused");

let trace = null;

/**
 * Listens for scrolling, once for a document: adding a listener of this kind has Chromium draw a frame more, which an
 * action would wait for.
 */
const listenForScrolling = () => document.addEventListener("scroll", noteScrolling, { capture: true, passive: true });

function noteScrolling() {
  if (trace !== null) trace.scrolled = true;
}

listenForScrolling();

/** Notes the page and the elements of an action, before it. */
function beginTrace(eids) {
  trace?.stop();
  // A document that was opened for writing again has lost its listeners.
  listenForScrolling();
  forgetPress();
  trace = new ActionTrace(eids.slice(0, MOST_TRACED));
  return true;
}

/** Returns what is different since `beginTrace`; of a document that was not there then, what it says. */
function traceSoFar() {
  try {
    return trace === null ? traceOfNewDocument() : trace.differences();
  } catch {
    // The action is done; what it changed cannot be told.
    return null;
  }
}

/** Forgets that the page scrolled: the element was brought into view for the action. */
function forgetOwnScrolling() {
  if (trace === null) return;
  trace.scrolled = false;
  trace.place = [scrollX, scrollY];
}

function endTrace() {
  trace?.stop();
  trace = null;
  forgetPress();
}

class ActionTrace {
  constructor(eids) {
    this.href = location.href;
    this.active = innermostFocus();
    const all = allRoots();
    this.opened = new Map(openingElements(all).map((el) => [el, [roleOf(el), openingWords(el)]]));
    forgetSettings();
    this.elements = eids.map((eid) => [eid, nodeOf(eid)]).filter(([, el]) => el !== null).map(([eid, el]) => ({ eid, el, role: roleOf(el), before: tracedStates(el), text: wholeFieldText(el) }));
    this.pick = beforePick(this.elements[0]?.el, all);
    this.said = statusRegions(all);
    this.headings = mainHeadings(all);
    this.hidden = this.elements.flatMap(({ el }) => hiddenControlsNear(el));
    this.added = [];
    this.came = new WeakSet();
    this.went = [];
    this.removed = 0;
    this.changes = { content: false, style: false };
    this.scrolled = false;
    // The event of a scroll comes with a later frame.
    this.place = [scrollX, scrollY];
    this.observer = new MutationObserver((records) => this.hear(records));
    for (const root of all) this.observer.observe(root, EVERY_CHANGE);
  }

  hear(records) {
    for (const { type, target, attributeName, addedNodes, removedNodes } of records) {
      if (neverResting.has(target)) continue;
      if (type === "attributes" && LOOKS.has(attributeName)) this.changes.style = true;
      else this.changes.content = true;
      if (type !== "childList") continue;
      for (let i = 0; i < removedNodes.length; i++) if (nodeType(removedNodes[i]) === 1) this.hearRemoved(removedNodes[i], target);
      for (let i = 0; i < addedNodes.length && this.added.length < MOST_ADDED; i++) {
        if (nodeType(addedNodes[i]) !== 1) continue;
        this.added.push(addedNodes[i]);
        this.came.add(addedNodes[i]);
      }
    }
  }

  /** Keeps a node that was there before the action: what shows the same in its place has not appeared. */
  hearRemoved(node, holder) {
    this.removed++;
    if (this.went.length >= MOST_ADDED || this.came.has(node)) return;
    for (let at = holder, steps = 0; at !== null && steps < 20; at = parentNode(at), steps++) if (this.came.has(at)) return;
    this.went.push(node);
  }

  stop() {
    this.observer.disconnect();
  }

  differences() {
    this.hear(this.observer.takeRecords());
    const all = allRoots();
    afterPick(this.pick, all);
    const said = newStatusWords(all, this.said, this.added);
    const opened = openingElements(all).filter((el) => !this.opened.has(el));
    const focus = innermostFocus();
    const moved = focus !== null && focus !== this.active && !this.elements.some(({ el }) => drawnInside(focus, el) || focus === el);
    const appeared = this.appeared([...opened, ...said.keys()]);
    return {
      href: this.href,
      missed: missedPress,
      says: toldWords(said),
      heading: this.newHeading(all, opened),
      elements: this.elements.map(elementChanges),
      opened: opened.filter((el) => !said.has(el)).map((el) => [roleOf(el), openingWords(el)]),
      closed: [...this.opened].filter(([el]) => !isConnected(el) || !isShown(el)).map(([, told]) => told),
      focus: moved ? [roleOf(focus) || localName(focus), nameOf(focus, roleOf(focus)) ?? ""] : null,
      appeared: appeared.length,
      text: appeared.length === 1 ? wordsOfNew(appeared[0]) : "",
      removed: this.removed > 0 && !this.isDrawnAnew(),
      scrolled: this.scrolled || scrollX !== this.place[0] || scrollY !== this.place[1],
      content: this.changes.content,
      style_changed: this.changes.style,
      drawing: this.elements.some(({ el }) => isLive(el) && isUnreadable(el)),
    };
  }

  /** Reports whether all that was there before and went has come again, with the same words. */
  isDrawnAnew() {
    const came = this.added.filter((el) => isLive(el) && !this.came.has(parentNode(el)));
    const [before, now] = [this.went, came].map((all) => clean(all.map((el) => textContent(el)).join(" ").slice(0, 20 * LONGEST_TEXT)));
    return this.went.length === 0 || (before !== "" && before === now);
  }

  /** Returns the main heading that the page has now instead of another one; empty if it has none, or in what opened. */
  newHeading(all, opened) {
    const now = mainHeadings(all);
    if (![...this.headings].some((words) => !now.has(words))) return "";
    const fresh = [...now].find((words) => words !== "" && !this.headings.has(words)) ?? "";
    return opened.some((el) => clean(visibleText(el, LONGEST_TEXT)).includes(fresh)) ? "" : cut(fresh, MOST_WORDS);
  }

  /** Returns the new parts of the page that show something, the outermost of each. */
  appeared(opened) {
    const shown = new Set([...this.added, ...this.hidden].filter((el) => isLive(el) && isShown(el) && holdsWords(el)));
    for (const el of opened) shown.delete(el);
    const editors = this.elements.filter(({ el }) => isTextHolder(el)).map(({ el }) => el);
    const outermost = [...shown].filter((el) => {
      for (let node = parentNode(el), steps = 0; node !== null && steps < 100; node = parentNode(node), steps++) if (shown.has(node) || opened.includes(node)) return false;
      return !opened.some((one) => drawnInside(one, el)) && !editors.some((one) => drawnInside(el, one));
    });
    const before = countPieces(this.went);
    return before === null ? outermost : outermost.flatMap((el) => piecesNotBefore(el, before, 0).parts);
  }
}

/** Levels around an element within which controls may show while the pointer is over it, and their number. */
const REVEALING_LEVELS = 3;
const MOST_HIDDEN_NEAR = 100;

/** Returns controls in and near an element that are hidden; style alone may show them. */
function hiddenControlsNear(el) {
  let around = el;
  for (let level = 0; level < REVEALING_LEVELS; level++) {
    const parent = drawnParent(around);
    if (parent === null || /^(?:body|html)$/.test(localName(parent)) || queryAll(parent, CONTROLS).length > MOST_HIDDEN_NEAR) break;
    around = parent;
  }
  const found = queryAll(around, CONTROLS);
  const hidden = [];
  for (let i = 0; i < found.length && i < MOST_HIDDEN_NEAR; i++) if (!isShown(found[i])) hidden.push(found[i]);
  return hidden;
}

const holdsWords = (el) => textContent(el).trim() !== "" || (matches(el, CONTROLS) && nameOf(el, roleOf(el)) !== "");

const VALUED_TAGS = words("input select textarea");

/** Reports whether the value of an element is the text in it. */
const isTextHolder = (el) => isLive(el) && !VALUED_TAGS.has(localName(el)) && isEditable(el);

const MOST_PIECES = 3000;

/** Returns the words that an element itself shows, with what it is; empty if only its content shows words. */
function pieceOf(el) {
  let text = "";
  for (let node = firstChild(el), steps = 0; node !== null && steps < 100; node = nextSibling(node), steps++) if (nodeType(node) === 3) text += textData(node).slice(0, LONGEST_TEXT);
  text = clean(text);
  const tag = localName(el);
  if (text === "" && !VALUED_TAGS.has(tag)) return "";
  return [tag, attr(el, "role") ?? "", attr(el, "aria-label") ?? attr(el, "placeholder") ?? "", text].join("\u0000");
}

/** Counts the pieces of nodes that went; null if there are too many. */
function countPieces(nodes) {
  const counts = new Map();
  let left = MOST_PIECES;
  for (const node of nodes) {
    const inner = queryAll(node, "*");
    for (let i = -1; i < inner.length; i++) {
      if (left-- <= 0) return null;
      const piece = pieceOf(i < 0 ? node : inner[i]);
      if (piece !== "") counts.set(piece, (counts.get(piece) ?? 0) + 1);
    }
  }
  return counts;
}

/**
 * Returns {parts, same} of an element: `parts`, the outermost parts in it that show what was not there before; `same`:
 * true if it shows anything that was. Takes what it finds from the counts.
 */
function piecesNotBefore(el, before, depth) {
  if (before.size === 0 || depth > 60 || !isShown(el)) return { parts: [el], same: false };
  const piece = pieceOf(el);
  const left = before.get(piece) ?? 0;
  if (left > 0) before.set(piece, left - 1);
  let same = left > 0;
  const parts = piece !== "" && left === 0 ? [el] : [];
  let inner = 0;
  for (let node = firstElementChild(el); node !== null; node = nextElement(node)) {
    if (textContent(node).trim() === "" && !VALUED_TAGS.has(localName(node))) continue;
    const found = piecesNotBefore(node, before, depth + 1);
    same ||= found.same;
    inner += found.parts.length;
    if (!parts.includes(el)) parts.push(...found.parts);
  }
  return { parts: !same && (inner > 0 || piece !== "") ? [el] : parts, same };
}

function openingElements(all) {
  const found = [];
  for (const root of all) {
    const opening = queryAll(root, OPENING);
    for (let i = 0; i < opening.length && found.length < MOST_OPENING; i++) if (isShown(opening[i])) found.push(opening[i]);
  }
  return found;
}

/** Returns the first words of an element: its name, else its text. */
function openingWords(el) {
  const role = roleOf(el);
  const name = nameOf(el, role) || "";
  return cut(clean(name === "" ? (isSecret(el) ? "" : visibleText(el, MOST_WORDS * 2)) : name), MOST_WORDS);
}

/** Returns the element with the focus, also within shadow roots and frames of this process; null for the page itself. */
function innermostFocus() {
  let at = activeElementOf(document);
  for (let depth = 0; at !== null && depth < 20; depth++) {
    const inner = shadowRootOf(at)?.activeElement ?? (innerDocument(at) === null ? null : activeElementOf(innerDocument(at)));
    if (inner === null || inner === undefined) break;
    at = inner;
  }
  return at === null || localName(at) === "body" || localName(at) === "html" ? null : at;
}

const TRACED = words("checked mixed pressed selected expanded collapsed disabled invalid readonly");

/** Returns the states of an element, and the value of a field; `value` is null where it may not be told. */
function tracedStates(el) {
  const role = isTextHolder(el) && !ACTED_ON.has(roleOf(el)) ? "textbox" : roleOf(el);
  const states = statesOf(el, role);
  const own = checkedOf(el);
  if (own !== null && states.checked === undefined && states.pressed === undefined && states.selected === undefined) states.checked = own;
  const on = {};
  for (const name of TRACED) on[name] = states[name] === true;
  const hasValue = states.editable === true || states.options !== undefined || states.value !== undefined;
  return { on, value: states.secret === true || !hasValue ? null : cut(String(states.value ?? ""), MOST_WORDS) };
}

const REDRAWN_CHOICES = words("checkbox radio switch option tab menuitemcheckbox menuitemradio");

/** Returns what became of an element of the action; one that was drawn anew is what has its number now. */
function elementChanges({ eid, el, role, before, text }) {
  const now = isLive(el) || !(REDRAWN_CHOICES.has(role) || allTellThemselves()) ? el : heirOf(eid);
  if (!isLive(now ?? undefined)) return { eid, gone: true };
  const changes = stateChanges(before, tracedStates(now));
  const stays = changes.on.length > 0 || changes.off.length > 0 || (now !== el && !REDRAWN_CHOICES.has(role)) ? null : stateThatStays(now, role);
  return { eid, gone: false, ...changes, stays, keepsText: text !== null && wholeFieldText(now) === text, wentBack: hasGoneBack(now) };
}

/** Returns {on, off, value, before}: names of states that came and went, and the value with the one before. */
function stateChanges(before, now) {
  return {
    on: [...TRACED].filter((name) => now.on[name] && !before.on[name]),
    off: [...TRACED].filter((name) => !now.on[name] && before.on[name]),
    value: now.value, before: before.value,
  };
}
