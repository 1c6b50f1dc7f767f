// Clickable elements without a role: by their attributes, by a pointer cursor of their own, or by listeners (Chromium
// reports those to Rust, which passes the nodes in, because a script in an isolated world cannot see them).

/** Attributes that frameworks leave on elements with handlers. */
const HINTS = [
  "[onclick]", "[ondblclick]", "[onmousedown]", "[onmouseup]", "[onpointerdown]", "[ng-click]", "[data-ng-click]",
  "[jsaction^='click']", "[jsaction*=';click']", "[phx-click]", "[\\@click]", "[x-on\\:click]",
  "[v-on\\:click]", "[wire\\:click]", "[hx-get]:not([hx-trigger])", "[hx-post]:not([hx-trigger])",
  "[hx-put]:not([hx-trigger])", "[hx-patch]:not([hx-trigger])", "[hx-delete]:not([hx-trigger])",
  "[data-toggle]:not([data-toggle=tooltip])", "[data-bs-toggle]:not([data-bs-toggle=tooltip])", "[draggable=true]", "[ondrop]", "[ondragover]",
].join();

/** Nodes with known press listeners. */
const listening = new WeakSet();
/** Nodes that listen for the beginning of a drag: a press of the mouse, a pointer or a finger. */
const carrying = new WeakSet();
/** Nodes that listen for double clicks. */
const doubled = new WeakSet();
let someDoubled = false;
/** Nodes with key listeners. */
const keyed = new WeakSet();
/** Nodes that listen for presses only for elements within them, as jQuery tells. */
const delegating = new WeakSet();

const ACTION = "[data-action*='->']";
const HINTS_AND_ACTION = `${HINTS},${ACTION}`;

const isHinted = (el) => hasAttributes(el) && matches(el, HINTS_AND_ACTION) && (!matches(el, ACTION) || pressesByAction(el) || matches(el, HINTS));

/** Matches actions of Stimulus for presses of the element itself, not of the document or for events of other kinds. */
const PRESS_ACTION = /(?:^|\s)(?:click|dblclick|auxclick|mousedown|mouseup|pointerdown|pointerup|touchstart|touchend)(?:\.[\w-]+)*->/;

const pressesByAction = (el) => PRESS_ACTION.test(attr(el, "data-action") ?? "");

/**
 * Records nodes with listeners. `kinds` has p for presses, 2 for double clicks, g for those that may begin a drag, d for
 * drops, h for hovering, k for keys, c for the context menu, w for the wheel, t for nothing but touches, m for nothing but
 * the beginning of drags; in further lines the selectors of items with a context menu. Reports whether an observation would
 * differ.
 */
function listens(told, ...nodes) {
  judgedAt = new WeakMap();
  const kinds = told.map((one) => one.split("\n", 1)[0]);
  nodes.forEach((el, i) => {
    if (nodeType(el) === 1 || nodeType(el) === 9) noteHandlers(el, kinds[i]);
    if (told[i] !== kinds[i]) noteMenuSelectors(el, told[i].split("\n").slice(1));
  });
  return noteSelectedMenus() || nodes.some((el, i) => (nodeType(el) === 1 ? isConnected(el) && addsToObservation(el, localName(el), kinds[i]) : addsToDocument(el, kinds[i])));
}

function noteHandlers(el, letters) {
  if (nodeType(el) === 1 && isDispatcher(el, letters)) {
    dispatching.add(el);
    letters = letters.replace(/[2c]/g, "");
  }
  if (letters.includes("2")) someDoubled = doubled.add(el) !== null;
  if (letters.includes("g") && (nodeType(el) === 9 || el === bodyOf(ownerDocument(el)) || el === rootElementOf(ownerDocument(el)))) someFarDrags = true;
  if (nodeType(el) !== 1) return void (letters.includes("p") && listening.add(el));
  if (letters.includes("o")) delegating.add(el);
  if (letters.includes("p")) {
    if (namespaceOf(el) === SVG && !listening.has(el)) noteDrawing(el);
    listening.add(el);
  }
  if (letters.includes("g")) carrying.add(el);
  if (letters.includes("d")) someDrops = dropping.add(el) !== null;
  if (letters.includes("h")) someHovered = hovered.add(el) !== null;
  if (letters.includes("H")) someHovered = itemsHovered.add(el) !== null;
  if (letters.includes("k")) keyed.add(el);
  if (letters.includes("t")) noteTouchOnly(el);
  if (letters.includes("m")) noteMovable(el);
  if (letters.includes("w")) someWheeled = wheeled.add(el) !== null;
  if (letters.includes("c")) knowsContextMenus = contextMenuNodes.add(el) !== null;
}

/** Reads the handlers in a document that frameworks delegate to a distant ancestor (`internals_report.js`). */
function readHandlers(doc) {
  const hear = (event) => {
    if (nodeType(event.target) === 1 && typeof event.detail === "string") noteHandlers(event.target, event.detail);
  };
  listenOn(doc, `${INTERNALS}.`, hear, true);
  dispatchTo(doc, new CustomEvent(INTERNALS));
  unlistenOn(doc, `${INTERNALS}.`, hear, true);
}

/** Reports whether an observation would show more with this listener of a document known. */
const addsToDocument = (doc, kind) => (kind.includes("p") && query(rootElementOf(doc), SHEETS) !== null) || (kind.includes("g") && holdsMovedFromFar(doc));

/** Reports whether an observation would show more with this listener known. */
function addsToObservation(el, tag, kind) {
  if (kind.includes("2") && isDoubledHolder(el, tag) && isShown(el)) return true;
  if (kind.includes("c") && (opensMenu(el, tag) || holdsMenuItems(el, tag))) return isShown(el);
  if (kind.includes("w") && isWheelBox(el, tag)) return isShown(el);
  if (kind.includes("m") && eidByNode.get(el) === undefined && isMovable(el, tag)) return isShown(el);
  if (kind.includes("p") && tag !== "body" && tag !== "html" && firstElementChild(el) !== null && markStatedParts(el).some((part) => eidByNode.get(part) === undefined)) return true;
  const pointer = hasPointer(el);
  const listensForItems = kind.includes("p") && (LISTENS_FOR_ITEMS.has(tag) || (pointer && PRESSED_BY_POINTER.has(tag)) || isListener(el, tag));
  if (listensForItems && setKind(el, pointer) === SET) return containsUnlistedItem(el);
  if (kind.includes("p") && attr(el, "role") === "listbox" && lastRoleAndName.get(el)?.role !== "combobox" && isShutList(el)) return isShown(el);
  if (kind.includes("p") && roleOf(el, tag) === "heading") return eidByNode.get(el) === undefined && isShown(el);
  if (eidByNode.get(el) !== undefined) return false;
  const role = roleOf(el, tag);
  if (kind.includes("d") && isDropPlace(el, tag, role)) return isShown(el);
  if (kind.includes("h") && showsOnHover(el, tag, role)) return !isShownAsOther(el);
  return isListener(el, tag) && !isShownAsOther(el);
}

/** Reports whether an element contains items that no observation has listed. */
const containsUnlistedItem = (el) => isShown(el) && Array.prototype.some.call(queryAll(el, "*"), (one) => isItem(one) && eidByNode.get(one) === undefined);

/** Reports whether an element is hidden, or belongs to a listed element that does not list it separately. */
function isShownAsOther(el) {
  for (let node = el, steps = 0; node !== null && steps < 60; node = drawnParent(node), steps++) {
    if (ACTED_ON.has(roleOf(node))) return node === el || !isShown(el) || !reactsApart(el, node);
  }
  return !isShown(elementWithBox(el)) && !isUnseenWire(el);
}

const NEVER_CLICKABLE = words("body html main form label iframe nav table tbody thead ul ol dialog slot");
/** Reports whether a label names nothing, by itself or by references, and so is text like any other. */
const isLooseLabel = (el, tag) => tag === "label" && el.control === null && !hasAttr(el, "for") && !hasAttr(el, "id");

const neverClicked = (el, tag) => NEVER_CLICKABLE.has(tag) && !isLooseLabel(el, tag);

/** Tags of containers that listen for their items, not for themselves. */
const LISTENS_FOR_ITEMS = words("ul ol table tbody menu section nav header footer");
/** Tags of those that do so only if they have a pointer cursor: all presses of a page may come by them. */
const PRESSED_BY_POINTER = words("main form");
const LARGEST_LISTENER = 0.4;

/**
 * Reports whether an element without a role is clickable: by an attribute, a listener, or a pointer cursor that is
 * not inherited.
 */
function isClickable(el, tag, pointer, ctx, cursor) {
  if (isResizeHandle(el, cursor) || (!ctx.mute && isDivider(el, cursor))) return true;
  if (isGrip(el, cursor)) return !ctx.mute || isGripIn(el, cursor, ctx.partsOf);
  if (ctx.doubled && !ctx.mute && isDoubledPart(el, tag)) return true;
  if (tag === "body" || tag === "html" || tag === "iframe" || (tag === "label" && !(isLooseLabel(el, tag) && listening.has(el)))) return false;
  if (firstElementChild(el) !== null && listening.has(el) && !ctx.mute) markStatedParts(el);
  if (tag.includes("-") && standsForInner(el)) return false;
  if (firstElementChild(el) === null && isWideShade(el)) return false;
  const isMark = pointer && hasAttr(el, "class") && firstChild(el) === null;
  if ((isMark || (pointer && hasAttr(el, "class") && isRemovalSign(el))) && isDrawnRemoval(el, ctx)) return true;
  if (ctx.mute && isPartOfButton(el, ctx.partsOf)) return false;
  if (isMark && isDrawnStep(el, ctx)) return true;
  if (tag === "td" && isBlankDay(el)) return false;
  if (isHinted(el)) return !hasAttr(el, "onclick") || setKind(el, pointer) !== SET;
  if (ctx.mute && (!ctx.parts || saysTheSame(el, ctx.partsOf))) return false;
  if (ctx.mute && DRAWN_SHAPES.has(tag) && ctx.partsOf !== null && !reactsApart(el, ctx.partsOf)) return false;
  if (pointer && !ctx.mute && isPoppedItem(el, tag)) return true;
  if (isItem(el) || isFileZone(el) || isMovable(el, tag) || (!ctx.mute && isMovedFromFar(el, tag))) return true;
  if (isListener(el, tag)) return setKind(el, pointer) !== SET && (reactsBesideControl(el) || !drawsField(el)) && !holdsJustControl(el, tag) && (pointer || !holdsControls(el) || isCardOfMany(el) || reactsBesideControl(el));
  if (listening.has(el) && LISTENS_FOR_ITEMS.has(tag)) setKind(el, pointer);
  return (pointer && !ctx.pointer && (!containsOwnControl(el) || isMovedWithField(el, cursor)) && !isTrack(el) && setKind(el, pointer) !== SET) || isFocusShape(el, tag) || isFocusItem(el, tag) || (!ctx.mute && isPressedWire(el, tag));
}

/** Reports whether an element is one of several items that take the focus by themselves, for which far handlers act. */
function isFocusItem(el, tag) {
  if ((tag !== "li" && tag !== "div") || !hasAttr(el, "tabindex") || hasAttr(el, "role") || Number(attr(el, "tabindex")) < 0) return false;
  // A text that becomes a field once it has the focus.
  const isEdited = styleOf(el).cursor === "text";
  if (!isEdited && ![previousElement(el), nextElement(el)].some((other) => other !== null && hasAttr(other, "tabindex") && isAlike(other, el))) return false;
  return !holdsControls(el) && contentName(el) !== "" && scrollHeightOf(el) - clientHeightOf(el) <= 1;
}

/** Reports whether an element is all or most of what a button or link shows, which alone is pressed. */
function isPartOfButton(el, owner) {
  if (owner === null || owner === undefined || !/^(?:button|a)$/.test(localName(owner))) return false;
  return contentName(el) === contentName(owner) || !reactsApart(el, owner);
}

/** Reports whether an element stands for the hidden file field in it, by its listener or by that of a framework far above. */
function isFileZone(el) {
  if (!hasAttr(el, "tabindex") && !listening.has(el)) return false;
  const field = query(el, ":scope > input[type=file]");
  return field !== null && (hasAttr(el, "tabindex") || (!isShown(field) && queryAll(el, CONTROLS).length === 1));
}

/**
 * Reports whether an element listens for presses on itself. Large elements listen for their content, or to close
 * something.
 */
function isListener(el, tag) {
  if (neverClicked(el, tag)) return false;
  const isListening = (listening.has(el) && !delegating.has(el)) || resemblesListener(el) || (dropping.has(el) && !holdsCarried(el));
  if (!isListening) return keyed.has(el) && hasAttr(el, "tabindex") && scrollHeightOf(el) - clientHeightOf(el) <= 1;
  const { width, height } = rectOf(el);
  if (width * height >= innerWidth * innerHeight * LARGEST_LISTENER && wireOf(el, tag) === null) return false;
  if (tag !== "tr" && query(el, ROWS) !== null) return false;
  if (contentName(el) === "" && (IDLE_CLASSES.test(attr(el, "class") ?? "") || styleOf(el).cursor.endsWith("resize") || (holdsFoldedOnly(el) && !isEmptyCell(el)))) return false;
  return !DRAWN_SHAPES.has(tag) || (!isMover(el) && (isWire(el, tag) || !isBackdrop(el, width * height)));
}

const MOST_FOLDED = 12;

/** Reports whether an element draws no box and holds nothing but what is switched off: the head of a group that cannot be opened. */
function holdsFoldedOnly(el) {
  if (firstElementChild(el) === null || namespaceOf(el) === SVG || isDrawnBox(styleOf(el)) || styleOf(el).backgroundImage !== "none") return false;
  const parts = queryAll(el, "*");
  const isSeen = (part) => isShown(part) && rectOf(part).width > 0 && rectOf(part).height > 0;
  return parts.length <= MOST_FOLDED && !Array.prototype.some.call(parts, isSeen) && getComputedStyle(el, "::before").content === "none" && getComputedStyle(el, "::after").content === "none";
}

/** Rows of tables and grids, whose container listens for them. */
const ROWS = "tr,[role=row],[role=gridcell]";

/** Reports whether an element shows all words of the thing that it is a part of. */
const saysTheSame = (el, owner) => owner !== null && owner !== undefined && contentName(el) !== "" && contentName(el) === contentName(owner);

/** Matches classes of layers that only catch presses beside what is open. */
const SHADES = /backdrop|overlay|shade\b|scrim|curtain/i;
/** Classes of wordless listeners that planners rarely need: backdrops and column resize handles. */
const IDLE_CLASSES = new RegExp(`${SHADES.source}|resiz`, "i");

const LEAST_WIDE_SHADE = 0.3;

/** Reports whether an element without content is a layer over much of the window that closes what is open. */
function isWideShade(el) {
  if (!SHADES.test(attr(el, "class") ?? "") || firstChild(el) !== null) return false;
  const { width, height } = rectOf(el);
  return width * height >= innerWidth * innerHeight * LEAST_WIDE_SHADE;
}

const holdsControls = (el) => firstElementChild(el) !== null && (query(el, CONTROLS) !== null || contentName(el).length > LONGEST_CLICKABLE);

const FILLED_FIELDS = "input:not([type=checkbox],[type=radio],[type=file],[type=hidden]),select,textarea,[contenteditable=true],[role=combobox],[role=slider]";
const LONGEST_SCALE = 30;

/** Reports whether an element that listens draws the one field that fills it, or is the track of a slider. */
function drawsField(el) {
  const field = firstElementChild(el) === null ? null : query(el, FILLED_FIELDS);
  if (field === null || isClippedByHolder(field)) return false;
  if (matches(field, SLIDERS)) return contentName(el).length < LONGEST_SCALE;
  if (queryAll(el, `${FIELD_OR_CONTROL},[contenteditable=true]`).length !== 1) return false;
  if (explicitRole(field) === "combobox" && isShown(field) && placeOf(rectOf(field), null) !== NOWHERE && !isBeyondReach(field, rectOf(field))) return true;
  const part = overlap(rectOf(field), rectOf(el));
  const { width, height } = rectOf(el);
  return part.right > part.left && part.bottom > part.top && (part.right - part.left) * (part.bottom - part.top) >= width * height * MOST_OF_IT;
}

/** Reports whether an element is a card beside others, whose controls have listeners of their own, so that its is not theirs. */
function isCardOfMany(el) {
  if (!isOneOfMany(el)) return false;
  const controls = queryAll(el, CONTROLS);
  return controls.length <= 5 && Array.prototype.every.call(controls, (one) => localName(one) === "a" || listening.has(one) || isHinted(one));
}

/** Reports whether a pointer cursor belongs to a link, a label or a single control within the element. */
function containsOwnControl(el) {
  if (firstElementChild(el) === null) return false;
  const controls = queryAll(el, "a[href],button,input,select,textarea,label,[role=button],[role=link],[role=option],[role=menuitem],[role=tab]");
  const inner = Array.prototype.filter.call(controls, (one) => localName(one) !== "input" || styleOf(one).pointerEvents !== "none");
  return inner.length === 1 || Array.prototype.some.call(inner, (one) => localName(one) === "a" || localName(one) === "label");
}

function clickable(el, tag, role, page, ctx) {
  if (wireOf(el, tag) !== null) return wire(el, tag, page, ctx);
  // The drawing of a field reacts in its place.
  if (childElementCount(el) === 0 && drawsOtherThan(el)) return passive(el, tag, role, page, ctx, true);
  if (SELF_CONTAINED.has(tag) && tag !== "img" && tag !== "svg" && tag !== "canvas") return passive(el, tag, role, page, ctx, true);
  if (tag === "svg" && (holdsDrawnActors(el) || isMoved(el))) return passive(el, tag, role, page, ctx, true);
  const box = boxDrawnBy(el);
  if (box !== null) return drawnBox(el, tag, box, page, ctx);
  if (isItemBox(el)) return actor(el, tag, "checkbox", page, ctx);
  if (PRESSED_HOLDERS.has(role) && reactsItself(el)) return actor(el, tag, role, page, ctx);
  if (HOLDERS.has(role) && !ITEMS.has(role) && !CELLS.has(role)) return passive(el, tag, role, page, ctx, true);
  actor(el, tag, KEPT_ROLES.has(role) ? role : "clickable", page, ctx);
}

/** Roles that an element keeps when it reacts to presses; a clickable list item says more than its role. */
const KEPT_ROLES = words("heading row");
/** Roles of containers that may react to presses as a whole; others listen for what they contain. */
const PRESSED_HOLDERS = words("alert status figure banner contentinfo complementary");

const NATIVE_BOXES = "input[type=checkbox],input[type=radio]";

/** Returns the rows or items of a container that listens for them, each of which has a box that lets presses through; or null. */
function rowsWithSilentBoxes(el) {
  const first = query(el, NATIVE_BOXES);
  if (first === null) return null;
  const rows = Array.prototype.slice.call(queryAll(el, "tr,[role=row],li"), 0, MOST_ITEMS).filter((row) => query(row, "th,[role=columnheader]") === null && contentName(row) !== "");
  const isSilent = (row) => Array.prototype.some.call(queryAll(row, NATIVE_BOXES), (box) => styleOf(box).pointerEvents === "none");
  return rows.length > 0 && rows.every(isSilent) ? rows : null;
}
