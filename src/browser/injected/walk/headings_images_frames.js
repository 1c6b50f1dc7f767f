// Further kinds of lines: headings, images, labels, transparent controls, frames.

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
  // A heading that consists of one link becomes that link, with the level of the heading.
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
  if (tag !== "svg" ? !SELF_CONTAINED.has(tag) : holdsDrawn(el, ctx)) {
    ctx.mute = ctx.mute || role === "img" && tag !== "svg";
    descend(el, tag, page, ctx, true);
  }
}

/** Handles a label. Its text is the name of its control; a hidden checkbox is listed in the label's place. */
function label(el, tag, page, ctx) {
  const control = labelControl(el);
  if (control === null) return descend(el, tag, page, ctx, true);
  const controlTag = localName(control);
  const type = controlTag === "input" ? inputType(control) : "";
  const choice = type === "checkbox" || type === "radio" || type === "file";
  const shown = isShown(control);
  if (choice && (!shown || placeOf(boxOf(control), null) === NOWHERE) && !ctx.off && lastMet.get(control) !== observationCount) {
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

/**
 * Lists a transparent native control over a custom drawing (checkboxes, file and select overlays), which still works.
 */
function listTransparentControl(el, tag, page, ctx, style) {
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

/** Handles a frame: its content one level deeper, if this script can read it. */
function frame(el, tag, page, ctx, seen) {
  const rect = rectOf(el);
  if (!seen || rect.width < 3 || rect.height < 3) return;
  const place = placeOf(rect, ctx.ownClip);
  if (place === NOWHERE) return;
  const inner = innerDocument(el);
  if (inner !== null && (viewOf(inner)?.innerWidth ?? 0) < 3) return;
  const mark = page.open({ role: "iframe", name: null, el, tag, place, keep: inner === null });
  if (inner === null) page.frames.push(Object.assign(mark.line, { part: partOf(el, rect, ctx.ownClip), off: ctx.off, behind: ctx.behind !== null }));
  else walkDocument(inner, page, el, rect, ctx);
  page.close(mark);
}

function walkDocument(doc, page, frameEl, rect, ctx) {
  const view = viewOf(doc);
  const root = rootElementOf(doc);
  if (view === null || root === null) return;
  roots.add(doc);
  applyRules(doc);
  const whole = { left: 0, top: 0, right: view.innerWidth, bottom: view.innerHeight };
  const seen = frameEl === null ? ownSeen() : overlap(whole, partOf(frameEl, rect, ctx.ownClip));
  const clip = frameClip(doc, seen);
  const off = ctx === null ? shownPart?.off === true : ctx.off;
  const modal = off ? null : topModal(doc);
  const behind = ctx === null && shownPart?.behind === true ? behindAround() : ctx?.behind ?? (off ? null : behindIn(doc, modal, page));
  const inner = {
    pointer: false, mute: false, layout: false, off: modal !== null || off, hushed: false, hover: false, modal, behind,
    clip, rootClip: clip, ownClip: clip,
  };
  visit(root, page, inner, null, false);
}
