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

/** Roles of what shows a measure, which its value says without a name. */
const MEASURES = words("progressbar meter");

function picture(el, tag, role, page, ctx) {
  if (!ctx.mute && (MEASURES.has(role) || nameOf(el, role, tag) !== "")) {
    const place = placeOf(boxOf(el), ctx.ownClip);
    page.flush();
    if (place !== NOWHERE) page.push({ role, name: null, el, tag, kind: SHOWN, place });
  }
  if (tag !== "svg" ? !SELF_CONTAINED.has(tag) : holdsDrawn(el, ctx)) {
    ctx.mute = ctx.mute || role === "img" && tag !== "svg";
    descend(el, tag, page, ctx, true);
  }
}

/** Elements that a label may name and that take nothing. */
const MEASURING_TAGS = words("progress meter output");

/** Number of the walk that listed a control. */
const offeredAt = new WeakMap();

/** Handles a label. Its text is the name of its control; a hidden checkbox is listed in the label's place. */
function label(el, tag, page, ctx) {
  const control = labelControl(el);
  const controlTag = control === null ? "" : localName(control);
  // The words of one that only shows something stand beside it.
  if (control === null || MEASURING_TAGS.has(controlTag)) return descend(el, tag, page, ctx, true);
  const type = controlTag === "input" ? inputType(control) : "";
  const shown = isShown(control);
  const role = roleOf(control, controlTag);
  const stands = !ctx.off && (!shown || isHiddenList(control)) && isDrawnByLabel(el, control, role);
  const choice = stands || type === "checkbox" || type === "radio" || type === "file";
  const isOffered = () => offeredAt.get(control) === walkCount;
  const offer = () => {
    const place = placeActor(el, ctx);
    const fresh = isNew(control);
    const covered = place === COVERED && isStillThere(control, role, controlTag, ctx) && !page.lines.some((line) => line.el === control);
    if (place === NOWHERE || (place === COVERED && !covered) || (place === DEAD && SWITCHES.has(role) && noteSilentBox(el, control))) return;
    offeredAt.set(control, walkCount);
    page.flush();
    page.push({ role, name: null, drawnValue: stands && role === "combobox" ? choiceInLabel(el, control) : "", el: control, tag: controlTag, kind: ACTOR, place: place === DEAD || covered ? IN_VIEW : place, covered, isNew: fresh });
  };
  const isMissed = () => metInWalk.get(control) === walkCount || !shown || placeOf(boxOf(control), ctx.ownClip) === NOWHERE;
  const byLabel = !choice && !ctx.off && !isOffered() && isShownByLabelOnly(control, controlTag, type, shown);
  // The words for a list that stands far beyond the page, and is drawn anew, are text.
  if (!byLabel && controlTag === "select" && shown && !isOffered() && isBeyondReach(control, rectOf(control))) return descend(el, tag, page, ctx, true);
  const isTaken = byLabel || (choice && !ctx.off && !isOffered() && isMissed());
  if (isTaken) offer();
  if ((byLabel || !isTaken) && !shown && type !== "hidden" && !isOffered()) return descend(el, tag, page, ctx, true);
  if (stands || (!hasAttr(control, "aria-label") && !hasAttr(control, "aria-labelledby"))) ctx.mute = true;
  const { off } = ctx;
  descend(el, tag, page, ctx, true);
  // A control that a part of the label clips away was met there, and not listed.
  if (choice && !off && !isOffered() && metInWalk.get(control) === walkCount) offer();
}

const NOT_FILLED = words("hidden button submit reset image");

/** Reports whether a field, to which no press can come, is used by its label: it lies beyond the page, or is transparent and tiny or lets presses through. Nothing drawn stands for it. */
function isShownByLabelOnly(control, tag, type, shown) {
  if (!FILLED_TAGS.has(tag) || NOT_FILLED.has(type) || Number(attr(control, "tabindex") ?? 0) < 0) return false;
  if (shown ? !isBeyondReach(control, rectOf(control)) : !isTransparentAndUnmet(control)) return false;
  return closest(control, "[aria-hidden=true],[inert]") === null && ![previousElement(control), nextElement(control)].some(isDrawnField);
}

/** Reports whether a field is transparent itself, and lets presses through or is too small for them. */
function isTransparentAndUnmet(control) {
  const { opacity, visibility, pointerEvents, clip } = styleOf(control);
  if (opacity !== "0" || visibility !== "visible" || !rawVisible.call(control)) return false;
  const { width, height } = rectOf(control);
  return pointerEvents === "none" || Math.min(width, height) <= LARGEST_HIDDEN_FIELD || clip.startsWith("rect(");
}

const FILLED_TAGS = words("input select textarea");

/** Reports whether an element beside a hidden field takes presses or the focus, as a drawn field does. */
const isDrawnField = (one) => one !== null && localName(one) !== "label" && isShown(one) && (listening.has(one) || hasPointer(one) || matches(one, `${ANY_ACTED},[tabindex],[role]`));

const SWITCHES = words("switch checkbox radio");

/** Reports whether a hidden control is a switch, or a list without text of its own within its label, which draws and opens it. */
const isDrawnByLabel = (label, control, role) =>
  localName(control) === "button" ? SWITCHES.has(role) : role === "combobox" && localName(control) === "input" && hasAttr(control, "readonly") && contains(label, control);

/** Returns the words that a label draws beside the name of its list: the choice. */
function choiceInLabel(label, control) {
  const [words, name] = [contentName(label), nameOf(control, "combobox")];
  return cleanValue(words.startsWith(name) ? words.slice(name.length).trim() : words === name ? "" : words);
}

/** Returns the hidden native box just before an element that draws it, which no label speaks for; else null. */
function boxDrawnBy(el) {
  const before = previousElement(el);
  if (before === null || localName(el) === "label" || !isNativeBox(before) || labelElementsOf(before).length > 0) return null;
  // A transparent one over its drawing takes the presses itself.
  if (rawVisible.call(before, { visibilityProperty: true }) && rectOf(before).width > 1 && !isBeyondReach(before, rectOf(before))) return null;
  return query(el, FIELD_OR_CONTROL) === null && contentName(el).length <= LONGEST_BESIDE && rectOf(el).height <= ONE_ROW ? before : null;
}

const CALLED_SWITCH = /switch|toggle/i;

/** Lists the drawing of a hidden native box, which tells its state. */
function drawnBox(el, tag, box, page, ctx) {
  silentBoxes.set(el, box);
  actor(el, tag, CALLED_SWITCH.test(attr(el, "class") ?? "") ? "switch" : roleOf(box), page, ctx);
}

/** Returns the words that a drawn box is called by where it shows none, or only those of its state; "" for other elements. */
function nameOfDrawnBox(el, role) {
  const box = SWITCHES.has(role) ? silentBoxOf(el) : null;
  if (box === null || previousElement(el) !== box) return "";
  // The mark before the words is the state.
  const own = role === "switch" ? "" : contentName(el).replace(/^[^\p{L}\p{N}\s]\ufe0f?\s+/u, "");
  if (own !== "" && !isSymbol(own)) return own;
  const beside = labelBefore(el) || textBesideDrawn(el) || textNextTo(el, box);
  return beside || contentName(el) || attr(box, "title")?.trim() || labelledBy(box) || attr(box, "aria-label")?.trim() || keepGuess(el, nameInIds(box));
}

const TRANSPARENT = "input:not([type=hidden]),select,textarea,button,a[href],[contenteditable],[role=button],[role=link],[role=checkbox],[role=radio],[role=switch],[role=combobox],[role=slider],[role=textbox],[role=tab],[role=option]";
const MOST_IN_WRAPPER = 3;

/** Lists transparent controls over a custom drawing, which still work: the element itself, or those in a wrapper. */
function listTransparentControls(el, tag, page, ctx, style) {
  if (ctx.off || style.display === "none" || style.visibility !== "visible" || style.opacity !== "0" || style.pointerEvents === "none" || hasAttr(el, "inert")) return;
  if (isUnseenWire(el)) return wire(el, tag, page, ctx);
  if (matches(el, TRANSPARENT)) return listTransparentControl(el, tag, page, ctx);
  const inner = drawnControlsIn(el);
  if (inner.length === 0 || inner.length > MOST_IN_WRAPPER) return;
  // A wrapper that is folded away cuts off what it holds.
  const within = new Context(ctx);
  within.ownClip = within.clip;
  clipInto(within, el, style);
  for (const control of inner) if (rawVisible.call(control, { visibilityProperty: true })) listTransparentControl(control, localName(control), page, within);
}

/** Returns the controls within a wrapper, also those in its slots and shadow roots; at most one more than are listed. */
function drawnControlsIn(el) {
  const found = [];
  let left = 60;
  const search = (holder) => drawnChildren(holder, localName(holder), (node) => {
    if (nodeType(node) !== 1 || left-- <= 0 || found.length > MOST_IN_WRAPPER) return;
    if (hasAttr(node, "inert")) return;
    if (matches(node, TRANSPARENT)) found.push(node);
    else search(node);
  });
  search(el);
  return found;
}

const AFTER_COLON = /^[^:]{1,40}:\s+(\S.*)$/;

const LARGEST_SPECK = 2;

/** Reports whether a list is a mere speck beside the drawn list that takes its place, which has a line of its own. */
function isDrawnBeside(list) {
  const { width, height } = rectOf(list);
  if (Math.min(width, height) > LARGEST_SPECK) return false;
  return [previousElement(list), nextElement(list)].some((one) => one !== null && isShown(one) && nativeBehind(one, roleOf(one) || "clickable") === list);
}

function listTransparentControl(el, tag, page, ctx) {
  if (metInWalk.get(el) === walkCount) return;
  if (tag === "select" && isDrawnBeside(el)) return;
  const type = tag === "input" ? inputType(el) : "";
  const choice = type === "checkbox" || type === "radio" || type === "file";
  // A label that is a link throughout, or lets presses through, leaves no place to press but the control.
  if (choice && labelElementsOf(el).some((one) => isShown(one) && rectOf(one).height > 1 && !isFilledByControls(one) && styleOf(one).pointerEvents !== "none")) return;
  const drawn = drawingOf(el);
  if (drawn === null) return;
  const loose = shownOnHover.get(el) === observationCount || boxesOfField(el) !== null || (choice || tag === "select") && (childElementCount(drawn) >= 2 || contentName(drawn) !== "");
  if (!loose && !liesOver(el, drawn)) return;
  const inner = { ...ctx, ownClip: ctx.clip };
  const place = placeActor(el, inner);
  const role = roleOf(el, tag);
  // A label has its own line for the control.
  const covered = place === COVERED && labelElementsOf(el).length === 0 && isStillThere(el, role, tag, ctx);
  if (place === NOWHERE || (place === COVERED && !covered)) return;
  page.flush();
  const name = nameOf(el, role, tag) || cleanName(contentName(drawn));
  const drawnText = role === "combobox" || hasAttr(el, "readonly") || SET_BY_VALUE.has(type) ? contentName(filledDrawing(el, drawn)) : "";
  // A drawing that is the name as well may say its value after a colon.
  const drawnValue = cleanValue(drawnText === name ? AFTER_COLON.exec(drawnText)?.[1] ?? "" : drawnText);
  offeredAt.set(el, walkCount);
  page.push({ role: role || (isEditable(el, tag) ? "textbox" : "clickable"), name, drawnValue, el, tag, kind: ACTOR, place: place === DEAD || covered ? IN_VIEW : place, covered, isNew: isNew(el) });
}

/** Reports whether a label consists of links or buttons, which take each press for themselves. */
function isFilledByControls(label) {
  const inner = queryAll(label, "a[href],button");
  if (inner.length === 0) return false;
  const whole = rectOf(label);
  const covered = Array.prototype.reduce.call(inner, (sum, one) => sum + rectOf(one).width * rectOf(one).height, 0);
  return covered >= whole.width * whole.height * NEARLY_ALL;
}

/** Returns the nearest shown element around a transparent control, in which its drawing stands; null if there is none. */
function drawingOf(el) {
  let node = drawnParent(el);
  for (let steps = 0; node !== null && steps < 4; steps++) {
    if (isShown(node) && rectOf(node).height > 0) return localName(node) === "body" ? swatchBeneath(el) : node;
    node = drawnParent(node);
  }
  return null;
}

/** Returns the shown element beside a transparent control that lies over it, or null. */
const swatchBeneath = (el) => [nextElement(el), previousElement(el)].find((one) => one && isShown(one) && coversMost(rectOf(el), one)) ?? null;

/** Returns the drawing of a transparent field with its words: a box around that is not much higher, if the nearest has none. */
function filledDrawing(el, drawn) {
  let node = drawn;
  for (let steps = 0; steps < 3 && contentName(node) === ""; steps++) {
    const around = drawnParent(node);
    if (around === null || rectOf(around).height > rectOf(el).height * 2 || queryAll(around, FIELD_OR_CONTROL).length !== 1) return drawn;
    node = around;
  }
  return node;
}

const LEAST_OVERLAY = 0.3;
const LEAST_OVER_SIBLING = 0.5;

/** Reports whether a transparent control covers enough of its drawing, or of something shown in it, to stand for it. */
function liesOver(el, drawn) {
  const box = rectOf(el);
  const covers = (other, least) => {
    const whole = rectOf(other);
    const part = overlap(box, whole);
    const [width, height] = [part.right - part.left, part.bottom - part.top];
    return width > 0 && height > 0 && width * height >= whole.width * whole.height * least;
  };
  if (covers(drawn, LEAST_OVERLAY)) return true;
  for (let node = firstElementChild(drawn), steps = 0; node !== null && steps < 20; node = nextElement(node), steps++) {
    if (node !== el && isShown(node) && covers(node, LEAST_OVER_SIBLING)) return true;
  }
  return false;
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
  if (inner === null) page.frames.push(Object.assign(mark.line, { part: partOf(el, rect, ctx.ownClip), off: ctx.off && !ctx.ariaHidden, behind: ctx.behind !== null }));
  else walkDocument(inner, page, el, rect, ctx);
  page.close(mark);
}

function walkDocument(doc, page, frameEl, rect, ctx) {
  const view = viewOf(doc);
  const root = rootElementOf(doc);
  if (view === null || root === null) return;
  roots.add(doc);
  applyRules(doc);
  readHandlers(doc);
  const whole = { left: 0, top: 0, right: view.innerWidth, bottom: view.innerHeight };
  const seen = frameEl === null ? ownSeen() : overlap(whole, partOf(frameEl, rect, ctx.ownClip));
  const clip = frameClip(doc, seen);
  // Frames hidden from screen readers only are used by sight.
  const off = ctx === null ? shownPart?.off === true : ctx.off && !ctx.ariaHidden;
  const pdf = frameEl === null && !off ? pdfPlaceholder(doc) : null;
  if (pdf !== null) return framedPdf(pdf, page, clip);
  if (!off) suspectHits(doc);
  const modal = off ? null : topModal(doc);
  const behind = ctx === null && shownPart?.behind === true ? behindAround() : ctx?.behind ?? (off ? null : behindIn(doc, modal, page));
  const inner = {
    pointer: false, mute: false, parts: false, partsOf: null, menu: false, layout: false, off: modal !== null || off, ariaHidden: false, hover: false, modal, behind,
    clip, rootClip: clip, ownClip: clip,
  };
  visit(root, page, inner, null, false);
}
