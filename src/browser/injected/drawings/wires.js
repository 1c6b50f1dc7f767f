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
