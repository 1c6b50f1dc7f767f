// Walk over the flat tree: visits every element once, and reads style and box only where needed.

const SKIPPED = words("script style template noscript head meta link title base option optgroup datalist source track param col colgroup " +
  "defs desc metadata symbol clipPath mask pattern marker linearGradient radialGradient filter");
const SELF_CONTAINED = words("input select textarea img svg canvas video audio object embed meter progress");
const MOST_NODES = 120000;
const DEEPEST = 700;

/** Visits a node with the `Context` of its subtree. */
function visit(node, page, ctx, parent, parentSeen) {
  const type = nodeType(node);
  if (type === 3) {
    if (parentSeen && !ctx.mute && ctx.behind === null && !isShut(ctx.clip)) page.addText(textData(node), parent, ctx.clip);
    return;
  }
  if (type !== 1) return;
  if (page.visited++ > MOST_NODES || page.depthOfRecursion > DEEPEST) return;
  page.depthOfRecursion++;
  try {
    visitElement(node, page, ctx);
  } catch {
    // A broken element must not hide the others.
  }
  page.depthOfRecursion--;
}

/** Reports whether a clip leaves nothing of its content: a box of no width or height that cuts off what does not fit. */
const isShut = (clip) => clip !== null && clip.reach === null && (clip.right <= clip.left || clip.bottom <= clip.top);

/** Cursors over elements to click or to drag. */
const POINTERS = words("pointer grab move");

function visitElement(el, page, ctx) {
  const tag = localName(el);
  if (SKIPPED.has(tag)) return;
  if (ctx.behind !== null && isLeftOut(el, tag, page, ctx)) return;
  if (tag === "br" || tag === "hr" || tag === "wbr") return lineBreak(page, tag, el, ctx);
  let style = null;
  let seen = true;
  if (!isShown(el)) {
    style = styleOf(el);
    if (style.display !== "contents" && (style.opacity === "0" || !rawVisible.call(el))) return listTransparentControls(el, tag, page, ctx, style);
    seen = style.visibility === "visible" && style.opacity !== "0";
  }
  style ??= styleOf(el);
  // Text that only a search in the page brings out has a box, but shows nothing.
  if (hasAttr(el, "hidden") && style.contentVisibility === "hidden") return;
  if (tag.includes("-")) {
    suspectCustom(el);
    readInternals(el);
  }
  const display = style.display;
  const inline = (display.startsWith("inline") || display === "contents") && tag !== "text";
  if (!inline) page.flush();
  const inner = innerContext(el, tag, ctx, style, inline);
  if (!inline && page.skips() && firstElementChild(el) !== null && isBelow(el, inner)) return skipBlock(el, tag, page, inner);
  const pointer = POINTERS.has(style.cursor) || isPointedWithin(el, style, inner);
  let role = roleOf(el, tag);
  if (tag === "table") inner.layout = role === "presentation";
  else if (inner.layout && LAID_OUT.has(role) && !hasAttr(el, "role")) role = "";
  if (pointer !== inner.pointer) {
    inner.pointer = pointer;
    if (style.cursor === "grab" && noteCarried(el)) page.again = true;
  }
  if (isMovable(el, tag) && noteCarried(el)) page.again = true;
  if (someDoubled && !inner.doubled && isDoubledHolder(el, tag)) inner.doubled = true;
  if (knowsContextMenus && !inner.menu && holdsMenuItems(el, tag)) inner.menu = true;
  if (someWheeled && inner.scroll === undefined && seen && isWheelBox(el, tag)) noteWheelBox(el, inner);
  const reveals = someRevealing && seen && !ctx.mute && revealsMore(el);
  const at = reveals ? startRevealing(page) : 0;
  if (seen && editorAt(el) !== null) editor(el, tag, page, inner);
  else if (seen && (ACTED_ON.has(role) || isNativeChoice(tag, role))) actor(el, tag, role, page, inner);
  else if (seen && isEditable(el, tag) && !isEditableAbove(el)) actor(el, tag, "textbox", page, inner);
  else if (seen && (isActiveCell(el, role) || isSheetCell(el, tag, role, style.cursor))) actor(el, tag, role, page, inner);
  else if (seen && isClickable(el, tag, pointer, ctx, style.cursor) && !(role === "heading" && holdsControls(el))) clickable(el, tag, role, page, inner);
  else if (seen && knowsContextMenus && !ctx.mute && opensMenu(el, tag)) actor(el, tag, role === "row" ? role : "clickable", page, inner);
  else if (seen && !ctx.mute && (someHovered || tag === "li") && page.hovers < MOST_HOVERED && showsOnHover(el, tag, role)) hoverable(el, tag, role, page, inner);
  else passive(el, tag, role, page, inner, seen);
  if (reveals) endRevealing(el, tag, role, page, inner, at);
  if (inner.cuts && seen) noteCutContent(el, style, page, inner);
  if (!inline) page.flush();
}

function lineBreak(page, tag, el, ctx) {
  if (tag === "br") page.run += page.runEl === null ? "" : " ";
  else if (tag === "hr") page.flush();
}

const isNativeChoice = (tag, role) => tag === "select" && role === "listbox";
const isEditableAbove = (el) => {
  const parent = drawnParent(el);
  return parent !== null && parent.isContentEditable === true;
};

/** Context of an element and its content, made from that of the element around it. */
class Context {
  constructor(from) {
    /** True if the cursor is one of POINTERS; `pointed`: the cursor that content has under the pointer only. */
    this.pointer = from.pointer;
    this.pointed = from.pointed;
    /** True if the text is already the name of another line. */
    this.mute = from.mute;
    /** True if parts of what is muted have lines of their own where they listen themselves; `partsOf`: what they belong to. */
    this.parts = from.parts;
    this.partsOf = from.partsOf;
    /** True if a container around has a context menu for its items, or listens for double clicks (`doubled`). */
    this.menu = from.menu;
    this.doubled = from.doubled;
    /** True if nothing in the subtree can be acted on (inert, aria-hidden). */
    this.off = from.off;
    /** True if it is off for screen readers only (aria-hidden), so that its controls still work. */
    this.ariaHidden = from.ariaHidden;
    /** True in a table that only arranges its content. */
    this.layout = from.layout;
    /** Modal dialog that is open, and the content that it hides, or null (`modal.js`). */
    this.modal = from.modal;
    this.behind = from.behind;
    /** Clip of the content, of the frame's viewport, and of the element itself. */
    this.clip = from.clip;
    this.rootClip = from.rootClip;
    this.ownClip = from.clip;
    // The rest is of the element alone.
    /** True if it is listed because the pointer over it shows more. */
    this.hover = false;
    /** Words of `scroll=` if it scrolls; true if it cuts its content off, or is a pane even while it has nothing to scroll. */
    this.scroll = undefined;
    this.cuts = false;
    this.pane = false;
  }
}

/** Boxes in a line that cut off what does not fit. */
const INLINE_BOXES = /^inline-/;

function innerContext(el, tag, ctx, style, inline) {
  const inner = new Context(ctx);
  if (ctx.behind !== null && (!ctx.behind.kept.has(el) || ctx.behind.free.has(el))) inner.behind = null;
  if (ctx.modal === el) inner.off = inner.ariaHidden = false;
  else if (!ctx.off || ctx.ariaHidden) switchOff(inner, el);
  if (ctx.clip !== ctx.rootClip) {
    const position = style.position;
    if (position === "fixed") inner.clip = ctx.rootClip;
    else if (position === "absolute") inner.clip = clipOfAbsolute(el, ctx);
  }
  inner.ownClip = inner.clip;
  if ((!inline || (firstElementChild(el) !== null && INLINE_BOXES.test(style.display))) && tag !== "body" && tag !== "html") clipInto(inner, el, style);
  return inner;
}

function switchOff(inner, el) {
  const inert = hasAttr(el, "inert");
  if (inert || attr(el, "aria-hidden") === "true") {
    inner.off = true;
    inner.ariaHidden = !inert;
  }
}

/** Returns the clip of an absolute element: only its containing block and the ancestors of that clip it. */
function clipOfAbsolute(el, ctx) {
  const block = offsetParentOf(el);
  let clip = ctx.clip;
  while (clip.el !== null && (block === null || !drawnInside(block, clip.el))) clip = clip.outer;
  return clip;
}

const rawOffsetParent = getter(HTMLElement.prototype, "offsetParent");

function offsetParentOf(el) {
  try {
    return rawOffsetParent(el);
  } catch {
    return drawnParent(el); // not an HTML element
  }
}

/** Minimum scroll range of a reported pane, in CSS pixels; smaller ranges change with every typed letter. */
const LEAST_SCROLL = 24;

function clipInto(inner, el, style) {
  if (style.overflowY === "visible") return;
  const box = rectOf(el);
  const { left, top, right, bottom } = box;
  const beside = roomBeside(el, box, style);
  const room = { ...scrollRoom(el, style), ...beside };
  // Each dialog of HTML may scroll by its style.
  inner.pane = localName(el) !== "dialog" && (SCROLLS.test(style.overflowY) || SCROLLS.test(style.overflowX));
  let reach = /hidden/.test(style.overflowY + style.overflowX) ? reachOfStrip(el, box, style) : null;
  if (reach === null && (style.overflowY === "hidden" || style.overflowY === "clip")) inner.cuts = true;
  if (room.above + room.below + room.left + room.right > 1) {
    if (Math.max(room.above + room.below, room.left + room.right) >= LEAST_SCROLL) inner.scroll = scrollWords(room);
    if (reach === null || beside === null) reach = { left: left - room.left, top: top - room.above, right: right + room.right, bottom: bottom + room.below };
  }
  const hard = style.overflowX === "clip" || style.overflowY === "clip";
  inner.clip = { left, top, right, bottom, reach, outer: inner.ownClip, box, el, hard };
}

function descend(el, tag, page, ctx, seen) {
  if (isSecretRich(el) || ((tag === "i" || tag === "span" || tag.includes("icon")) && isLigature(el, tag))) return;
  if (tag === "slot") return drawnChildren(el, tag, (node) => visit(node, page, ctx, el, seen));
  const shadow = shadowRootOf(el);
  if (shadow !== null) roots.add(shadow);
  if (shadow !== null) applyRules(shadow);
  const draws = someDrawn && seen && !ctx.mute && ctx.behind === null && isDrawnOn(el);
  // Words for a picture may have no box of their own; those beside them have.
  const drawnAt = draws && rectOf(el).width === 0 ? parentElement(el) ?? el : el;
  if (draws) page.addText(drawnWordsBefore(el), drawnAt, ctx.clip);
  const folded = tag === "details" && !hasAttr(el, "open");
  const { length } = page.lines;
  const { run } = page;
  for (let node = firstChild(shadow ?? el); node !== null; node = nextSibling(node)) {
    if (!folded || (nodeType(node) === 1 && localName(node) === "summary")) visit(node, page, ctx, el, seen);
  }
  if (draws) page.addText(drawnWordsAfter(el), drawnAt, ctx.clip);
  if (shadow === null && seen && !ctx.mute && page.lines.length === length && page.run === run && (CAN_BE_HOST.has(tag) || tag.includes("-"))) suspectEmpty(el);
}
