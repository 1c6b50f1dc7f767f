// Lines between bound variables, drawn behind the cards of a board. They serve mouse users; the drop-down of
// each input offers the same to everybody.

const SVG = 'http://www.w3.org/2000/svg';

const svg = (tag, attributes = {}) => {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
};

export class BindingLines {
  #drawn = new Map(); // key -> { group, line, hit }
  #loose = svg('path', { class: 'wire-loose' });

  /** `content` holds the ports; `unbind(to)` is called with the input of the clicked line. */
  constructor(content, unbind) {
    this.content = content;
    this.unbind = unbind;
    this.node = svg('svg', { class: 'wires', 'aria-hidden': 'true' });
    this.node.append(this.#loose);
  }

  draw(wires, label = () => '') {
    const wanted = new Map(wires.map((wire) => [`${wire.to.item} ${wire.to.name}`, wire]));
    for (const [key, { group }] of this.#drawn) {
      if (wanted.has(key)) continue;
      group.remove();
      this.#drawn.delete(key);
    }
    const box = this.content.getBoundingClientRect();
    this.node.setAttribute('width', this.content.scrollWidth);
    this.node.setAttribute('height', this.content.scrollHeight);
    const ports = new Map([...this.content.querySelectorAll('[data-port]')].map((port) => [port.dataset.port, port]));
    for (const [key, wire] of wanted) this.#place(key, wire, ports, box, label(wire));
  }

  #place(key, wire, ports, box, title) {
    const [from, to] = [ports.get(`out ${wire.from.item} ${wire.from.name}`), ports.get(`in ${key}`)];
    const drawn = this.#drawn.get(key) ?? this.#make(key, wire.to);
    drawn.group.toggleAttribute('hidden', !from || !to);
    if (!from || !to) return;
    const [a, b] = [middle(from, box), middle(to, box)];
    const path = curve(a, b);
    for (const part of [drawn.line, drawn.hit]) part.setAttribute('d', path);
    drawn.cut.setAttribute('transform', `translate(${(a.x + b.x) / 2} ${(a.y + b.y) / 2})`);
    drawn.title.textContent = title;
    drawn.group.dataset.ends = `${wire.from.item} ${wire.to.item}`;
  }

  #make(key, to) {
    const group = svg('g', { class: 'wire' });
    const [line, hit, cut, title] = [svg('path', { class: 'wire-line' }), svg('path', { class: 'wire-hit' }), svg('g', { class: 'wire-cut' }), svg('title')];
    cut.append(svg('circle', { r: '9' }), svg('path', { d: 'm-3.5-3.5 7 7m0-7-7 7' }));
    group.append(title, line, hit, cut);
    group.addEventListener('click', () => this.unbind(to));
    this.node.insertBefore(group, this.#loose);
    const drawn = { group, line, hit, cut, title };
    this.#drawn.set(key, drawn);
    return drawn;
  }

  /** Draws the unfinished line of a drag, from a port to a point of the window; null removes it. */
  loose(port, point) {
    const box = this.content.getBoundingClientRect();
    const [from, to] = point ? [middle(port, box), { x: point.x - box.left, y: point.y - box.top }] : [];
    this.#loose.setAttribute('d', point ? (port.dataset.port.startsWith('in ') ? curve(to, from) : curve(from, to)) : '');
  }

  /** Highlights the lines of an item; null highlights none. */
  point(item) {
    for (const { group } of this.#drawn.values()) group.toggleAttribute('data-hot', item !== null && group.dataset.ends?.split(' ').includes(item));
  }
}

const middle = (port, box) => {
  const { left, top, width, height } = port.getBoundingClientRect();
  return { x: left + width / 2 - box.left, y: top + height / 2 - box.top };
};

// Leaves on the right and enters on the left; a backward line makes a wide bow.
function curve(a, b) {
  const reach = b.x > a.x ? Math.max(24, (b.x - a.x) / 2) : Math.max(48, (a.x - b.x) / 3);
  return `M${a.x} ${a.y}C${a.x + reach} ${a.y} ${b.x - reach} ${b.y} ${b.x} ${b.y}`;
}
