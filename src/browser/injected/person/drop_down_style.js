// Drawing of the option list that `drop_down.js` opens: in the top layer, in a closed root, with its own styles.

const LIST_MARK = "data-askfirst-list";
const XHTML = "http://www.w3.org/1999/xhtml";
const LEAST_HIGH = 96;
const MOST_HIGH = 420;
const LIST_STYLE = `
  .list { box-sizing: border-box; width: 100%; max-height: inherit; overflow: hidden auto; padding: 4px 0; border: 1px solid GrayText; border-radius: 4px; background: Canvas; color: CanvasText; box-shadow: 0 4px 16px rgb(0 0 0 / 30%); cursor: default; user-select: none; }
  .row { padding: 0.25em 10px; overflow: hidden; text-overflow: ellipsis; white-space: pre; line-height: 1.3; min-height: 1.3em; }
  .inner { padding-left: 24px; }
  .group { font-weight: bold; }
  .off { color: GrayText; }
  .line { height: 0; margin: 4px 0; border-top: 1px solid GrayText; }
  .lit { background: SelectedItem; color: SelectedItemText; }`;

/** Creates an element of the list. Styles of the page could match it, so the list sets its own. */
function createPart(kind, text = "") {
  const el = document.createElementNS(XHTML, "div");
  el.className = kind;
  el.textContent = text;
  return el;
}

class OptionList {
  constructor(select) {
    this.rows = [];
    this.lit = null;
    this.host = createPart("");
    this.host.setAttribute(LIST_MARK, "");
    const root = this.host.attachShadow({ mode: "closed" });
    const style = new CSSStyleSheet();
    style.replaceSync(LIST_STYLE);
    root.adoptedStyleSheets = [style];
    this.list = createPart("list");
    root.append(this.list);
    this.fill(select, "row");
    this.place(select);
    this.light(select.selectedIndex < 0 ? null : select.options[select.selectedIndex]);
  }

  fill(holder, kind, off = false) {
    for (let el = firstElementChild(holder); el !== null; el = nextElement(el)) {
      const tag = localName(el);
      if (styleOf(el).display === "none") continue;
      if (tag === "hr") this.list.append(createPart("line"));
      else if (tag === "option") this.add(el, `${kind}${off || el.disabled ? " off" : ""}`);
      else if (tag === "optgroup") {
        this.list.append(createPart(`row group${el.disabled ? " off" : ""}`, clean(el.label)));
        this.fill(el, "row inner", el.disabled);
      } else this.fill(el, kind, off);
    }
  }

  add(option, kind) {
    const row = createPart(kind, clean(option.label) || "\u00a0");
    this.list.append(row);
    this.rows.push({ option, row, free: !kind.endsWith(" off") });
  }

  /** Places the list below the field, above it if there is more room, or over it if there is little of both. */
  place(select) {
    const box = rectOf(select);
    const style = styleOf(select);
    const size = Math.min(20, Math.max(12, parseFloat(style.fontSize) || 13));
    const set = (name, value) => this.host.style.setProperty(name, value, "important");
    set("all", "initial");
    const fixed = { display: "block", position: "fixed", inset: "auto", margin: "0", padding: "0", border: "0", overflow: "visible", background: "none", "z-index": "2147483647", "color-scheme": style.colorScheme, direction: style.direction, font: `${size}px ${style.fontFamily}` };
    for (const [name, value] of Object.entries(fixed)) set(name, value);
    set("min-width", `${Math.min(Math.max(box.width, 60), innerWidth)}px`);
    set("max-width", `${innerWidth}px`);
    document.documentElement.append(this.host);
    try {
      this.host.popover = "manual";
      this.host.showPopover();
    } catch {
      // Without a top layer the list is above everything with a lower z-index.
    }
    const [above, below] = [box.top, innerHeight - box.bottom];
    const room = Math.max(above, below) < LEAST_HIGH ? innerHeight : Math.max(above, below);
    set("max-height", `${Math.floor(Math.min(MOST_HIGH, room - 2))}px`);
    const { width, height } = rectOf(this.list);
    const top = below >= height || below >= LEAST_HIGH && below >= above ? box.bottom : above >= height ? box.top - height : innerHeight - height;
    set("top", `${Math.max(0, top)}px`);
    set("left", `${Math.max(0, Math.min(box.left, innerWidth - width))}px`);
  }

  remove() {
    this.host.remove();
  }

  holds(x, y) {
    const { left, right, top, bottom } = rectOf(this.list);
    return x >= left && x < right && y >= top && y < bottom;
  }

  /** Returns the selectable option drawn at a point, or null. */
  at(x, y) {
    const drawn = ({ left, right, top, bottom }) => x >= left && x < right && y >= top && y < bottom;
    const found = this.rows.find(({ row, free }) => free && drawn(rectOf(row)));
    return found?.option ?? null;
  }

  light(option) {
    if (option === null) return;
    this.lit = option;
    for (const { row, option: one } of this.rows) {
      row.classList.toggle("lit", one === option);
      if (one !== option) continue;
      const [inner, outer] = [rectOf(row), rectOf(this.list)];
      if (inner.top < outer.top) this.scroll(inner.top - outer.top - 5);
      else if (inner.bottom > outer.bottom) this.scroll(inner.bottom - outer.bottom + 5);
    }
  }

  scroll(by) {
    this.list.scrollTop += by;
  }

  /** Moves the highlight among the selectable options by so many; it stops at both ends. */
  step(by) {
    const free = this.rows.filter((one) => one.free);
    if (free.length === 0) return;
    const now = free.findIndex(({ option }) => option === this.lit);
    const next = now < 0 ? (by > 0 ? 0 : free.length - 1) : Math.min(free.length - 1, Math.max(0, now + by));
    this.light(free[next].option);
  }

  find(words, next) {
    const free = this.rows.filter((one) => one.free);
    const now = free.findIndex(({ option }) => option === this.lit);
    const from = Math.max(0, next ? now + 1 : now);
    const inOrder = [...free.slice(from), ...free.slice(0, from)];
    const found = inOrder.find(({ option }) => clean(option.label).toLowerCase().startsWith(words));
    if (found !== undefined) this.light(found.option);
  }
}
