// Inspection page of a run: head with totals and reason of its status, tree with its timeline, and details of
// the selected span.

import { h, icon, intent } from '../shared/ui/dom.js';
import { morph } from '../shared/ui/morph.js';
import { SpanTree } from './span_tree.js';
import { spanDetail } from './span_detail.js';
import { whyLine } from '../run/why_line.js';
import { amount, shortTitle, statusWord, taskTitle } from '../shared/text/format.js';
import { shortMoment, shortNumber } from '../shared/text/locale.js';
import { totals } from './spans/spans.js';
import { entryFinder, formatDuration } from './spans/span_text.js';
import { exportUrl } from '../transport/api.js';
import { ownOrigin } from '../transport/service.js';

class Inside extends HTMLElement {
  #last = {};
  #head = h('header', { class: 'in-head' });
  #detail = h('aside', { class: 'in-detail', tabindex: '-1' });
  #note = h('div', { class: 'in-note' });
  #tree = new SpanTree((name, detail) => this.#wants(name, detail));
  #body = h('div', { class: 'in-body' });
  #entryOf = entryFinder([]);

  connectedCallback() {
    if (this.#body.parentNode) return;
    this.#body.append(this.#tree.node, this.#detail);
    this.append(this.#head, this.#note, this.#body);
    document.addEventListener('click', (event) => { if (this.#last.inside?.choosing && !event.target.closest?.('.in-choose')) intent(this, 'inChoose'); });
    this.addEventListener('keydown', (event) => this.#key(event));
  }

  update({ t, route, inside, settings, liveRun }) {
    const entries = liveRun?.entries;
    this.hidden = route !== 'inside';
    if (this.hidden) return;
    const same = this.#last.t === t && this.#last.inside === inside && this.#last.settings === settings && this.#last.entries === entries;
    const now = inside.timeline.at + Math.max(0, Date.now() - inside.readAt);
    if (entries !== this.#last.entries) this.#entryOf = entryFinder(entries);
    if (inside.tree) this.#tree.show({ t, inside, now, entryOf: this.#entryOf });
    if (same) return;
    const isOther = this.#last.inside?.id !== inside.id;
    this.#last = { t, inside, settings, entries };
    morph(this.#head, ...this.#heading(t, inside));
    morph(this.#note, this.#state(t, inside));
    this.#body.hidden = inside.tree === null;
    this.toggleAttribute('data-picked', inside.picked !== null);
    if (inside.tree) morph(this.#detail, ...spanDetail(t, inside, now, (name, detail) => this.#wants(name, detail), entries));
    this.#detail.setAttribute('aria-label', t('in.detail'));
    if (isOther) this.#detail.scrollTop = 0;
  }

  #wants(name, detail = {}) {
    if (name === 'inPick' && detail.key !== this.#last.inside?.picked) this.#detail.scrollTop = 0;
    intent(this, name, detail);
    if (name === 'inPick' && detail.key === null) this.#tree.focus();
  }

  // Escape first closes a sheet over the tree, as on a phone.
  #key(event) {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    const { choosing, picked } = this.#last.inside ?? {};
    if (!choosing && picked === null) return;
    event.preventDefault();
    this.#wants(choosing ? 'inChoose' : 'inPick', { key: null });
    if (choosing) this.querySelector('[data-testid="inside-compare"]')?.focus();
  }

  #state(t, { error, tree, timeline }) {
    if (error && !tree) return h('div', { class: 'empty' }, icon('alert'), h('p', {}, t(error.status === 404 ? 'in.unknown' : 'in.error')), error.status === 404 ? h('a', { class: 'button small', href: '#/new', data: { testid: 'inside-list' } }, t('in.list')) : h('button', { class: 'small', onclick: () => intent(this, 'inRetry') }, t('retry')));
    if (!tree) return h('p', { class: 'in-loading', role: 'status' }, t('loading'));
    return timeline.leftOut > 0 ? h('p', { class: 'in-left' }, icon('info'), t('in.left', { n: timeline.leftOut })) : null;
  }

  #heading(t, inside) {
    const { run, tree, timeline, id, root, why } = inside;
    if (inside.error?.status === 404 && !tree) return [h('h1', { tabindex: '-1' }, t('in.title'))];
    const back = root && root !== id ? `#/runs/${root}/${id}` : `#/runs/${id}`;
    return [
      h('div', { class: 'in-top' },
        h('a', { class: 'in-back', href: back, data: { testid: 'inside-back' } }, icon('prev'), h('span', {}, t('in.back'))),
        h('div', { class: 'in-controls' }, this.#folding(t, inside), tree && this.#choice(t, inside),
          tree && h('a', { class: 'button small', href: exportUrl(id), download: `run-${id}.json`, title: t('in.download.how'), data: { testid: 'inside-download' } }, icon('download'), h('span', {}, t('in.download'))))),
      h('h1', { tabindex: '-1', title: run ? taskTitle(t.titled(run.title, run.agent), ownOrigin()) : null }, h('span', { class: 'in-kicker' }, t('in.title')), h('span', { class: 'in-name' }, run ? shortTitle(t.titled(run.title, run.agent), ownOrigin(), t) || t.agent(run.agent) : '\u00a0')),
      tree ? this.#totals(t, totals(timeline, id), tree.top) : h('p', { class: 'in-totals' }, '\u00a0'),
      why && whyLine(t, why, 'in-why'),
    ].filter(Boolean);
  }

  #totals(t, sums, top) {
    const money = sums.cost === null ? null : sums.unpriced ? t('money.least', { amount: amount('money', sums.cost, t) }) : amount('money', sums.cost, t);
    const counts = [sums.runs > 1 && t('in.runs', { n: sums.runs }), t('in.steps', { n: sums.steps }), sums.calls > 0 && t('in.calls', { n: sums.calls }), sums.tokens > 0 && t('tokens', { n: shortNumber(sums.tokens, t.locale) }), money];
    return h('p', { class: 'in-totals', data: { testid: 'inside-totals' } },
      h('span', { class: 'status-pill', data: { status: top.status } }, h('span', { class: 'state-dot', 'aria-hidden': 'true' }), h('span', {}, statusWord(top.status, t))),
      ...[formatDuration(sums.ms, t.locale), ...counts].filter(Boolean).map((one) => h('span', {}, one)));
  }

  #folding(t, { tree, folds }) {
    if (!tree || !this.#tree.hasWaits) return null;
    return h('button', { class: 'small', 'aria-pressed': String(folds), title: t('in.fold.how'), data: { testid: 'inside-fold' }, onclick: () => intent(this, 'inFold') }, icon('clock'), h('span', {}, t('in.fold')));
  }

  #choice(t, { choosing }) {
    return h('div', { class: 'in-choose' },
      h('button', { class: 'small', 'aria-expanded': String(choosing !== null), data: { testid: 'inside-compare' }, onclick: () => intent(this, 'inChoose') }, icon('lanes'), h('span', {}, t('in.compare'))),
      choosing && h('div', { class: 'in-menu', role: 'group', 'aria-label': t('in.compare.with') }, h('p', {}, t('in.compare.with')), this.#others(t, choosing.items)));
  }

  #others(t, items) {
    if (items === null) return h('p', { class: 'in-menu-note' }, t('loading'));
    if (items.length === 0) return h('p', { class: 'in-menu-note' }, t('in.compare.none'));
    return h('ul', {}, items.map((run) => h('li', { data: { key: run.run_id } }, h('button', { class: 'in-other', data: { testid: 'compare-with' }, onclick: () => intent(this, 'inWith', { other: run.run_id }) },
      h('span', { class: 'state-dot', data: { status: run.status }, 'aria-hidden': 'true' }), h('span', { class: 'in-other-title' }, taskTitle(t.titled(run.title, run.agent), ownOrigin()) || t.agent(run.agent)),
      h('span', { class: 'in-other-meta' }, `${t.agent(run.agent)} · ${statusWord(run.status, t)} · ${shortMoment(run.created_at, t.locale)}`)))));
  }
}

customElements.define('af-inside', Inside);
