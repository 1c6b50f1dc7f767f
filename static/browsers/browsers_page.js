// List of all Chromium processes: memory, open page contexts, and runs that wait for a slot. An idle browser
// can be closed.

import { h, icon, intent } from '../shared/ui/dom.js';
import { shortUrl, taskTitle } from '../shared/text/format.js';
import { shortDate } from '../shared/text/locale.js';
import { isBusy, contextStateKey, chromiumName } from './browsers.js';
import { ownOrigin } from '../transport/service.js';

class Browsers extends HTMLElement {
  #last = {};

  update({ t, browsers, route, mine }) {
    this.hidden = route !== 'browsers';
    if (this.hidden || (this.#last.t === t && this.#last.browsers === browsers && this.#last.mine === mine)) return;
    const focused = this.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    this.#last = { t, browsers, mine };
    this.replaceChildren(
      h('header', { class: 'page-head' }, h('h1', { tabindex: '-1' }, t('browsers.title')), h('p', {}, t('browsers.lead'))),
      ...this.#body(t, browsers, mine));
    if (focused) (this.querySelector(`[data-key="${CSS.escape(focused)}"]`) ?? this.querySelector('h1')).focus();
  }

  #body(t, { list, error }, mine) {
    if (error) return [h('div', { class: 'empty' }, icon('alert'), h('p', {}, t('browsers.error')), h('button', { class: 'small', onclick: () => intent(this, 'reloadBrowsers') }, t('retry')))];
    if (list === null) return [h('p', { class: 'empty' }, t('loading'))];
    const empty = h('div', { class: 'empty' }, icon('window'), h('h2', {}, t('browsers.empty')), h('p', {}, t('browsers.empty.lead')));
    return [
      h('p', { class: 'browser-places', role: 'status' }, t('browsers.places', { n: list.working, max: list.max })),
      list.items.length ? h('ul', { class: 'browser-list' }, list.items.map((browser) => h('li', {}, this.#browser(t, browser, mine)))) : empty,
      this.#waiting(t, list.waiting),
    ].filter(Boolean);
  }

  #browser(t, browser, mine) {
    const fact = (label, value) => value !== null && h('div', {}, h('dt', {}, label), h('dd', {}, value));
    const title = chromiumName(browser, t);
    const close = !isBusy(browser) && h('button', { class: 'small danger', data: { key: `close-${browser.id}`, testid: 'close-browser' }, 'aria-label': t('browsers.close.of', { name: title }), onclick: () => intent(this, 'closeBrowser', { id: browser.id }) }, t('browsers.close'));
    return h('article', { class: 'browser', data: { id: browser.id } },
      h('header', { class: 'browser-head' }, icon(browser.endpoint ? 'plug' : 'window'), h('h2', {}, title), close),
      h('dl', { class: 'browser-facts' },
        fact(t('browsers.pid'), browser.pid === null ? null : String(browser.pid)),
        fact(t('browsers.memory'), browser.memory_mb === null ? null : t('browsers.mb', { n: browser.memory_mb })),
        fact(t('browsers.since'), shortDate(browser.since, t.locale))),
      browser.contexts.length
        ? h('ul', { class: 'context-list' }, browser.contexts.map((context) => h('li', {}, this.#context(t, context, mine))))
        : h('p', { class: 'browser-none' }, t('browsers.none')));
  }

  #context(t, context, mine) {
    const state = contextStateKey(context, mine);
    const page = context.url ? shortUrl(context.url) : t('live.nopage');
    const who = [context.agent, context.viewers > 0 && t('browsers.viewers', { n: context.viewers }), t('browsers.from', { date: shortDate(context.since, t.locale) })].filter(Boolean).join(' · ');
    return h('a', { class: 'context', href: `#/runs/${context.run_id}`, data: { key: context.run_id, state: context.state } },
      h('strong', {}, taskTitle(context.run_title, ownOrigin()) || t('runs.untitled')),
      h('span', { class: 'context-state', data: { state: context.state } }, t(`browsers.state.${state}`)),
      h('span', { class: 'context-page' }, context.title ? `${context.title} — ${page}` : page),
      h('span', { class: 'context-who' }, who));
  }

  #waiting(t, waiting) {
    if (waiting.length === 0) return null;
    return h('section', { class: 'browser-line' }, h('h2', {}, t('browsers.waiting')),
      h('ol', {}, waiting.map((run) => h('li', {}, h('a', { href: `#/runs/${run.run_id}`, data: { key: run.run_id } }, taskTitle(run.run_title, ownOrigin()) || t('runs.untitled')),
        h('span', { class: 'context-who' }, [run.profile && t('browsers.profile', { name: run.profile }), t('browsers.from', { date: shortDate(run.since, t.locale) })].filter(Boolean).join(' · '))))));
  }
}

customElements.define('af-browsers', Browsers);
