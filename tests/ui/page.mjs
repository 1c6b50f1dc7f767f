// Minimal document in which elements can be drawn and pressed without a browser.

class Node {
  constructor(tag) {
    Object.assign(this, { tag, dataset: {}, children: [], attributes: {}, listeners: {}, parent: null, hidden: false, disabled: false, style: {} });
  }

  append(...nodes) {
    for (const node of nodes) {
      if (node instanceof Node) node.remove();
      if (node instanceof Node) node.parent = this;
      this.children.push(node);
    }
  }

  /** Children as `morph` needs them, for a first drawing. */
  get childNodes() { return this.children; }
  get firstChild() { return this.children[0] ?? null; }
  insertBefore(node) { this.append(node); }

  remove() {
    if (this.parent) this.parent.children = this.parent.children.filter((child) => child !== this);
    this.parent = null;
  }

  replaceChildren(...nodes) {
    for (const child of this.children) if (child instanceof Node) child.parent = null;
    this.children = [];
    this.append(...nodes);
  }

  setAttribute(name, value) { this.attributes[name] = value; }
  removeAttribute(name) { delete this.attributes[name]; }
  addEventListener(type, handler) { (this.listeners[type] ??= []).push(handler); }
  dispatchEvent(event) { for (const handler of this.listeners[event.type] ?? []) handler(event); }
  toggleAttribute() {}
  focus() {}
  select() {}

  get textContent() { return this.children.map((child) => (child instanceof Node ? child.textContent : String(child))).join(''); }
  set textContent(text) { this.replaceChildren(text); }

  /** All descendants, in document order. */
  get all() { return this.children.filter((child) => child instanceof Node).flatMap((child) => [child, ...child.all]); }

  /** Finds an element by its class or tag. */
  querySelector(selector) {
    if (/^[a-z]+$/.test(selector)) return this.all.find((node) => node.tag === selector) ?? null;
    return this.all.find((node) => selector.startsWith('.') && (node.className ?? '').split(' ').includes(selector.slice(1))) ?? null;
  }

  /** Finds elements by tag name alone. */
  querySelectorAll(selector) {
    const tags = selector.split(', ');
    return this.all.filter((node) => tags.includes(node.tag));
  }
}

globalThis.HTMLElement = Node;
globalThis.location = { origin: 'http://here' };
globalThis.ResizeObserver = class { observe() {} };
globalThis.document = { createElement: (tag) => new Node(tag), createElementNS: (_, tag) => new Node(tag) };
globalThis.CustomEvent ??= class { constructor(type, { detail }) { Object.assign(this, { type, detail }); } };

const defined = {};
globalThis.customElements = { define: (name, type) => { defined[name] = type; } };

export const make = (name) => new defined[name](name);

export const named = (root, testid) => root.all.find((node) => node.dataset.testid === testid) ?? null;

/** Makes a node with these children, as `append` takes them. */
export function within(nodes) {
  const root = new Node('div');
  root.append(...nodes.flat().filter((node) => node instanceof Node));
  return root;
}
