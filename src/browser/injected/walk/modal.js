// Content behind an open modal dialog. It can be neither acted on nor scrolled to, so an observation omits it, with a
// note in the dialog. Live messages and elements over the dialog are still listed.

const MODAL_NOTE = "what is behind it is left out; close it to act there, or extract to read it";
const SEALED_NOTE = "something that cannot be read lies over all of this; press Escape, or see the picture of the page";
const ANNOUNCING = "[role=alert],[role=status],[role=log],[aria-live=polite],[aria-live=assertive],output";
const MOST_ANNOUNCING = 50;
const LONGEST_MESSAGE = 300;

/** Modal dialog of the page in the last walk, also one without a role; null if there is none. */
let modalNow = null;

/**
 * Returns the content that a document hides behind its modal dialog: {modal, native, kept, free, left}, or null.
 * `kept`: ancestors of the dialog and of other content that is listed; `free`: live messages; `left`: true if
 * anything was omitted.
 */
function behindIn(doc, native, page) {
  if (page.all) return null;
  const modal = native ?? declaredModal(doc);
  if (doc === document) modalNow = modal;
  if (modal === null) return null;
  const behind = { modal, native: native !== null, kept: new Set(), free: new Set(), left: false };
  keepAround(modal, behind);
  keepFrames(behind);
  const messages = queryAll(doc, ANNOUNCING);
  for (let i = 0; i < messages.length && i < MOST_ANNOUNCING; i++) {
    const text = isShown(messages[i]) ? contentName(messages[i]) : "";
    if (text === "" || text.length > LONGEST_MESSAGE || drawnInside(messages[i], modal) || drawnInside(modal, messages[i])) continue;
    behind.free.add(messages[i]);
    keepAround(messages[i], behind);
  }
  page.behinds.push(behind);
  return behind;
}

/** Returns the hidden content of a frame behind the dialog of the surrounding page. */
function behindAround() {
  const behind = { modal: null, native: true, kept: new Set(), free: new Set(), left: false };
  keepFrames(behind);
  return behind;
}

function keepAround(el, { kept }) {
  for (let node = drawnParent(el), steps = 0; node !== null && steps < 3000; node = drawnParent(node), steps++) kept.add(node);
}

/** Keeps frames with their own walkers: their secret fields still appear in screenshots. */
function keepFrames(behind) {
  const all = new Set([document]);
  findRoots(document, all);
  for (const root of all) {
    for (const el of queryAll(root, "iframe,frame")) {
      if (innerDocument(el) !== null) continue;
      behind.kept.add(el);
      keepAround(el, behind);
    }
  }
}

const DIALOGS = "[role=dialog],[role=alertdialog],[aria-modal=true]";

/**
 * Tests by two hits whether a dialog, or a large layer, may lie at the middle or a corner. Spares most pages the
 * search.
 */
function mayBeUnderDialog(doc) {
  const { innerWidth: wide, innerHeight: high } = viewOf(doc);
  const hits = [hitWithin(doc, wide / 2, high / 2), hitWithin(doc, 4, 4)];
  if (declaredDialogAround(hits[0], doc) !== null) return true;
  return hits.some((hit) => hit !== null && (isLayer(hit, wide * high * LEAST_CURTAIN) || isShade(hit)));
}

/** Returns the innermost declared dialog around an element of a document, through shadow roots, or null. */
function declaredDialogAround(hit, doc) {
  for (let node = hit, guard = 0; node !== null && ownerDocument(node) === doc && guard < 3000; node = drawnParent(node), guard++) {
    if (matches(node, DIALOGS)) return node;
  }
  return null;
}

function isLayer(hit, least) {
  const { width, height } = rectOf(hit);
  if (width * height < least) return false;
  for (let node = hit, steps = 0; node !== null && steps < 30; node = drawnParent(node), steps++) {
    if (/fixed|absolute/.test(styleOf(node).position)) return true;
  }
  return false;
}

/** Returns a custom dialog that declares itself modal and lies over everything else, or null. */
function declaredModal(doc) {
  if (bodyOf(doc) === null || !mayBeUnderDialog(doc)) return null;
  const { innerWidth: wide, innerHeight: high } = viewOf(doc);
  const middle = declaredDialogAround(hitWithin(doc, wide / 2, high / 2), doc);
  const dialogs = [...Array.from(queryAll(doc, DIALOGS)).slice(-20), ...(middle === null ? [] : [middle])];
  for (const el of dialogs.reverse()) {
    if (!isShown(el) || closest(el, "[inert],[aria-hidden=true]") !== null) continue;
    const isDeclared = attr(el, "aria-modal") === "true" || query(bodyOf(doc), ":scope > [inert],:scope > [aria-hidden=true]") !== null;
    if (liesOverAll(el, doc, isDeclared ? MOST_BESIDE : 0)) return el;
  }
  return trayOverShades(doc) ?? dimmingLayer(doc);
}

/** Matches colours that let something show through, as older and newer functions write them. */
const TRANSLUCENT = /(?:^rgba\(.*,| \/) 0?\.\d+\)$/;

const LEAST_SHADES = 3;
const FURTHER_PROBES = [[0.5, 0.25], [0.5, 0.38], [0.5, 0.62], [0.5, 0.75], [0.3, 0.5], [0.7, 0.5]];

/** Reports whether an element is a layer without content that only dims what lies below it. */
function isShade(hit) {
  if (firstElementChild(hit) !== null || localName(hit) !== "div" || visibleText(hit, 20) !== "") return false;
  const style = styleOf(hit);
  if (!/fixed|absolute/.test(style.position)) return false;
  return SHADES.test(attr(hit, "class") ?? "") || TRANSLUCENT.test(style.backgroundColor) || (Number(style.opacity) < 1 && hexColour(style.backgroundColor) !== "");
}

/** Returns the only layer not covered by backdrops, which is in effect a modal dialog; null if there is none. */
function trayOverShades(doc) {
  const view = viewOf(doc);
  const hits = PROBES.map(([fx, fy]) => hitWithin(doc, view.innerWidth * fx, view.innerHeight * fy)).filter((hit) => hit !== null);
  const shades = hits.filter(isShade);
  // A small box over the shade may lie beside every probe.
  if (shades.length > 0 && shades.length === hits.length) hits.push(...FURTHER_PROBES.map(([fx, fy]) => hitWithin(doc, view.innerWidth * fx, view.innerHeight * fy)).filter((hit) => hit !== null && !isShade(hit)));
  if (shades.length < LEAST_SHADES || shades.length === hits.length) return null;
  const trays = new Set(hits.filter((hit) => !shades.includes(hit)).map((hit) => layerBeside(hit, shades)));
  const [tray] = trays;
  return trays.size === 1 ? tray : null;
}

/** Returns the outermost positioned element around another one that holds no shade, or null. */
function layerBeside(el, shades) {
  let layer = null;
  for (let node = el, steps = 0; node !== null && steps < 60; node = drawnParent(node), steps++) {
    if (shades.some((shade) => drawnInside(shade, node))) break;
    if (/fixed|absolute/.test(styleOf(node).position)) layer = node;
  }
  return layer;
}

const LEAST_LAYER = 0.95;
/** Fixed layer over the whole window, which stays there while the page scrolls; null if there is none. */
let fullLayer = null;

/** Finds the fixed layer to which every probed point of the window belongs, whatever role it has. */
function findFullLayer(doc, position = "fixed") {
  let layer = null;
  for (let node = hitWithin(doc, innerWidth / 2, innerHeight / 2), steps = 0; node !== null && steps < 60; node = drawnParent(node), steps++) {
    const { width, height } = rectOf(node);
    if (width >= innerWidth * LEAST_LAYER && height >= innerHeight * LEAST_LAYER && styleOf(node).position === position) layer = node;
  }
  if (layer === null) return null;
  const belongs = ([fx, fy]) => {
    const hit = hitWithin(doc, innerWidth * fx, innerHeight * fy);
    return hit !== null && drawnInside(hit, layer);
  };
  return PROBES.every(belongs) ? layer : null;
}

/** Returns a layer over the whole window that dims or hides what lies below it and is more than a sign of loading, or null. */
function dimmingLayer(doc) {
  const fixed = doc === document ? findFullLayer(doc) : null;
  const layer = fixed ?? (doc === document ? findFullLayer(doc, "absolute") : null);
  if (layer === null || !(dims(layer) || (fixed !== null && hidesControls(layer, doc)))) return null;
  const text = visibleText(layer, LONGEST_MESSAGE);
  return (text !== "" && !LOADING_TEXT.test(text)) || Array.prototype.some.call(queryAll(layer, CONTROLS), isShown) ? layer : null;
}

function dims(layer) {
  const { backgroundColor, backdropFilter } = styleOf(layer);
  return TRANSLUCENT.test(backgroundColor) || (backdropFilter ?? "none") !== "none";
}

const LEAST_HIDDEN = 6;
const MOST_HIDDEN_TRIED = 60;

/** Reports whether several controls of a page lie in view below a layer; an application may itself be such a layer. */
function hidesControls(layer, doc) {
  let hidden = 0;
  let tried = 0;
  const controls = queryAll(doc, CONTROLS);
  for (let i = 0; i < controls.length && tried < MOST_HIDDEN_TRIED && hidden < LEAST_HIDDEN; i++) {
    if (contains(layer, controls[i]) || !isShown(controls[i])) continue;
    const { left, top, width, height } = rectOf(controls[i]);
    if (width <= 1 || height <= 1 || isOutside(left + width / 2, top + height / 2, { left: 0, top: 0, right: innerWidth, bottom: innerHeight })) continue;
    tried++;
    const hit = hitWithin(doc, left + width / 2, top + height / 2);
    if (hit !== null && drawnInside(hit, layer)) hidden++;
  }
  return hidden >= LEAST_HIDDEN;
}

const MOST_BESIDE = 2;

/** Reports whether nearly every probed point belongs to the dialog or to the layer that darkens the page. */
function liesOverAll(el, doc, most) {
  const { innerWidth: wide, innerHeight: high } = viewOf(doc);
  let beside = 0;
  for (const [fx, fy] of PROBES) {
    const hit = hitWithin(doc, wide * fx, high * fy);
    if (hit !== null && !drawnInside(hit, el) && !isCurtain(hit, el, wide * high) && ++beside > most) return false;
  }
  return true;
}

const LEAST_CURTAIN = 0.8;

/** Reports whether an element is as large as the viewport and contains nothing but the dialog. */
function isCurtain(hit, modal, area) {
  const { width, height } = rectOf(hit);
  if (width * height < area * LEAST_CURTAIN || hit === bodyOf(ownerDocument(hit)) || hit === rootElementOf(ownerDocument(hit))) return false;
  return visibleText(hit, 2000) === (drawnInside(modal, hit) ? visibleText(modal, 2000) : "");
}

/** Reports whether an element on the way to the dialog is omitted with its content. */
function isLeftOut(el, tag, page, ctx) {
  const { behind } = ctx;
  if (el === behind.modal || behind.kept.has(el) || behind.free.has(el)) return false;
  const { width, height } = rectOf(el);
  if (width * height === 0 || styleOf(el).pointerEvents === "none") {
    // Container of layers over the page.
    if (firstElementChild(el) !== null || shadowRootOf(el) !== null) {
      behind.kept.add(el);
      return false;
    }
  } else if (!behind.native && isOver(el, ctx)) return false;
  skippedAt.set(el, observationCount);
  behind.left ||= isShown(el) && contentName(el) !== "";
  return true;
}

/** Reports whether an element lies over the layer that darkens the page (a drop-down list, another layer). */
function isOver(el, ctx) {
  const part = seenPart(rectOf(el), ctx.rootClip);
  if (part === null) return false;
  const { left, top, right, bottom } = part;
  for (const [x, y] of [[(left + right) / 2, (top + bottom) / 2], [left + 4, top + 4]]) {
    const hit = documentHit.call(ownerDocument(el), x, y);
    if (hit !== null && drawnInside(hit, el) && !isShade(hit)) return true;
  }
  return false;
}

/**
 * Adds the note about omitted content to each dialog. Returns false if one has no line, so that nothing may be
 * omitted.
 */
function noteModals(page) {
  for (const { modal, left } of page.behinds) {
    const line = page.lines.find(({ el, kind }) => el === modal && kind === HOLDER);
    if (line === undefined) return false;
    if (left) line.note = MODAL_NOTE;
    if (isUnderSealed(modal)) line.note = SEALED_NOTE;
  }
  return true;
}

/** Reports whether what is hit in the middle of a dialog and of the window belongs to something else that is no layer of it. */
function isUnderSealed(modal) {
  const doc = ownerDocument(modal);
  const { left, top, width, height } = rectOf(modal);
  const { innerWidth: wide, innerHeight: high } = viewOf(doc);
  return [[left + width / 2, top + height / 2], [wide / 2, high / 2], [2, 2]].every(([x, y]) => {
    const hit = hitWithin(doc, x, y);
    return hit !== null && shadowRootOf(hit) === null && hit !== modal && isOutside(x, y, rectOf(hit));
  });
}
