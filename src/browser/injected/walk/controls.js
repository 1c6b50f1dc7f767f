// Elements to act on: listed only if they are visible, reachable and not covered.

function actor(el, tag, role, page, ctx) {
  if (role === "combobox" && tag !== "input" && liveFieldIn(el)) return descend(el, tag, page, ctx, true);
  if (ctx.off && !(ctx.hushed && isPlainControl(el, tag))) return descend(el, tag, page, ctx, true);
  // The shown choice of a combo box (Select2) is declared as a text box that takes no text.
  if (role === "textbox" && page.holder?.role === "combobox" && !isEditable(el, tag)) return descend(el, tag, page, ctx, true);
  const fresh = isNew(el);
  const place = placeActor(el, ctx);
  if (place === NOWHERE || place === COVERED || (ctx.off && place !== IN_VIEW)) {
    if (place === COVERED) ctx.mute = true;
    if (!SELF_CONTAINED.has(tag)) descend(el, tag, page, ctx, true);
    return;
  }
  if (place === DEAD && role === "combobox" && page.holder?.el === closest(el, "[role=combobox]:not(input)")) return;
  const line = { role, name: null, el, tag, kind: ACTOR, place: place === DEAD ? IN_VIEW : place, isNew: fresh };
  if (place === DEAD) line.dead = true;
  if (knowsContextMenus && opensMenu(el, tag)) line.menu = true;
  if (ctx.hover) line.hover = true;
  if (ctx.scroll !== undefined) line.scroll = ctx.scroll;
  const wide = role === "clickable" && !ctx.hover ? wideName(el, tag) : null;
  if (wide !== null) line.name = wide;
  const mark = page.open(line);
  if (mark === null) return;
  if (!SELF_CONTAINED.has(tag) && !isEditable(el, tag) && (childElementCount(el) > 0 || shadowRootOf(el) !== null || wide !== null)) {
    if (wide === null && role !== "row") ctx.mute = true;
    descend(el, tag, page, ctx, true);
  }
  page.close(mark);
}

/** Returns the field of a wrapper that is a combobox, too, as the field is. */
const fieldOfWrapper = (el) => query(el, "input[role=combobox]");

/** Reports whether the field of a wrapper takes clicks itself; then it stands for both. */
function liveFieldIn(el) {
  const field = fieldOfWrapper(el);
  return field !== null && isShown(field) && rectOf(field).width > 1 && styleOf(field).pointerEvents !== "none";
}

const COVERED = 7;
/** Place of an element that is visible but lets clicks through (pointer-events: none). */
const DEAD = 6;

/** Returns the place of an element to act on, which may be COVERED or DEAD. */
function placeActor(el, ctx) {
  const rect = boxOf(el);
  const place = placeOf(rect, ctx.ownClip);
  if (place !== IN_VIEW) return place;
  const part = seenPart(rect, ctx.ownClip);
  if (part === null) return place;
  const { ok, met } = hitPoint(el, part, 4);
  if (ok) return place;
  if (met === null) return COVERED;
  return styleOf(el).pointerEvents === "none" && drawnInside(el, met) ? DEAD : underBar(met, part);
}

/** Returns the direction in which to scroll for an element under a fixed bar; otherwise COVERED. */
function underBar(met, part) {
  const root = scrollRoot();
  const above = scrollTopOf(root);
  const below = scrollHeightOf(root) - innerHeight - above;
  for (let node = met, steps = 0; node !== null && steps < 100; node = drawnParent(node), steps++) {
    const position = styleOf(node).position;
    if (position !== "fixed" && position !== "sticky") continue;
    const bar = rectOf(node);
    if (bar.height > innerHeight / 3 || ownerDocument(node) !== document) return COVERED;
    if (bar.top <= 1 && part.top < innerHeight / 2 && above > 1) return ABOVE;
    if (bar.bottom >= innerHeight - 1 && part.bottom > innerHeight / 2 && below > 1) return BELOW;
    return COVERED;
  }
  return COVERED;
}

/**
 * Reports whether a control works although the page hides it from screen readers. One that cannot even be focused
 * duplicates content from elsewhere.
 */
const isPlainControl = (el, tag) =>
  (/^(?:button|input|select|textarea|summary)$/.test(tag) || (tag === "a" && hasAttr(el, "href"))) && !(Number(attr(el, "tabindex") ?? 0) < 0);

/** Returns the name of a clickable element whose content has its own lines, or null. */
const wideName = (el, tag) => {
  const known = judgedAt.get(el);
  return briefName(el) ?? (known?.observation === observationCount && known.kind === PARTLY ? nameOf(el, "clickable", tag) : null);
};

/** Names a clickable element with much content by its heading or its first words; the content gets its own lines. */
function briefName(el) {
  const text = contentName(el);
  if (text.length <= LONGEST_CLICKABLE && (firstElementChild(el) === null || query(el, CONTROLS) === null)) return null;
  const ownName = attr(el, "aria-label") || attr(el, "title");
  if (ownName) return cleanName(ownName);
  const title = query(el, "h1,h2,h3,h4,h5,h6,[role=heading]");
  return cut((title && contentName(title)) || text, 80);
}

const LONGEST_CLICKABLE = 120;
const CONTROLS = "a[href],button,input,select,textarea,[role=button],[role=link],[role=checkbox]";
