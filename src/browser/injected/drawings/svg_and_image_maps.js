// Drawn content: shapes of an SVG, and areas of an image map.

const SVG = "http://www.w3.org/2000/svg";
const namespaceOf = getter(Element.prototype, "namespaceURI");
const DRAWN_SHAPES = words("g path rect circle ellipse polygon polyline line use image text tspan");
const GEOMETRY = "path,rect,circle,ellipse,polygon,polyline,line";

/** Selector for content of a drawing to read or act on. */
const DRAWN = "a,text,foreignObject,[onclick],[role],[tabindex],[aria-label],[aria-labelledby]";
/** Selector for elements of a drawing to act on, whatever the drawing itself does. */
const DRAWN_ACTORS = "a,[onclick],[role=button],[role=link],[role=checkbox],[role=radio],[role=switch],[role=option],[role=tab],[role^=menuitem],[role=slider]";

/** Number of known press listeners within a drawing or a group of shapes. */
const listensWithin = new WeakMap();

function noteDrawing(el) {
  for (let node = drawnParent(el), steps = 0; node !== null && steps < 100 && namespaceOf(node) === SVG; node = drawnParent(node), steps++) {
    listensWithin.set(node, (listensWithin.get(node) ?? 0) + 1);
  }
}

/** Reports whether a drawing contains anything for an observation. */
const holdsDrawn = (el, ctx) =>
  firstElementChild(el) !== null && (listensWithin.has(el) || query(el, DRAWN) !== null || (!ctx.mute && !ctx.off && pointsWithin(el, ctx)));

const holdsDrawnActors = (el) => listensWithin.has(el) || query(el, DRAWN_ACTORS) !== null;

/** Reports whether a chart reacts to moving or pointing: it has texts and a listener, but no pointer cursor. */
const isMoved = (el) => !isHinted(el) && query(el, "text") !== null && !POINTERS.has(styleOf(el).cursor);

const LEAST_CHART = 64;
const MOST_ASKED = 300;

/** Reports whether a shape of a chart, not of an icon, has its own pointer cursor. */
function pointsWithin(el, ctx) {
  if (ctx.pointer) return false;
  const lines = styleOf(el).pointerEvents === "none" ? queryAll(el, "path,line,polyline") : [];
  for (let i = 0; i < lines.length && i < MOST_ASKED; i++) if (isPressedWire(lines[i], localName(lines[i]))) return true;
  const { width, height } = rectOf(el);
  if (width < LEAST_CHART || height < LEAST_CHART) return false;
  const shapes = queryAll(el, "[class],[style],[cursor],[id]");
  for (let i = 0; i < shapes.length && i < MOST_ASKED; i++) if (hasPointer(shapes[i])) return true;
  return false;
}

/** Reports whether a shape can be focused and has a label. */
const isFocusShape = (el, tag) =>
  DRAWN_SHAPES.has(tag) && !hasAttr(el, "role") && Number(attr(el, "tabindex") ?? -1) >= 0 && (labelledBy(el) || attr(el, "aria-label") || childText(el, "title")) !== "";

const LARGEST_SHAPE = 0.6;

/** Reports whether a group only moves its members, which have listeners of their own. */
const isMover = (el) => (listensWithin.get(el) ?? 0) > 1 || (listensWithin.has(el) && contentName(el) === "");

/**
 * Reports whether an unlabelled shape nearly as large as the drawing is its background, which listens for the shapes
 * in front of it or to move them all.
 */
function isBackdrop(el, area) {
  const svg = el.ownerSVGElement ?? null;
  if (svg === null) return false;
  const { width, height } = rectOf(svg);
  if (width < LEAST_CHART || height < LEAST_CHART || area < width * height * LARGEST_SHAPE) return false;
  return !hasAttr(el, "aria-label") && childText(el, "title") === "" && contentName(el) === "";
}

/** Matches identifiers with marks that no author writes, and parts in which letters and digits take turns: a tool made them. */
const MADE_BY_TOOL = /[^\p{L}\p{N}\s_.,:#()'&/-]|(?=[a-z\d]*[a-z]\d+[a-z]+\d)[a-z\d]{8,}/iu;

/** Returns the author's identifier of a shape that has no label. */
const shapeId = (el) => {
  const id = attr(el, "id") ?? "";
  return attr(el, "data-name") || attr(el, "data-label") || attr(el, "data-title") || (MADE_BY_TOOL.test(id) ? "" : id);
};

/** Returns the text of the group of which a shape is the most; else the words of its class that its group does not have. */
function shapeWords(el) {
  const around = parentElement(el);
  if (around !== null && localName(around) === "svg" && localName(el) === "g") return keepGuess(el, wordsOfClasses(el).slice(0, 3).join(" "));
  if (around === null || localName(around) !== "g") return "";
  const [own, whole] = [rectOf(el), rectOf(around)];
  const text = contentName(around);
  if (text !== "" && text.length <= LONGEST_BESIDE && own.width * own.height >= whole.width * whole.height * MOST_OF_IT) return text;
  const outer = contentName(around) === "" ? parentNode(around) : around;
  const common = new Set(wordsOfClasses(outer));
  const ownWords = (part) => [...new Set(wordsOfClasses(part))].filter((word) => !common.has(word));
  // Parts of a group may repeat its words and add their own: "zoom in" in "zoom".
  const isCalledMore = ownWords(el).length > ownWords(around).length && ownWords(around).every((word) => ownWords(el).includes(word));
  for (const part of outer === around || isCalledMore ? [el] : [around, el]) {
    const own = ownWords(part);
    if (own.length > 0 && own.length <= 3) return keepGuess(el, own.join(" "));
  }
  return "";
}

function wordsOfClasses(el) {
  if (nodeType(el) !== 1) return [];
  const all = classesOf(el).flatMap((token) => token.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-z]+/));
  return all.filter((word) => word.length >= 3 || word === "in" || word === "up");
}

/** Returns the address of a link. Links in SVG may use `xlink:href`. */
const hrefOf = (el) => attr(el, "href") ?? (namespaceOf(el) === SVG ? attr(el, "xlink:href") : null);

const GRID = [0.5, 0.25, 0.75, 0.1, 0.9];

/** Yields at most three points on each shape, since the middle of its box may lie beside it. */
function* shapePoints(el, part) {
  if (localName(el) === "area") return yield* areaPoints(el, part);
  const shapes = typeof el.isPointInFill === "function" ? [el] : largestShapesIn(el);
  for (const shape of shapes) {
    const matrix = shape.getScreenCTM();
    if (matrix === null) continue;
    yield* pointsOf(shape, overlap(boxOf(shape), part), matrix);
  }
}

const MOST_MEASURED = 12;

/** Returns the three largest of the first shapes of a group: its buttons and ports are small. */
function largestShapesIn(el) {
  const measured = Array.prototype.slice.call(queryAll(el, GEOMETRY), 0, MOST_MEASURED).map((shape) => {
    const { width, height } = rectOf(shape);
    return { shape, area: width * height };
  });
  return measured.sort((one, other) => other.area - one.area).slice(0, 3).map(({ shape }) => shape);
}

/** Values of `pointer-events` by which only the stroke of a shape takes presses, as that of the frame around a group of nodes. */
const TAKE_STROKE_ONLY = words("stroke visiblestroke");

function* pointsOf(shape, box, matrix) {
  let left = 3;
  const { fill, pointerEvents } = styleOf(shape);
  if (fill !== "none" && !TAKE_STROKE_ONLY.has(pointerEvents)) {
    const back = matrix.inverse();
    for (const [x, y] of grid(box)) {
      if (left > 0 && shape.isPointInFill(new DOMPoint(x, y).matrixTransform(back))) {
        left--;
        yield [x, y];
      }
    }
  }
  if (left === 3) yield* strokePoints(shape, box, matrix);
}

/** Longest description of a path of which points are computed: those of a drawing of thousands of curves take seconds. */
const LONGEST_PATH = 20_000;

const isMeasurable = (shape) => (attr(shape, "d") ?? attr(shape, "points") ?? "").length <= LONGEST_PATH;

const ALONG = [0.5, 0.2, 0.8, 0.35, 0.65, 0.1, 0.9];

/** Yields points on the stroke of a shape that lie within a box, from its middle on. */
function* strokePoints(shape, { left, top, right, bottom }, matrix) {
  const length = isMeasurable(shape) ? shape.getTotalLength() : 0;
  for (const far of length > 0 ? ALONG : []) {
    const { x, y } = shape.getPointAtLength(length * far).matrixTransform(matrix);
    if (x >= left && x <= right && y >= top && y <= bottom) yield [x, y];
  }
}

function* grid({ left, top, right, bottom }) {
  for (const fy of GRID) for (const fx of GRID) yield [left + (right - left) * fx, top + (bottom - top) * fy];
}

function* areaPoints(el, part) {
  const doc = ownerDocument(el);
  for (const [x, y] of grid(part)) if (documentHit.call(doc, x, y) === el) yield [x, y];
}

/** Lists the areas of an image map, which have no boxes of their own. */
function areasOf(img, page, ctx) {
  if (ctx.off || ctx.behind) return;
  const name = attr(img, "usemap").replace(/^#/, "");
  const map = name === "" ? undefined : queryAll(getRootNode(img), `map[name="${CSS.escape(name)}"]`)[0];
  if (map === undefined) return;
  const areas = queryAll(map, "area");
  for (let i = 0; i < areas.length && page.visited++ < MOST_NODES; i++) {
    const area = areas[i];
    const role = roleOf(area, "area");
    const acts = ACTED_ON.has(role) || isHinted(area) || listening.has(area);
    if (acts && pictureOf(area) === img) actor(area, "area", ACTED_ON.has(role) ? role : "clickable", page, new Context(ctx));
  }
}

/** Returns the image to which an area belongs, or null. */
function pictureOf(area) {
  const map = closest(area, "map");
  const name = map === null ? null : attr(map, "name");
  if (!name) return null;
  for (const img of queryAll(getRootNode(area), "img[usemap]")) {
    if (attr(img, "usemap").replace(/^#/, "") === name && isShown(img)) return img;
  }
  return null;
}

/** Returns the element that has the box: the element itself, or the image of an area. */
const elementWithBox = (el) => (localName(el) === "area" ? pictureOf(el) ?? el : el);

/** Returns the box of an area from its coordinates, which are relative to the content of its image. */
function areaBox(area) {
  const img = pictureOf(area);
  if (img === null) return rectOf(area);
  const rect = rectOf(img);
  const style = styleOf(img);
  const scale = rect.width / (img.offsetWidth || 1);
  const at = (side, border) => rect[side] + (border + (parseFloat(style[side === "left" ? "paddingLeft" : "paddingTop"]) || 0)) * scale;
  const [x, y] = [at("left", img.clientLeft), at("top", img.clientTop)];
  const numbers = (attr(area, "coords") ?? "").split(/[\s,;]+/).map(Number).filter(Number.isFinite);
  const [left, top, right, bottom] = extentOf((attr(area, "shape") ?? "rect").toLowerCase(), numbers, rect, scale);
  const box = { left: x + left * scale, top: y + top * scale, right: x + right * scale, bottom: y + bottom * scale };
  return { ...box, width: box.right - box.left, height: box.bottom - box.top };
}

/** Widens the box of a horizontal or vertical line by the width of its stroke. */
function strokeBox(el, { left, top, right, bottom, width, height }) {
  if (width + height === 0) return { left, top, right, bottom, width, height };
  const half = Math.max(2, parseFloat(styleOf(el).strokeWidth) || 0) / 2;
  return { left: left - half, top: top - half, right: right + half, bottom: bottom + half, width: width + 2 * half, height: height + 2 * half };
}

function extentOf(shape, numbers, rect, scale) {
  const [a = 0, b = 0, c = 0, d = 0] = numbers;
  if (shape === "default") return [0, 0, rect.width / scale, rect.height / scale];
  if (shape.startsWith("circ")) return [a - c, b - c, a + c, b + c];
  if (!shape.startsWith("poly")) return [Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)];
  const across = numbers.filter((_, i) => i % 2 === 0);
  const down = numbers.filter((_, i) => i % 2 === 1);
  return numbers.length < 6 ? [0, 0, 0, 0] : [Math.min(...across), Math.min(...down), Math.max(...across), Math.max(...down)];
}
