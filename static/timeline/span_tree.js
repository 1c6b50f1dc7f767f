// Tree of a run with its timeline: a row for each unfolded span, with its bar on a common axis. Only visible
// rows are in the document, for runs of thousands of steps.

import { h, icon } from '../shared/ui/dom.js';
import { morph } from '../shared/ui/morph.js';
import { axisOf, bars, busyStretches, placeOf, ticks, longGaps } from './spans/time_axis.js';
import { rowsOf, stepTo } from './spans/spans.js';
import { groupIcon, groupTitle, spanAside, spanIcon, spanState, spanTitle, spanWord, formatDuration, tookMs } from './spans/span_text.js';

const LABEL = 76; // px that a label of the time axis takes
const BEYOND = 8; // rows above and below the view
const NARROW = '(max-width: 820px)';

const percent = (part) => `${(part * 100).toFixed(3)}%`;

export class SpanTree {
  hasWaits = false;
  #intent;
  #ruler = h('div', { class: 'ruler', 'aria-hidden': 'true' });
  #rows = h('div', { class: 'span-rows', role: 'tree', tabindex: '0', data: { testid: 'span-tree' } });
  #narrow = matchMedia(NARROW);
  #view = null;
  #list = [];
  #listOf = [];
  #measured = [];
  #width = 600;
  node = h('section', { class: 'in-chart' }, this.#ruler, this.#rows);

  constructor(intent) {
    this.#intent = intent;
    this.node.addEventListener('scroll', () => this.#draw(), { passive: true });
    this.#rows.addEventListener('keydown', (event) => this.#key(event));
    this.#narrow.addEventListener('change', () => this.#draw());
    new ResizeObserver(([entry]) => { this.#width = entry.contentRect.width; if (this.#view) this.show(this.#view); }).observe(this.node);
  }

  focus() {
    this.#rows.focus({ preventScroll: true });
  }

  get #height() { return this.#narrow.matches ? 48 : 30; }

  get #trackWidth() { return this.#narrow.matches ? this.#width - 32 : this.#width - 360; }

  show(view) {
    const { inside, now, t } = view;
    const picked = this.#view?.inside.picked;
    this.#view = view;
    const { tree, open, timeline, folds } = inside;
    if (this.#listOf[0] !== tree || this.#listOf[1] !== open) {
      this.#list = rowsOf(tree, open);
      this.#listOf = [tree, open];
    }
    this.#measure(timeline, tree.top, folds, now);
    this.#rows.setAttribute('aria-label', t('in.tree'));
    this.#draw();
    if (inside.picked !== picked) this.#reveal(inside.picked);
  }

  // The axis of an ended run does not change.
  #measure(timeline, top, folds, now) {
    const key = [timeline, folds, top.to];
    if (top.to !== null && key.every((part, at) => part === this.#measured[at])) return;
    this.#measured = key;
    const end = top.to ?? now;
    const long = longGaps(busyStretches(Object.values(timeline.spans), now), top.from, end);
    this.hasWaits = long.length > 0;
    this.axis = axisOf(top.from, end, folds ? long : []);
  }

  #at(key) { return this.#list.findIndex((row) => row.key === key); }

  #key(event) {
    const { inside } = this.#view;
    const at = Math.max(0, this.#at(inside.picked));
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      const row = this.#list[at];
      return this.#intent(row?.group ? 'inToggle' : 'inPick', { key: row?.key });
    }
    if (event.altKey || event.ctrlKey || event.metaKey) return undefined;
    const does = inside.picked === null && event.key.startsWith('Arrow') ? { pick: 0 } : stepTo(this.#list, at, event.key);
    if (!does) return undefined;
    event.preventDefault();
    return 'toggle' in does ? this.#intent('inToggle', { key: does.toggle }) : this.#intent('inPick', { key: this.#list[does.pick].key });
  }

  // Scrolls a row selected by keys into view.
  #reveal(key) {
    const at = this.#at(key);
    if (at < 0) return;
    const [top, height, head] = [at * this.#height, this.#height, this.#ruler.offsetHeight];
    const { scrollTop, clientHeight } = this.node;
    if (top < scrollTop) this.node.scrollTop = top;
    else if (top + height + head > scrollTop + clientHeight) this.node.scrollTop = top + height + head - clientHeight;
    this.#draw();
  }

  #draw() {
    if (!this.#view) return;
    const height = this.#height;
    const first = Math.max(0, Math.floor(this.node.scrollTop / height) - BEYOND);
    const last = Math.min(this.#list.length, Math.ceil((this.node.scrollTop + (this.node.clientHeight || 800)) / height) + BEYOND);
    this.#rows.style.height = `${this.#list.length * height}px`;
    const active = this.#view.inside.picked;
    if (active && this.#at(active) >= 0) this.#rows.setAttribute('aria-activedescendant', `span-${active}`);
    else this.#rows.removeAttribute('aria-activedescendant');
    morph(this.#rows, this.#grid(), ...this.#list.slice(first, last).map((row, at) => this.#row(row, (first + at) * height)));
    morph(this.#ruler, h('div', { class: 'ruler-track' }, ...this.#marks()));
  }

  #marks() {
    const { t } = this.#view;
    const most = Math.max(2, Math.floor(this.#trackWidth / 84));
    const folded = this.axis.pieces.filter((piece) => piece.folded);
    const label = LABEL / Math.max(LABEL, this.#trackWidth); // a label stands after its mark and must end before a fold
    const near = ({ x, w }, mark) => mark.x > x - label && mark.x < x + w + 0.005;
    return [...ticks(this.axis, most).filter((mark) => mark.x < 0.97 && !folded.some((piece) => near(piece, mark))).map(({ x, ms }) => h('span', { class: 'tick', style: `left: ${percent(x)}` }, ms === 0 ? '0' : formatDuration(ms, t.locale))),
      ...folded.map(({ x, w, from, to }) => h('span', { class: 'tick gap', title: t('in.gap', { time: formatDuration(to - from, t.locale) }), style: `left: ${percent(x + w / 2)}` }, '⋯'))];
  }

  // Lines behind all rows, and the strips of folded time.
  #grid() {
    const most = Math.max(2, Math.floor(this.#trackWidth / 84));
    return h('div', { class: 'span-grid', 'aria-hidden': 'true', data: { key: 'grid' } },
      ...ticks(this.axis, most).map(({ x }) => h('i', { class: 'line', style: `left: ${percent(x)}` })),
      ...this.axis.pieces.filter(({ folded }) => folded).map(({ x, w }) => h('i', { class: 'fold', style: `left: ${percent(x)}; width: ${percent(w)}` })));
  }

  #row(row, top) {
    const { t, inside, now, entryOf = () => null } = this.#view;
    const { span, group } = row;
    const spans = row.spans ?? [span];
    const title = group ? groupTitle(row, t) : spanTitle(span, t, row.label, entryOf(span));
    const state = group ? 'group' : spanState(span);
    const ms = spans.reduce((all, one) => all + tookMs(one, now, entryOf(one)), 0);
    const time = (!group && span.kind === 'item') || ms === 0 ? '' : formatDuration(ms, t.locale);
    const done = group ? null : inside.tree.done[span.id];
    const aside = group ? '' : spanAside(span, t, done, done && entryOf(done));
    const word = group ? '' : spanWord(span, t);
    return h('div', {
      id: `span-${row.key}`, class: 'span-row', role: 'treeitem', 'aria-level': String(row.level), 'aria-posinset': String(row.place), 'aria-setsize': String(row.size),
      'aria-expanded': row.unfolds ? String(row.isOpen) : null, 'aria-selected': String(inside.picked === row.key), 'aria-label': [[title, aside].filter(Boolean).join(' '), word].filter(Boolean).join(': '), 'aria-description': time || null,
      data: { key: row.key, kind: group ? 'group' : span.kind, group: group ?? undefined, state, testid: 'span' }, style: `top: ${top}px; --level: ${row.level - 1}`,
      onclick: () => this.#pressed(row), ondblclick: () => row.unfolds && !group && this.#intent('inToggle', { key: row.key }),
    },
    h('span', { class: 'span-name' },
      h('span', { class: 'twist', 'aria-hidden': 'true', onclick: row.unfolds ? (event) => { event.stopPropagation(); this.#intent('inToggle', { key: row.key }); } : null }, row.unfolds && icon(row.isOpen ? 'down' : 'next')),
      h('span', { class: 'span-mark' }, icon(group ? groupIcon(group) : spanIcon(span))),
      h('span', { class: 'span-words' }, h('span', { class: 'span-title' }, title), aside && ' ', aside && h('span', { class: 'span-aside' }, aside))),
    h('span', { class: 'span-track' }, this.#bars(row, spans, now)),
    h('span', { class: 'span-took', data: { time } })); // drawn by the style sheet: part of the description, not of the name
  }

  #pressed(row) {
    this.#intent('inPick', { key: row.key });
    if (row.group && !row.isOpen) this.#intent('inToggle', { key: row.key });
  }

  #bars(row, spans, now) {
    if (row.span?.kind === 'item') return [h('i', { class: 'bar point', data: { state: 'off' }, style: `left: ${percent(placeOf(this.axis, row.span.from))}` })];
    return bars(spans, this.axis, now, spanState).map(({ x, w, state }) => h('i', { class: 'bar', data: { state }, style: `left: ${percent(x)}; width: ${percent(w)}` }));
  }
}
