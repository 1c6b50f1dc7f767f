// The kinds of lines that the walk meets: things to act on, headings, pictures, labels, frames.

/** A thing to act on: offered only if it can be seen, reached and is not covered. */
function actor(el, tag, role, page, ctx) {
  if (ctx.off) return descend(el, tag, page, ctx, true);
  const fresh = isNew(el);
  const place = placeActor(el, ctx);
  if (place === NOWHERE || place === COVERED) {
    if (place === COVERED) ctx.mute = true;
    if (!SELF_CONTAINED.has(tag)) descend(el, tag, page, ctx, true);
    return;
  }
  const line = { role, name: null, el, tag, kind: ACTOR, place: place === DEAD ? IN_VIEW : place, isNew: fresh };
  if (place === DEAD) line.dead = true;
  if (ctx.scroll !== undefined) line.scroll = ctx.scroll;
  const wide = role === "clickable" ? briefName(el) : null;
  if (wide !== null) line.name = wide;
  const mark = page.open(line);
  if (mark === null) return;
  if (!SELF_CONTAINED.has(tag) && !isEditable(el, tag) && (childElementCount(el) > 0 || shadowRootOf(el) !== null || wide !== null)) {
    if (wide === null) ctx.mute = true;
    descend(el, tag, page, ctx, true);
  }
  page.close(mark);
}

const COVERED = 7;
/** Seen, but clicks go through it (pointer-events: none). */
const DEAD = 6;

/** Place of something to act on, COVERED or DEAD included. */
function placeActor(el, ctx) {
  const rect = boxOf(el);
  const place = placeOf(rect, ctx.ownClip);
  if (place !== IN_VIEW) return place;
  const part = seenPart(rect, ctx.ownClip);
  if (part === null) return place;
  const { ok, met } = hitPoint(el, part, 4);
  if (ok) return place;
  return met !== null && styleOf(el).pointerEvents === "none" && drawnInside(el, met) ? DEAD : COVERED;
}

/** A clickable that holds much is called by its heading or its first words, and its content gets lines. */
function briefName(el) {
  const text = contentName(el);
  if (text.length <= LONGEST_CLICKABLE && (firstElementChild(el) === null || query(el, CONTROLS) === null)) return null;
  const said = attr(el, "aria-label") || attr(el, "title");
  if (said) return cleanName(said);
  const title = query(el, "h1,h2,h3,h4,h5,h6,[role=heading]");
  return cut((title && contentName(title)) || text, 80);
}

const LONGEST_CLICKABLE = 120;
const CONTROLS = "a[href],button,input,select,textarea,[role=button],[role=link],[role=checkbox]";

/** Clickable without a role: it says so itself (onclick, a pointer that is not inherited). */
function isClickable(el, tag, pointer, ctx) {
  if (tag === "body" || tag === "html" || tag === "label" || tag === "iframe") return false;
  const said = hasAttr(el, "onclick") || hasAttr(el, "ng-click") || hasAttr(el, "jsaction");
  if (!said && (!pointer || ctx.pointer)) return false;
  if (ctx.mute && !said) return false;
  return said ? true : !holdsWhatItDoes(el);
}

/** A pointer around a link, a label or a single control is that control's pointer. */
function holdsWhatItDoes(el) {
  if (firstElementChild(el) === null) return false;
  const inner = queryAll(el, "a[href],button,input,select,textarea,label,[role=button],[role=link],[role=option],[role=menuitem],[role=tab]");
  return inner.length === 1 || Array.prototype.some.call(inner, (one) => localName(one) === "a" || localName(one) === "label");
}

function clickable(el, tag, role, page, ctx) {
  if (SELF_CONTAINED.has(tag) && tag !== "img" && tag !== "svg" && tag !== "canvas") return passive(el, tag, role, page, ctx, true);
  if (HOLDERS.has(role) && !ITEMS.has(role) && !CELLS.has(role)) return passive(el, tag, role, page, ctx, true);
  actor(el, tag, "clickable", page, ctx);
}

function heading(el, tag, page, ctx, seen) {
  if (!seen || ctx.mute) return descend(el, tag, page, ctx, seen);
  const place = placeOf(boxOf(el), ctx.ownClip);
  if (place === NOWHERE) return descend(el, tag, page, ctx, seen);
  const line = { role: "heading", name: null, el, tag, kind: SHOWN, place };
  const mark = page.open(line);
  if (mark === null) return;
  const at = page.lines.length;
  if (childElementCount(el) > 0) {
    ctx.mute = true;
    descend(el, tag, page, ctx, seen);
  }
  page.close(mark);
  // A heading that is nothing but a link is that link, with the heading's level.
  const only = page.lines[at];
  if (page.lines.length === at + 1 && only.kind === ACTOR && nameOf(only.el, only.role, only.tag) === nameOf(el, "heading", tag)) {
    only.level = headingLevel(el, tag);
    only.depth--;
    only.parent = line.parent;
    page.lines.splice(at - 1, 1);
  }
}

function picture(el, tag, role, page, ctx) {
  if (!ctx.mute && nameOf(el, role, tag) !== "") {
    const place = placeOf(boxOf(el), ctx.ownClip);
    page.flush();
    if (place !== NOWHERE) page.push({ role, name: null, el, tag, kind: SHOWN, place });
  }
  if (tag !== "svg" ? !SELF_CONTAINED.has(tag) : query(el, "a,text,[onclick],[role=button]") !== null) {
    ctx.mute = ctx.mute || role === "img" && tag !== "svg";
    descend(el, tag, page, ctx, true);
  }
}

/** A label's text is the name of its control, which says it; a hidden checkbox is offered in its label's place. */
function label(el, tag, page, ctx) {
  const control = labelControl(el);
  if (control === null) return descend(el, tag, page, ctx, true);
  const controlTag = localName(control);
  const type = controlTag === "input" ? inputType(control) : "";
  const choice = type === "checkbox" || type === "radio" || type === "file";
  const shown = isShown(control);
  if (choice && (!shown || placeOf(boxOf(control), null) === NOWHERE) && !ctx.off && lastMet.get(control) !== lookCount) {
    const place = placeActor(el, ctx);
    const fresh = isNew(control);
    if (place !== NOWHERE && place !== COVERED) {
      page.flush();
      page.push({ role: roleOf(control, controlTag), name: null, el: control, tag: controlTag, kind: ACTOR, place: place === DEAD ? IN_VIEW : place, isNew: fresh });
    }
  } else if (!shown && type !== "hidden") return descend(el, tag, page, ctx, true);
  if (!hasAttr(control, "aria-label") && !hasAttr(control, "aria-labelledby")) ctx.mute = true;
  descend(el, tag, page, ctx, true);
}

/** A transparent native control laid over its own drawing (checkboxes, file and select overlays) still works. */
function standIn(el, tag, page, ctx, style) {
  if (ctx.off || style.display === "none" || style.visibility !== "visible" || style.opacity !== "0") return;
  const type = tag === "input" ? inputType(el) : "";
  if (tag !== "select" && type !== "checkbox" && type !== "radio" && type !== "file") return;
  const parent = drawnParent(el);
  if (parent === null || !isShown(parent) || el.labels?.length > 0) return;
  if (childElementCount(parent) < 2 && contentName(parent) === "") return;
  const inner = { ...ctx, ownClip: ctx.clip };
  const place = placeActor(el, inner);
  if (place === NOWHERE || place === COVERED) return;
  page.flush();
  page.push({ role: roleOf(el, tag), name: null, el, tag, kind: ACTOR, place: place === DEAD ? IN_VIEW : place, isNew: isNew(el) });
}

/** A frame: its content one level deeper, if we may read it. */
function frame(el, tag, page, ctx, seen) {
  const rect = rectOf(el);
  if (!seen || rect.width < 3 || rect.height < 3) return;
  const place = placeOf(rect, ctx.ownClip);
  if (place === NOWHERE) return;
  const inner = innerDocument(el);
  if (inner !== null && (viewOf(inner)?.innerWidth ?? 0) < 3) return;
  const mark = page.open({ role: "iframe", name: null, el, tag, place, keep: inner === null });
  if (inner === null) page.frames.push(mark.line);
  else walkDocument(inner, page, el, rect, ctx);
  page.close(mark);
}

function walkDocument(doc, page, frameEl, rect, ctx) {
  const view = viewOf(doc);
  const root = rootElementOf(doc);
  if (view === null || root === null) return;
  roots.add(doc);
  let seen = { left: 0, top: 0, right: view.innerWidth, bottom: view.innerHeight };
  if (frameEl !== null) {
    const at = frameOrigin(frameEl);
    const outer = seenPart(rect, ctx.ownClip) ?? { left: 0, top: 0, right: 0, bottom: 0 };
    const under = { left: outer.left - at.x, top: outer.top - at.y, right: outer.right - at.x, bottom: outer.bottom - at.y };
    seen = {
      left: Math.max(seen.left, under.left), top: Math.max(seen.top, under.top),
      right: Math.min(seen.right, under.right), bottom: Math.min(seen.bottom, under.bottom),
    };
  }
  const clip = frameClip(doc, seen);
  const modal = topModal(doc);
  const inner = {
    pointer: false, mute: false, off: modal !== null || (ctx?.off ?? false), modal,
    clip, rootClip: clip, ownClip: clip,
  };
  visit(root, page, inner, null, false);
}
