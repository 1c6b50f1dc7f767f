// Drag and drop on a board: agents of the palette and cards into lanes, lanes among lanes, variables onto
// variables.

import { h } from '../../../shared/ui/dom.js';
import { Drag } from '../../../shared/ui/drag.js';
import { mayTake } from '../../spec/lanes.js';
import { suggestedInput } from '../../spec/ports.js';

export class BoardDrag {
  #spot = null; // current drop position: { lane, place } or { to, from }
  #picked = null; // first pressed port of a pair
  #line = h('div', { class: 'drop-line', 'aria-hidden': 'true' });

  /** `board()` returns the state that the board is drawn from. */
  constructor(host, wires, board) {
    Object.assign(this, { host, wires, board });
    // Screen readers press without a pointer: `detail` is 0.
    host.addEventListener('click', (event) => event.detail === 0 && event.target.closest('.port') && this.#tap(event.target.closest('.port')));
    // The palette is outside the board.
    this.drag = new Drag(host.closest('af-editor') ?? host, host, {
      start: (drag) => this.#start(drag),
      over: (drag, point, under) => this.#over(drag, point, under),
      drop: (drag) => this.#drop(drag),
      end: () => this.#end(),
      tap: (node) => this.#tap(node),
    });
  }

  // Two ports pressed one after the other are bound, as by a drag.
  #tap(node) {
    const port = node.matches('.port') ? node : node.querySelector('.port');
    const first = this.#picked;
    this.#unpick();
    if (!port || first?.node === port) return;
    const data = { ...port.closest('.out, .in').dataset };
    const kind = port.dataset.port.startsWith('in ') ? 'in' : 'out';
    if (first && first.kind !== kind) {
      const [out, input] = kind === 'in' ? [first.data, data] : [data, first.data];
      if (mayTake(this.board().spec, out.from, input.into)) this.board().edit('bind', [{ item: out.from, name: out.name }, { item: input.into, name: input.name }]);
      return;
    }
    this.#picked = { node: port, kind, data };
    port.toggleAttribute('data-picked', true);
    this.host.dataset.binding = kind;
    this.#offer(kind, data);
  }

  #unpick() {
    this.#picked?.node.removeAttribute('data-picked');
    this.#picked = null;
    delete this.host.dataset.binding;
    this.#clear();
  }

  #start(drag) {
    this.#unpick();
    const { kind, node, data } = drag;
    if (kind === 'out' || kind === 'in') {
      drag.port = node.matches('.port') ? node : node.querySelector('.port');
      this.#offer(kind, data);
      return h('div', { class: 'ghost-var' }, data.name);
    }
    const text = node.closest('.item')?.querySelector('h3')?.textContent ?? node.textContent;
    node.closest('.item, .lane')?.setAttribute('data-taken', '');
    return h('div', { class: 'ghost-card' }, text);
  }

  // Highlights the variables that accept the dragged one.
  #offer(kind, { from, into }) {
    const { spec } = this.board();
    for (const node of this.host.querySelectorAll('[data-into], .out[data-from]')) {
      const fits = kind === 'out' ? node.dataset.into && mayTake(spec, from, node.dataset.into) : node.dataset.from && mayTake(spec, node.dataset.from, into);
      node.toggleAttribute('data-offer', Boolean(fits));
    }
  }

  #over({ kind, data, port }, point, under) {
    this.#spot = null;
    if (kind === 'out' || kind === 'in') {
      this.wires.loose(port, point);
      this.#spot = kind === 'out' ? this.#inputUnder(data, under) : this.#outputUnder(data, under);
      this.#mark(this.#spot?.node ?? null);
    } else if (kind === 'lane') {
      this.#laneSpot(data, under, point);
    } else {
      this.#cardSpot(data, under, point);
    }
  }

  #mark(node) {
    for (const old of this.host.querySelectorAll('[data-over]')) old.removeAttribute('data-over');
    node?.setAttribute('data-over', '');
  }

  #inputUnder({ from, name }, under) {
    const { spec, agents } = this.board();
    const item = under?.closest?.('.item');
    if (!item || !this.host.contains(item) || !mayTake(spec, from, item.dataset.item)) return null;
    const row = under.closest('.in') ?? [...item.querySelectorAll('.in')].find((one) => one.dataset.name === suggestedInput(spec, agents, item.dataset.item, name));
    return row ? { node: row, from: { item: from, name }, to: { item: item.dataset.item, name: row.dataset.name } } : null;
  }

  #outputUnder({ into, name }, under) {
    const out = under?.closest?.('.out');
    if (!out || !this.host.contains(out) || !mayTake(this.board().spec, out.dataset.from, into)) return null;
    return { node: out, from: { item: out.dataset.from, name: out.dataset.name }, to: { item: into, name } };
  }

  #cardSpot({ item }, under, { y }) {
    const column = under?.closest?.('[data-lane]');
    if (!column || !this.host.contains(column)) return this.#line.remove();
    const cards = [...column.querySelectorAll('.item')].filter((card) => card.dataset.item !== item);
    const place = cards.filter((card) => { const { top, height } = card.getBoundingClientRect(); return y > top + height / 2; }).length;
    this.#spot = { lane: Number(column.dataset.lane), place };
    const list = column.querySelector('.lane-items');
    if (list) list.insertBefore(this.#line, cards[place] ?? null);
    else column.prepend(this.#line);
    return this.#mark(column);
  }

  #laneSpot({ lane }, under, { x }) {
    const column = under?.closest?.('.lane[data-lane]');
    if (!column || !this.host.contains(column)) return;
    const { left, width } = column.getBoundingClientRect();
    const at = Number(column.dataset.lane) + (x > left + width / 2 ? 1 : 0);
    const from = Number(lane);
    this.#spot = { from, to: at > from ? at - 1 : at };
    this.#mark(column);
  }

  #drop({ kind, data }) {
    const spot = this.#spot;
    if (!spot) return;
    const { edit } = this.board();
    if (kind === 'out' || kind === 'in') edit('bind', [spot.from, spot.to]);
    else if (kind === 'lane') edit('moveLane', [spot.from, spot.to]);
    else if (kind === 'item') edit('moveItem', [data.item, spot.lane, spot.place]);
    else this.host.add(data.agent, spot.lane, spot.place);
  }

  #end() {
    this.#spot = null;
    this.#line.remove();
    this.wires.loose(null, null);
    this.#mark(null);
    this.#clear();
  }

  #clear() {
    for (const node of this.host.querySelectorAll('[data-offer], [data-taken]')) { node.removeAttribute('data-offer'); node.removeAttribute('data-taken'); }
  }
}
