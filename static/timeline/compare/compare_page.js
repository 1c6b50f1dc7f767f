// Comparison of two runs: usage, first difference, differing inputs and outputs, and pairs of steps, with equal
// ones folded.

import { h, icon, intent } from '../../shared/ui/dom.js';
import { morph } from '../../shared/ui/morph.js';
import { amount, resultText, statusWord, taskTitle } from '../../shared/text/format.js';
import { actionLine } from '../../shared/text/action_text.js';
import { shortMoment } from '../../shared/text/locale.js';
import { countDifferent, firstRows, shownPairs, usedBy } from './step_pairs.js';
import { isName, nodeWord, outcomeWord, formatDuration } from '../spans/span_text.js';
import { ownOrigin } from '../../transport/service.js';

// The final message is shown among the outputs.
const LAST = 'final_response';

class Compare extends HTMLElement {
  #last = {};
  #open = new Set();
  #all = false;

  update({ t, route, comparison }) {
    this.hidden = route !== 'compare';
    if (this.hidden || (this.#last.t === t && this.#last.comparison === comparison)) return;
    if (this.#last.comparison?.id !== comparison.id || this.#last.comparison?.other !== comparison.other) [this.#open, this.#all] = [new Set(), false];
    this.#last = { t, comparison };
    this.#draw();
  }

  #draw() {
    const { t, comparison } = this.#last;
    morph(this,
      h('a', { class: 'in-back', href: `#/inside/${comparison.id}`, data: { key: 'back' } }, icon('prev'), h('span', {}, t('cmp.back'))),
      h('header', { class: 'page-head', data: { key: 'head' } }, h('h1', { tabindex: '-1' }, t('cmp.title'))),
      ...this.#body(t, comparison));
  }

  #body(t, { found, error }) {
    if (error) return [h('div', { class: 'empty', data: { key: 'error' } }, icon('alert'), h('p', {}, t(error.status === 404 ? 'in.unknown' : 'cmp.error')), error.status === 404 ? h('a', { class: 'button small', href: '#/new' }, t('in.list')) : h('button', { class: 'small', onclick: () => intent(this, 'inRetry') }, t('retry')))];
    if (!found) return [h('p', { class: 'empty', role: 'status', data: { key: 'loading' } }, t('loading'))];
    return [
      h('div', { class: 'cmp-sides', data: { key: 'sides' } }, this.#side(t, found.a, 'A'), this.#side(t, found.b, 'B'),
        h('a', { class: 'button small cmp-swap', href: `#/compare/${found.b.run_id}/${found.a.run_id}`, title: t('cmp.swap'), 'aria-label': t('cmp.swap') }, icon('swap'))),
      this.#verdict(t, found),
      this.#used(t, found),
      this.#values(t, 'inputs', found.inputs.filter(({ name }) => name !== 'locale')),
      this.#values(t, 'outputs', found.outputs),
      this.#children(t, found.children),
      this.#steps(t, found),
    ].filter(Boolean);
  }

  #side(t, side, letter) {
    return h('a', { class: 'cmp-side', href: `#/inside/${side.run_id}`, data: { side: letter, testid: `side-${letter}` } }, h('span', { class: 'cmp-letter', 'aria-hidden': 'true' }, letter),
      h('span', { class: 'cmp-name' }, taskTitle(t.titled(side.title, side.agent), ownOrigin()) || t.agent(side.agent)),
      h('span', { class: 'cmp-meta' }, h('span', { class: 'status-pill', data: { status: side.status } }, h('span', { class: 'state-dot', 'aria-hidden': 'true' }), statusWord(side.status, t)), h('span', {}, t.agent(side.agent)), h('span', {}, shortMoment(side.begin, t.locale))));
  }

  #verdict(t, { steps, first_difference: first, outputs }) {
    const words = first === null ? t(outputs.length ? 'cmp.same.steps' : 'cmp.same') : t('cmp.parts', { n: countDifferent(steps), at: (steps[first].a ?? steps[first].b).n, node: nodeWord((steps[first].a ?? steps[first].b).node, t) });
    return h('p', { class: 'cmp-verdict', data: { key: 'verdict', same: first === null ? '' : undefined, testid: 'verdict' } }, icon(first === null ? 'check' : 'branch'), h('span', {}, words),
      first !== null && h('button', { class: 'link', onclick: () => this.querySelector(`[data-key="s${first}"]`)?.scrollIntoView({ block: 'center' }) }, t('cmp.show')));
  }

  #used(t, found) {
    const formats = { took: (value) => formatDuration(value, t.locale), money: (value) => (value === null ? t('in.money.unknown') : amount('money', value, t)) };
    const show = (name, value) => (formats[name] ?? ((plain) => t('cmp.n', { n: plain })))(value);
    const delta = (one) => (one === null ? '=' : one.part === null ? (one.more ? '+' : '−') : `${one.more ? '+' : '−'}${Math.round(one.part * 100)}%`);
    return h('table', { class: 'cmp-used', data: { key: 'used' } }, h('thead', {}, h('tr', {}, h('td', {}), ...['A', 'B'].map((side) => h('th', { scope: 'col' }, side)), h('th', { scope: 'col' }, t('cmp.change')))),
      h('tbody', {}, usedBy(found).map(({ name, a, b, change }) => h('tr', {}, h('th', { scope: 'row' }, t(`cmp.used.${name}`)), h('td', {}, show(name, a)), h('td', {}, show(name, b)), h('td', { class: 'cmp-change', data: { more: change === null ? undefined : String(change.more) } }, delta(change))))));
  }

  #values(t, kind, list) {
    if (list.length === 0) return null;
    const value = (side, held) => h('div', { class: 'cmp-value' }, h('span', { class: 'cmp-letter' }, side), held === null || held === undefined ? h('p', { class: 'in-none' }, t('cmp.none')) : h('pre', { class: 'in-code', tabindex: '0' }, resultText(held) || '—'));
    return h('section', { class: 'cmp-part', data: { key: kind, testid: `cmp-${kind}` } }, h('h2', {}, t(`cmp.${kind}`)), list.map((one) => h('div', { class: 'cmp-values', data: { key: one.name } }, h('h3', {}, one.name === LAST ? t('cmp.final_response') : one.name), value('A', one.a), value('B', one.b))));
  }

  #children(t, pairs) {
    if (pairs.length === 0) return null;
    const cell = (side) => (side ? h('a', { class: 'cmp-cell', href: `#/inside/${side.run_id}` }, h('span', { class: 'state-dot', data: { status: side.status }, 'aria-hidden': 'true' }), h('span', { class: 'cmp-cell-name' }, childName(t, side)), h('span', { class: 'cmp-aside' }, statusWord(side.status, t))) : h('span', { class: 'cmp-cell cmp-missing' }, t('cmp.missing')));
    return h('section', { class: 'cmp-part', data: { key: 'children' } }, h('h2', {}, t('cmp.children')), h('ol', { class: 'cmp-list' }, pairs.map((pair, at) => h('li', { class: 'cmp-pair', data: { key: `c${at}`, same: String(pair.same) } }, cell(pair.a), cell(pair.b),
      pair.a && pair.b && h('a', { class: 'cmp-both', href: `#/compare/${pair.a.run_id}/${pair.b.run_id}`, 'aria-label': t('cmp.both'), title: t('cmp.both') }, icon('next'))))));
  }

  #steps(t, { steps }) {
    const { rows, more } = firstRows(shownPairs(steps, this.#open), this.#all);
    return h('section', { class: 'cmp-part', data: { key: 'steps', testid: 'cmp-steps' } }, h('h2', {}, t('cmp.steps')),
      h('div', { class: 'cmp-heads', 'aria-hidden': 'true' }, h('span', {}, 'A'), h('span', {}, 'B')),
      h('ol', { class: 'cmp-list' }, rows.map((row) => (row.n ? this.#folded(t, row) : this.#pair(t, row)))),
      more > 0 && h('button', { class: 'small', onclick: () => { this.#all = true; this.#draw(); } }, t('cmp.more', { n: more })));
  }

  #folded(t, { from, n }) {
    return h('li', { data: { key: `f${from}` } }, h('button', { class: 'cmp-folded', data: { testid: 'cmp-folded' }, onclick: () => { this.#open.add(from); this.#draw(); } }, icon('down'), t('cmp.folded', { n })));
  }

  #pair(t, { at, pair }) {
    const cell = (side, letter) => (side ? h('div', { class: 'cmp-cell' }, h('span', { class: 'sr' }, `${letter}: `), h('span', { class: 'cmp-n' }, `#${side.n}`), h('span', { class: 'cmp-cell-name' }, nodeWord(side.node, t)), h('span', { class: 'cmp-aside' }, outcomeWord(side.outcome, t)), h('span', { class: 'cmp-took' }, formatDuration(side.took_ms, t.locale)), side.actions.map((did) => h('span', { class: 'cmp-did', data: { bad: did.status === 'failed' ? '' : undefined } }, done(did, t)))) : h('div', { class: 'cmp-cell cmp-missing' }, h('span', { class: 'sr' }, `${letter}: `), t('cmp.missing')));
    return h('li', { class: 'cmp-pair', data: { key: `s${at}`, same: String(pair.same), testid: pair.same ? undefined : 'cmp-differs' } }, cell(pair.a, 'A'), cell(pair.b, 'B'));
  }
}

const childName = (t, { agent, item_id: item }) => (isName(item) ? `${item} · ${t.agent(agent)}` : t.agent(agent));

function done({ name, status, about: { role, name: target, ...params } }, t) {
  return actionLine({ action: name, params, target: target || role ? { role, name: target } : null, state: status === 'failed' ? 'failed' : 'ok' }, t);
}

customElements.define('af-compare', Compare);
