// Collects the lines of one observation: containers, elements to act on, text runs. A line is {depth, role, name, el,
// tag, kind, place, parent, ...}; names and states of elements are read later, and only for lines that are shown.

/** Kinds of lines: containers, elements to act on, elements shown as they are (heading, img), texts. */
const HOLDER = 1;
const ACTOR = 2;
const SHOWN = 3;
const TEXT = 4;
/** Maximum height of texts that count as one row, in CSS pixels. */
const ONE_ROW = 48;
const LINES_OF_LONG_LIST = 60;
const LONGEST_RUN = 200000;

/** Greatest budget of a walk, in tokens: that of a search. */
const MOST_BUDGET = 100000;

class Page {
  constructor(budget) {
    this.budget = budget;
    this.lines = [];
    this.holder = null;
    this.depth = 0;
    this.visited = 0;
    this.run = "";
    this.runEl = null;
    this.runClip = null;
    /** True if the text run has a word that an icon is guessed to say. */
    this.guessed = false;
    this.boxEl = null;
    this.box = null;
    this.belowCost = 0;
    this.uncounted = { above: 0, below: 0, text: 0 };
    this.frames = [];
    this.passed = null;
    this.behinds = [];
    this.owners = [];
    this.all = false;
    this.again = false;
    this.hovers = 0;
    this.cutNotes = 0;
    /** True if the whole page is walked to find something. */
    this.isSearch = budget >= MOST_BUDGET;
    this.wires = 0;
    this.wiresLeft = 0;
    this.depthOfRecursion = 0;
  }

  addText(text, el, clip) {
    if (this.runEl === null) {
      if (text.length < 40 && text.trim() === "") return;
      this.runEl = el;
      this.runClip = clip;
    }
    if (this.run.length < LONGEST_RUN) this.run += text;
  }

  /** Ends the text run: turns the collected text into one line. */
  flush() {
    if (this.runEl === null) return;
    const el = this.runEl;
    const text = clean(this.run);
    this.run = "";
    this.runEl = null;
    const { guessed } = this;
    this.guessed = false;
    if (text === "") return;
    const box = this.textBox(el);
    if (text.length > LONGEST_TEXT) return this.pushPieces(text, el, box);
    const place = placeOf(box, this.runClip);
    if (place === NOWHERE) return;
    if (this.joinsLast(text, box, place)) return;
    const line = this.push({ role: "text", name: text, el, tag: "", kind: TEXT, place, guessed });
    if (line !== null) line.box = box;
  }

  /** Splits a long text into several lines. The place of each is estimated from its position in the text. */
  pushPieces(text, el, box) {
    const parts = pieces(text);
    const { left, right, width } = box;
    const height = box.height / parts.length;
    parts.forEach((name, i) => {
      const top = box.top + i * height;
      const place = placeOf({ left, right, width, top, bottom: top + height, height }, this.runClip);
      if (place !== NOWHERE) this.push({ role: "text", name, el, tag: "", kind: TEXT, place });
    });
  }

  textBox(el) {
    if (this.boxEl === el) return this.box;
    let box = rectOf(el);
    if (box.width === 0 || box.height === 0) box = boxOf(el);
    this.boxEl = el;
    this.box = box;
    return box;
  }

  /** Joins short texts side by side (a row of a flex box) into one line. */
  joinsLast(text, box, place) {
    const last = this.lines[this.lines.length - 1];
    if (last === undefined || last.kind !== TEXT || last.role !== "text" || last.parent !== this.holder) return false;
    if (last.place !== place || last.box === undefined || last.name.length + text.length > 160) return false;
    const a = last.box;
    if (a.height > ONE_ROW || box.height > ONE_ROW) return false;
    if (Math.min(a.bottom, box.bottom) - Math.max(a.top, box.top) < Math.min(a.height, box.height) / 2) return false;
    last.name += " " + text;
    return true;
  }

  /** Adds a line, unless there are so many below the viewport already that it could never be shown. */
  push(line) {
    if (isAfter(line.place) && line.kind !== HOLDER) {
      if (this.isTooMuch()) {
        this.drop(line);
        return null;
      }
      this.belowCost += line.kind === TEXT ? line.name.length / 4 + 3 : 10;
    }
    line.depth = this.depth;
    line.parent = this.holder;
    this.lines.push(line);
    return line;
  }

  /**
   * Reports whether to drop further lines below. A very long list ends early, to leave room for the content after it.
   */
  isTooMuch() {
    if (this.belowCost <= this.budget) return false;
    if (this.belowCost > this.budget * 3) return true;
    const list = listAround(this.holder);
    return list !== null && (list.below = (list.below ?? 0) + 1) > LINES_OF_LONG_LIST;
  }

  /** Reports whether everything below is only to be counted. */
  skips() {
    if (this.belowCost <= this.budget) return false;
    if (this.belowCost > this.budget * 3) return true;
    const list = listAround(this.holder);
    return list !== null && list.below > LINES_OF_LONG_LIST;
  }

  /** Counts a line that is not collected, also in its list. */
  drop(line) {
    droppedAt.set(line.el, observationCount);
    const list = listAround(this.holder);
    this.count(list, line.kind === TEXT ? 0 : 1, line.kind === TEXT ? 1 : 0);
    if (list === null) return;
    if (list === this.holder && ITEMS.has(line.role)) list.missing = (list.missing ?? 0) + 1;
    for (let holder = this.holder; holder !== list; holder = holder.parent) if (ITEMS.has(holder.role)) holder.cutShort = true;
  }

  count(list, actors, texts) {
    for (const sum of list === null ? [this.uncounted] : [this.uncounted, (list.lost ??= { below: 0, text: 0 })]) {
      sum.below += actors + texts;
      sum.text += texts;
    }
  }

  /** Opens a container. `close` removes it again if it is empty, or merges it with its only line. */
  open(line) {
    this.flush();
    line.kind ??= HOLDER;
    const at = this.lines.length;
    const outer = this.holder;
    if (this.push(line) === null) return null;
    if (line.kind === HOLDER && hasAttr(line.el, "aria-owns")) noteOwner(this, line);
    this.holder = line;
    this.depth++;
    return { line, at, outer };
  }

  close(mark) {
    this.flush();
    const { line, at, outer } = mark;
    this.holder = outer;
    this.depth--;
    if (line.role === "grid" || line.role === "treegrid") joinRowsOf(this, at);
    this.fold(line, at, outer);
    noteCell(this, line, at);
    noteMore(this, line, at);
  }

  /** Removes an empty container, or merges it with its only line. */
  fold(line, at, outer) {
    const held = this.lines.length - at - 1;
    if (line.role === "row" && held > 0) return foldRow(this, line, at);
    if (line.kind !== HOLDER) return;
    if (held === 0) {
      if (line.keep === true || captionAlone(line) || (CELLS.has(line.role) && readSilentCell(line))) return;
      this.lines.length = at;
      if (line.cutShort && outer !== null) outer.missing = (outer.missing ?? 0) + 1;
    } else if (held === 1 && (line.role === "listitem" || CELLS.has(line.role))) foldOne(this, line, at);
  }
}

function listAround(holder) {
  for (let line = holder; line !== null; line = line.parent) if (LISTS.has(line.role)) return line;
  return null;
}
