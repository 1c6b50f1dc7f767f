// Board of a composite agent: context on the left, lanes as columns with items as cards, outputs on the right.
// A mouse drags them; on the keyboard, arrows on its grip move a card, and the drop-downs of its inputs bind
// it.

import { h, icon, intent } from '../../../shared/ui/dom.js';
import { morph } from '../../../shared/ui/morph.js';
import { choice, faultList } from '../../../shared/ui/fields.js';
import { itemCard, outPort } from './item_card.js';
import { variableRows } from '../form/variable_rows.js';
import { BoardDrag } from './board_drag.js';
import { BindingLines } from './binding_lines.js';
import { CONTEXT, bindingsOf, find, lanesOf } from '../../spec/lanes.js';
import { outputSources } from '../../spec/ports.js';
import { kindOf, titleOf } from '../../spec/spec.js';
import { ofLane } from '../../spec/faults.js';

class Board extends HTMLElement {
  #board = null; // state that the cards are drawn from
  #opened = new Set(); // items whose condition is open for editing
  #refocus = null;
  #columns = h('div', { class: 'columns' });
  #content = h('div', { class: 'board-content' });
  #wires = new BindingLines(this.#content, (to) => this.#unbind(to));

  connectedCallback() {
    if (this.#content.parentNode) return;
    this.#content.append(this.#wires.node, this.#columns);
    this.append(this.#content);
    this.drag = new BoardDrag(this, this.#wires, () => this.#board);
    new ResizeObserver(() => this.#draw()).observe(this.#columns);
    this.addEventListener('pointerover', ({ target }) => this.#wires.point(target.closest?.('[data-item]')?.dataset.item ?? null));
    this.addEventListener('toggle', () => this.#draw(), true); // an unfolded card moves the others
    this.addEventListener('scroll', () => this.#draw(), true);
  }

  update({ t, spec, agents, faults }) {
    const same = this.#board && this.#board.t === t && this.#board.spec === spec && this.#board.agents === agents && this.#board.faults === faults;
    if (same && !this.#refocus) return;
    this.#board = {
      t, spec, agents, faults, opened: this.#opened,
      edit: (op, args, key) => intent(this, 'edit', { op, args, key }),
      open: (id, isOpen) => this.#open(id, isOpen),
      keys: (event, id) => this.#keys(event, id),
      remove: (id) => this.#remove(id),
    };
    this.#render();
  }

  #render() {
    const { t, spec } = this.#board;
    const lanes = lanesOf(spec);
    morph(this.#columns, this.#context(), ...lanes.map((lane, at) => this.#lane(lane, at, lanes.length)), this.#newLane(t, lanes.length), this.#results());
    this.#draw();
    if (this.#refocus) this.querySelector(`[data-focus="${CSS.escape(this.#refocus)}"]`)?.focus();
    this.#refocus = null;
  }

  #draw() {
    const { t, spec } = this.#board ?? {};
    if (spec) this.#wires.draw(bindingsOf(spec), ({ from, to }) => t('board.unbind', { from: from.name, to: to.name }));
  }

  #context() {
    const { t } = this.#board;
    const port = (variable) => h('ul', { class: 'outs' }, outPort(t, CONTEXT, variable, t('board.context')));
    return h('section', { class: 'lane ctx', 'aria-labelledby': 'ctx-title', data: { key: 'ctx', item: CONTEXT, testid: 'context' } },
      h('header', { class: 'lane-head' }, h('h2', { id: 'ctx-title' }, t('board.context'))),
      h('div', { class: 'ctx-card' }, variableRows(this.#board, 'inputs', port), variableRows(this.#board, 'locals', port)));
  }

  #results() {
    const { t, spec, agents } = this.#board;
    const orphans = (spec.outputs ?? []).filter(({ name }) => outputSources(spec, agents, name).length === 0);
    return h('section', { class: 'lane ctx', 'aria-labelledby': 'out-title', data: { key: 'out', testid: 'results' } },
      h('header', { class: 'lane-head' }, h('h2', { id: 'out-title' }, t('board.results'))),
      h('div', { class: 'ctx-card' }, variableRows(this.#board, 'outputs'), orphans.length > 0 && lanesOf(spec).some((lane) => lane.items?.length)
        && h('p', { class: 'vars-none' }, t('board.orphans', { names: orphans.map(({ name }) => name).join(', ') }))));
  }

  #lane(lane, at, count) {
    const { t, faults, edit } = this.#board;
    const move = (by) => { this.#refocus = `lane:${at + by}`; edit('moveLane', [at, at + by]); };
    const tool = (symbol, key, does, off = false) => h('button', { class: 'quiet bare', 'aria-label': t(key, { n: at + 1 }), title: t(key, { n: at + 1 }), disabled: off, onclick: does }, icon(symbol));
    return h('section', { class: 'lane', 'aria-labelledby': `lane-${at}`, data: { key: `lane-${at}`, lane: String(at), testid: `lane-${at + 1}` } },
      h('header', { class: 'lane-head', data: { drag: 'lane', lane: String(at) } },
        h('h2', { id: `lane-${at}`, tabindex: '-1', data: { focus: `lane:${at}` } }, t('board.lane', { n: at + 1 })),
        tool('prev', 'board.lane.left', () => move(-1), at === 0), tool('next', 'board.lane.right', () => move(1), at === count - 1), tool('trash', 'board.lane.remove', () => edit('removeLane', [at]))),
      faultList(ofLane(faults, at), t),
      h('div', { class: 'lane-items' }, (lane.items ?? []).map((item) => itemCard(this.#board, item, at))),
      this.#adder(at));
  }

  // Adds an agent without dragging, for keyboards and phones.
  #adder(at) {
    const { t, agents, spec } = this.#board;
    const all = [...(agents ?? []).filter(({ name }) => name !== spec.name), spec];
    return choice({
      class: 'adder', value: '', 'aria-label': t('board.add.to', { n: at + 1 }), data: { testid: `add-to-${at + 1}` },
      options: [{ value: '', label: t('board.add') }, ...all.map((agent) => ({ value: agent.name, label: agent === spec ? t('board.itself', { title: titleOf(agent, t.locale) }) : `${titleOf(agent, t.locale)} (${t(`kind.${kindOf(agent)}`)})` }))],
      onchange: (event) => { const agent = event.target.value; event.target.value = ''; this.add(agent, at); },
    });
  }

  #newLane(t, at) {
    return h('div', { class: 'new-lane', data: { key: 'new-lane', lane: String(at), testid: 'new-lane' } }, h('button', { onclick: () => { this.#refocus = `lane:${at}`; this.#board.edit('addLane', []); } }, icon('plus'), t('board.lane.add')));
  }

  // ------------------------------------------------------------ intents

  /** Puts a call of an agent into a lane. */
  add(agent, lane, place = undefined) {
    const id = crypto.randomUUID();
    const { t, spec, edit } = this.#board;
    this.#refocus = `grip:${id}`;
    edit('addItem', [{ id, agent }, lane, place]);
    this.#say('board.added', agent === spec.name ? spec : this.#called(agent), { lane: lane + 1, t });
  }

  #called(name) {
    return (this.#board.agents ?? []).find((agent) => agent.name === name) ?? { name };
  }

  #say(key, agent, params) {
    const { t } = this.#board;
    intent(this, 'say', { text: t(key, { title: titleOf(agent, t.locale), ...params }) });
  }

  #open(id, isOpen) {
    this.#opened[isOpen ? 'add' : 'delete'](id);
    this.#render();
  }

  #remove(id) {
    const { spec, edit } = this.#board;
    const { item, lane, place } = find(spec, id);
    const rest = lanesOf(spec)[lane].items.filter((one) => one.id !== id);
    const next = rest[Math.min(place, rest.length - 1)];
    this.#refocus = next ? `grip:${next.id}` : `lane:${lane}`;
    edit('removeItem', [id]);
    this.#say('board.removed', this.#called(item.agent), {});
  }

  #unbind(to) {
    this.#board.edit('unbind', [to]);
    intent(this, 'say', { text: this.#board.t('board.unbound.notice', { name: to.name }) });
  }

  #keys(event, id) {
    const { spec, edit } = this.#board;
    if (event.key === 'Delete' || event.key === 'Backspace') { event.preventDefault(); this.#remove(id); return; }
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    const { item, lane, place } = find(spec, id);
    const to = by && { lane: lane + by[0], place: by[0] ? place : place + by[1] };
    if (!to || to.lane < 0 || to.lane >= lanesOf(spec).length || to.place < 0) return;
    event.preventDefault();
    this.#refocus = `grip:${id}`;
    edit('moveItem', [id, to.lane, to.place]);
    this.#say('board.moved', this.#called(item.agent), { lane: to.lane + 1, place: to.place + 1 });
  }
}

customElements.define('af-board', Board);
