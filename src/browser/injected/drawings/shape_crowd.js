// Hit tests in drawings of hundreds of shapes: most points of shapes are known to show them without one.

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
