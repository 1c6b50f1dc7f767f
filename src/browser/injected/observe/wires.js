// Lines between the nodes of drawn editors: they take presses on their stroke, and are called by the things at their ends.

const LINES = words("path line polyline");
const LEAST_WIRE = 16;
/** Most lines between things that are offered, and those that a search walks through. */
const MOST_WIRES = 60;
const MOST_WALKED_WIRES = 1000;

/** Reports whether a shape is a line that takes presses on its stroke: what joins two nodes of a drawn editor. */
function isWire(el, tag) {
  if (!LINES.has(tag) || namespaceOf(el) !== SVG) return false;
  const { pointerEvents, visibility, fill, stroke } = styleOf(el);
  if (pointerEvents === "none" || visibility !== "visible" || (fill !== "none" && tag !== "line") || (stroke === "none" && !TAKE_STROKE_ONLY.has(pointerEvents))) return false;
  const { width, height } = rectOf(el);
  return Math.max(width, height) >= LEAST_WIRE;
}

/** Reports whether a line takes presses that its drawing lets through: it is there to be pressed, whoever listens. */
const isPressedWire = (el, tag) => isWire(el, tag) && el.ownerSVGElement !== null && styleOf(el.ownerSVGElement).pointerEvents === "none";

/** Returns the line that an element is, or of which a group consists; null for other elements. */
function wireOf(el, tag) {
  if (tag !== "g") return isWire(el, tag) ? el : null;
  const shapes = childElementCount(el) > 4 ? [] : Array.prototype.filter.call(queryAll(el, GEOMETRY), (shape) => styleOf(shape).pointerEvents !== "none");
  const lines = shapes.filter((shape) => isWire(shape, localName(shape)));
  return lines.length > 0 && lines.length === shapes.length ? lines[lines.length - 1] : null;
}

/** Returns the outermost group that consists of one line and its drawing, or the element itself. */
function groupOfWire(el) {
  let node = el;
  for (let steps = 0; steps < 3 && LINES.has(localName(el)); steps++) {
    const around = parentElement(node);
    if (around === null || localName(around) !== "g" || wireOf(around, "g") !== el) break;
    node = around;
  }
  return node;
}

/** Reports whether a line is transparent, so that a broad one takes the presses for the thin one that is seen. */
const isUnseenWire = (el) => isWire(el, localName(el)) && rawVisible.call(el, { visibilityProperty: true }) && (reactsItself(el) || hasPointer(el));

/** Lists a line between things that is in view, unless there are too many; the others are counted. */
function wire(el, tag, page, ctx) {
  if (ctx.mute || ctx.off) return;
  const isInView = placeOf(boxOf(el), ctx.ownClip) === IN_VIEW || page.isSearch;
  if (isInView && ++page.wires <= (page.isSearch ? MOST_WALKED_WIRES : MOST_WIRES)) actor(el, tag, "clickable", page, ctx);
  else page.wiresLeft++;
}

function noteWiresLeft(page) {
  const text = `${page.wiresLeft} more lines that join things are not listed; scroll, zoom out or find them`;
  if (page.wiresLeft > 0 && !page.isSearch) page.push({ role: "note", name: text, el: rootElementOf(document), tag: "", kind: TEXT, place: IN_VIEW });
}

const WIRE_WORDS = words("link edge wire connection connector relation transition arrow");
const BEYOND_ENDS = [4, 0, 12];
const hitsOfDocument = Document.prototype.elementsFromPoint;
const hitsOfShadow = ShadowRoot.prototype.elementsFromPoint;

/** Names a line by the things at its ends; "" if there are none. */
function nameOfWire(el, tag) {
  const line = wireOf(el, tag);
  if (line === null) return "";
  const [from, to] = endsOf(line);
  if (from === "" && to === "") return "";
  const around = [line, ...ancestorsIn(line)];
  const what = around.flatMap(wordsOfClasses).find((word) => WIRE_WORDS.has(word)) ?? "line";
  return keepGuess(el, `${what}${from === "" ? "" : ` from ${from}`}${to === "" ? "" : ` to ${to}`}`);
}

const endsOf = (line) => [false, true].map((atEnd) => thingSaidAtEnd(line, atEnd) || (isMeasurable(line) ? thingAtEnd(line, atEnd) : ""));

const SAID_ENDS = [/^(?:[a-z]+[-_])?(?:out|from|source|start)[-_]+(.+)$/i, /^(?:[a-z]+[-_])?(?:in|to|target|end)[-_]+(.+)$/i];
const END_DATA = [["data-source", "data-from", "data-source-id"], ["data-target", "data-to", "data-target-id"]];

/** Returns the words of the thing whose id the classes or data of a line tell as one of its ends, or "". */
function thingSaidAtEnd(line, atEnd) {
  const end = atEnd ? 1 : 0;
  for (const part of [line, ...ancestorsIn(line)]) {
    const said = [...END_DATA[end].map((name) => attr(part, name)), ...classesOf(part).map((token) => SAID_ENDS[end].exec(token)?.[1])];
    for (const id of said) {
      const thing = id ? queryAll(getRootNode(line), `#${CSS.escape(id)}`)[0] : undefined;
      const text = thing === undefined ? "" : contentName(thing);
      if (text !== "" && text.length <= LONGEST_BESIDE) return text;
    }
  }
  return "";
}

/** Returns the label of a line with the things at its ends, if it knows them by their ids only: "Edge from 1 to 3". */
function labelOfWire(el, label) {
  const line = localName(el) === "g" ? wireOf(el, "g") : null;
  const ends = line === null ? [] : endsOf(line).filter((words) => words !== "");
  return ends.length < 2 || ends.some((words) => label.includes(words)) ? label : `${label} (${ends.join(" to ")})`;
}

const ancestorsIn = (shape) => {
  const found = [];
  for (let node = parentElement(shape); node !== null && namespaceOf(node) === SVG && found.length < 4; node = parentElement(node)) found.push(node);
  return found;
};

/** Returns the words of the thing at which a line begins or ends, or "". */
function thingAtEnd(line, atEnd) {
  const [length, matrix] = [line.getTotalLength(), line.getScreenCTM()];
  if (matrix === null) return "";
  const at = (far) => line.getPointAtLength(far).matrixTransform(matrix);
  const [end, before] = [at(atEnd ? length : 0), at(atEnd ? length - 2 : 2)];
  const step = Math.hypot(end.x - before.x, end.y - before.y) || 1;
  const root = getRootNode(line);
  for (const far of BEYOND_ENDS) {
    const [x, y] = [end.x + ((end.x - before.x) / step) * far, end.y + ((end.y - before.y) / step) * far];
    const hits = (nodeType(root) === 9 ? hitsOfDocument : hitsOfShadow).call(root, x, y);
    for (const hit of hits) {
      const words = wordsOfThing(hit, line);
      if (words !== "") return words;
    }
  }
  return "";
}

/** Returns the words of the innermost thing around a hit that does not hold the line, too. */
function wordsOfThing(hit, line) {
  for (let node = hit, steps = 0; node !== null && steps < 6 && !contains(node, line); node = drawnParent(node), steps++) {
    const text = contentName(node);
    if (text !== "") return text.length > LONGEST_BESIDE ? "" : text;
  }
  return "";
}

/** Least number of shapes in a drawing from which on a hit test, which asks each of them, takes long. */
const LEAST_CROWD = 300;
const [CROWD_CELL, SAMPLE_CELL] = [32, 64];
/** Greatest number of cells that a shape is entered in; wider ones are compared with every point. */
const MOST_CELLS_OF_SHAPE = 60;
const MOST_OVER_DRAWING = 3000;
/** Room for the stroke beside the box of a shape, in CSS pixels. */
const STROKE_ROOM = 4;
const PAINTED = `${GEOMETRY},text,image,use,foreignObject`;

/**
 * Shapes of a drawing with thousands of them. A point of a shape needs no hit test of its own if no later shape and nothing
 * outside of the drawing has its box there, and a hit test near it has met the drawing.
 */
class Crowd {
  constructor(svg, shapes) {
    this.svg = svg;
    this.order = new Map();
    this.boxes = [];
    this.cells = new Map();
    this.wide = [];
    this.met = new Map();
    this.clipped = new Map();
    this.over = boxesBeside(svg);
    Array.prototype.forEach.call(shapes, (shape, i) => this.enter(shape, i));
  }

  enter(shape, i) {
    this.order.set(shape, i);
    const { left, top, right, bottom } = rectOf(shape);
    const box = { left: left - STROKE_ROOM, top: top - STROKE_ROOM, right: right + STROKE_ROOM, bottom: bottom + STROKE_ROOM };
    this.boxes.push(box);
    const [from, to] = [cellAt(box.left, box.top, CROWD_CELL), cellAt(box.right, box.bottom, CROWD_CELL)];
    if ((to.across - from.across + 1) * (to.down - from.down + 1) > MOST_CELLS_OF_SHAPE) return void this.wide.push(i);
    for (let { across } = from; across <= to.across; across++) {
      for (let { down } = from; down <= to.down; down++) {
        const key = across * 100000 + down;
        const cell = this.cells.get(key);
        if (cell === undefined) this.cells.set(key, [i]);
        else cell.push(i);
      }
    }
  }

  /** Reports whether a point of a shape surely shows it. */
  shows(el, x, y) {
    const own = this.order.get(el);
    const cell = cellAt(x, y, SAMPLE_CELL);
    if (own === undefined || this.over === null || this.met.get(cell.across * 100000 + cell.down) !== true) return false;
    const { across, down } = cellAt(x, y, CROWD_CELL);
    const isLater = (i) => i > own && !isOutside(x, y, this.boxes[i]);
    if (this.wide.some(isLater) || (this.cells.get(across * 100000 + down) ?? []).some(isLater)) return false;
    return !this.over.some((box) => !isOutside(x, y, box)) && styleOf(el).pointerEvents !== "none" && !this.isClipped(el);
  }

  /** Records the hit of a point: the drawing has been met there, or something else. */
  note(hit, x, y) {
    const { across, down } = cellAt(x, y, SAMPLE_CELL);
    const key = across * 100000 + down;
    const isMet = hit !== null && contains(this.svg, hit);
    this.met.set(key, isMet && this.met.get(key) !== false);
  }

  /** Reports whether a clip path or a mask may cut a shape away. */
  isClipped(el) {
    if (el === this.svg) return false;
    const known = this.clipped.get(el);
    if (known !== undefined) return known;
    const { clipPath, maskImage } = styleOf(el);
    const parent = parentElement(el);
    const isCut = clipPath !== "none" || (maskImage ?? "none") !== "none" || hasAttr(el, "mask") || (parent !== null && this.isClipped(parent));
    this.clipped.set(el, isCut);
    return isCut;
  }
}

const cellAt = (x, y, size) => ({ across: Math.floor(x / size), down: Math.floor(y / size) });

/** Returns the boxes of elements outside of a drawing that lie in its box, without those around it; null if they are too many to tell. */
function boxesBeside(svg) {
  const whole = rectOf(svg);
  const boxes = [];
  let left = MOST_OVER_DRAWING;
  const accept = (node) => (node === svg ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
  const others = ownerDocument(svg).createTreeWalker(rootElementOf(ownerDocument(svg)), NodeFilter.SHOW_ELEMENT, accept);
  while (others.nextNode()) {
    if (left-- <= 0) return null;
    const el = others.currentNode;
    if (contains(el, svg)) continue;
    const box = rectOf(el);
    if (box.width > 0 && box.height > 0 && box.right > whole.left && box.left < whole.right && box.bottom > whole.top && box.top < whole.bottom) boxes.push(box);
  }
  return boxes;
}

const crowds = new WeakMap();

/** Returns the crowd of shapes that a shape belongs to, as this walk found it; null for drawings of few shapes, and in shadow trees. */
function crowdOf(el) {
  let svg = el.ownerSVGElement ?? null;
  for (let outer = svg; outer !== null; outer = outer.ownerSVGElement ?? null) svg = outer;
  if (svg === null) return null;
  let known = crowds.get(svg);
  if (known?.walk !== walkCount) {
    const shapes = queryAll(svg, PAINTED);
    known = { walk: walkCount, crowd: shapes.length >= LEAST_CROWD && getRootNode(svg) === document ? new Crowd(svg, shapes) : null };
    crowds.set(svg, known);
  }
  return known.crowd;
}
