// Lanes of a run during execution: each item in the colour of its state, with a word and an icon; a press shows
// its inputs and outputs.

import { h, icon, intent, scrolling } from '../../shared/ui/dom.js';
import { morph } from '../../shared/ui/morph.js';
import { itemDetail } from './item_detail.js';
import { BindingLines } from '../../agents/editor/board/binding_lines.js';
import { CONTEXT, bindingsOf, find, lanesOf } from '../../agents/spec/lanes.js';
import { calleeOf, contextOf } from '../../agents/spec/ports.js';
import { itemState, pathTo } from './lane_progress.js';
import { titleOf } from '../../agents/spec/spec.js';
import { whenLine } from '../../agents/spec/condition.js';
import { isActive, stateIcon } from '../../shared/run_status.js';
import { duration } from '../../shared/text/locale.js';

class RunBoard extends HTMLElement {
  #last = {};
  #picked = null; // item id
  #active = ''; // items that are running or asking
  #columns = h('div', { class: 'columns' });
  #content = h('div', { class: 'board-content' });
  #wires = new BindingLines(this.#content, () => {});
  #head = h('div', { class: 'rb-head' });
  #detail = h('div', { class: 'rb-detail' });
  #scroll = h('div', { class: 'rb-scroll', tabindex: '0', role: 'group' });

  connectedCallback() {
    if (this.#content.parentNode) return;
    this.#content.append(this.#wires.node, this.#columns);
    this.#scroll.append(this.#content);
    this.append(this.#head, this.#scroll, this.#detail);
    new ResizeObserver(() => this.#draw()).observe(this.#columns);
  }

  /** `board`: { runId, spec, progress, watch, hasPage } of the shown run; null: no lanes. */
  update({ t, route, board, agents }) {
    this.hidden = route !== 'run' || !board;
    if (this.hidden) return;
    const same = Object.keys(board).every((key) => this.#last.board?.[key] === board[key]) && this.#last.t === t && this.#last.agents === agents;
    if (same) return;
    if (this.#last.board?.runId !== board.runId) this.#picked = null;
    this.#last = { t, board, agents };
    this.#render();
  }

  #render() {
    const { t, board, agents } = this.#last;
    const { spec, runId, progress } = board;
    this.dataset.watch = board.watch;
    this.#scroll.hidden = Boolean(board.isSingle);
    if (board.isSingle) return this.#single(t, board);
    morph(this.#head, this.#path(t, board, agents), this.#views(t, board));
    this.#scroll.setAttribute('aria-label', t('rb.label'));
    if (!spec) {
      morph(this.#columns, h('p', { class: 'empty' }, t(spec === undefined ? 'loading' : 'rb.gone')));
      return morph(this.#detail);
    }
    if (lanesOf(spec).length === 0 && spec.isFound) {
      // The reason for a missing plan is shown below.
      this.#scroll.hidden = !isActive(progress.runs[runId].status);
      morph(this.#columns, h('p', { class: 'empty' }, t('orch.planning')));
      return this.#showDetail(spec);
    }
    const known = new Set(lanesOf(spec).flatMap((lane) => (lane.items ?? []).map(({ id }) => id)));
    const stray = Object.keys(progress.runs[runId]?.items ?? {}).filter((id) => !known.has(id));
    morph(this.#columns, this.#context(t, spec, progress.runs[runId]), ...lanesOf(spec).map((lane, at) => this.#lane(t('board.lane', { n: at + 1 }), lane.items ?? [], `lane-${at}`, at)),
      stray.length > 0 && this.#lane(t('rb.stray'), stray.map((id) => ({ id, agent: this.#agentOf(id) })), 'stray'));
    this.#showDetail(spec);
    this.#follow();
    return this.#draw();
  }

  // Scrolls started items into view, sideways only.
  #follow() {
    const active = [...this.#columns.querySelectorAll(':is([data-state="running"], [data-state="asks"])[data-item]')];
    const ids = active.map((card) => card.dataset.item).join();
    if (ids === this.#active) return;
    this.#active = ids;
    const [card, view] = [active.at(-1)?.closest('.lane'), this.#scroll];
    if (!card) return;
    const [left, right] = [card.offsetLeft - 12, card.offsetLeft + card.offsetWidth + 12];
    if (left < view.scrollLeft || right > view.scrollLeft + view.clientWidth) view.scrollTo({ left: Math.max(0, right - view.clientWidth), behavior: scrolling() });
  }

  #single(t, { runId, progress }) {
    morph(this.#head);
    morph(this.#detail, itemDetail(t, { whole: progress.runs[runId], isSingle: true }));
  }

  #agentOf(id) {
    const { runs } = this.#last.board.progress;
    return runs[this.#last.board.runId].items[id].agent ?? '…';
  }

  #draw() {
    const { board } = this.#last;
    if (board?.spec) this.#wires.draw(bindingsOf(board.spec));
  }

  // Path from the task to the shown run.
  #path(t, { focus, progress }, agents) {
    const path = pathTo(progress, focus);
    const title = (id) => titleOf((agents.items ?? []).find(({ name }) => name === progress.runs[id].agent) ?? { name: progress.runs[id].agent }, t.locale);
    const links = path.map((id, at) => h('li', {}, at === path.length - 1 ? h('span', { 'aria-current': 'page' }, title(id)) : h('a', { href: at === 0 ? `#/runs/${path[0]}` : `#/runs/${path[0]}/${id}` }, title(id))));
    return h('nav', { 'aria-label': t('rb.path') }, h('ol', { class: 'rb-path' }, links));
  }

  #views(t, { watch, hasPage }) {
    if (!hasPage) return null;
    const one = (name, symbol) => h('button', { class: 'tab', 'aria-pressed': String(watch === name), onclick: () => intent(this, 'watch', { what: name }) }, icon(symbol), t(`rb.${name}`));
    return h('div', { class: 'rb-views', role: 'group', 'aria-label': t('tab.views') }, one('board', 'lanes'), one('page', 'window'));
  }

  #context(t, spec, run) {
    if (contextOf(spec).length === 0) return null;
    const value = (variable) => (run?.input && variable.name in run.input ? run.input[variable.name] : variable.value ?? variable.default);
    const shown = (given) => (given === undefined || given === null ? '—' : typeof given === 'string' ? given : JSON.stringify(given));
    return h('section', { class: 'lane ctx', 'aria-labelledby': 'rb-ctx', data: { key: 'ctx' } }, h('header', { class: 'lane-head' }, h('h2', { id: 'rb-ctx' }, t('board.context'))),
      h('dl', { class: 'ctx-card rb-ctx' }, contextOf(spec).map((variable) => h('div', { class: 'out' }, h('dt', { class: 'var' }, variable.name), h('dd', {}, shown(value(variable)),
        h('span', { class: 'port', data: { port: `out ${CONTEXT} ${variable.name}` } }))))));
  }

  #lane(title, items, key, at = null) {
    return h('section', { class: 'lane', 'aria-labelledby': `rb-${key}`, data: { key } },
      h('header', { class: 'lane-head' }, h('h2', { id: `rb-${key}` }, title)),
      h('ul', { class: 'lane-items' }, items.map((item) => h('li', { data: { key: item.id } }, this.#card(item, at)))));
  }

  #card(item, at) {
    const { t, board, agents } = this.#last;
    const state = itemState(board.progress, board.runId, item.id, at);
    const called = calleeOf(board.spec, agents.items, item);
    const seconds = state.startedAt && state.endedAt ? (Date.parse(state.endedAt) - Date.parse(state.startedAt)) / 1000 : 0;
    const took = seconds < 1 ? null : duration(seconds);
    const title = titleOf(called, t.locale) || item.agent;
    const word = t.has(`item.state.${state.status}`) ? t(`item.state.${state.status}`) : state.status;
    const condition = item.when && `${t('when.if')} ${whenLine(item.when, t)}`;
    return h('button', { class: 'item rb-item', 'aria-label': `${title}: ${word}`, 'aria-description': [condition, took].filter(Boolean).join(', ') || null, 'aria-pressed': String(this.#picked === item.id), data: { item: item.id, state: state.status, testid: `run-item-${item.agent}` }, onclick: () => this.#pick(item.id) },
      h('span', { class: 'rb-in' }, (item.bindings ?? []).map(({ to_var: name }) => h('span', { class: 'port', data: { port: `in ${item.id} ${name}` } }))),
      h('span', { class: 'rb-title' }, title),
      condition && h('span', { class: 'rb-when' }, condition),
      h('span', { class: 'state', data: { state: state.status } }, icon(stateIcon(state.status)), h('span', {}, word),
        state.attempt > 1 && h('span', { class: 'rb-more' }, t('rb.attempt', { n: state.attempt })), took && h('span', { class: 'rb-more' }, took)),
      h('span', { class: 'rb-out' }, outsOf(board.spec, item.id).map((name) => h('span', { class: 'port', data: { port: `out ${item.id} ${name}` } }))));
  }

  #pick(id) {
    this.#picked = this.#picked === id ? null : id;
    this.#render();
    if (this.#picked) this.#detail.scrollIntoView({ block: 'nearest', behavior: scrolling() });
  }

  #showDetail(spec) {
    const { t, board, agents } = this.#last;
    const { item, lane } = find(spec, this.#picked) ?? {};
    const run = board.progress.runs[board.runId];
    if (item) morph(this.#detail, itemDetail(t, { item, state: itemState(board.progress, board.runId, item.id, lane), called: calleeOf(spec, agents.items, item), root: pathTo(board.progress, board.runId)[0] ?? board.runId, close: () => this.#pick(item.id) }));
    else morph(this.#detail, run && !isActive(run.status) ? itemDetail(t, { whole: run, runs: board.progress.runs, root: pathTo(board.progress, board.runId)[0] ?? board.runId }) : h('p', { class: 'rb-hint' }, t('rb.hint')));
  }
}

/** Returns names of outputs that other items use. */
const outsOf = (spec, id) => [...new Set(bindingsOf(spec).filter(({ from }) => from.item === id).map(({ from }) => from.name))];

customElements.define('af-runboard', RunBoard);
