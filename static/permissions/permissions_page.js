// List of lasting permissions; each can be revoked.

import { h, icon, intent } from '../shared/ui/dom.js';
import { ruleWord, shortUrl } from '../shared/text/format.js';
import { shortDate } from '../shared/text/locale.js';

class Grants extends HTMLElement {
  #last = {};

  update({ t, grants, route }) {
    this.hidden = route !== 'permissions';
    if (this.hidden || (this.#last.t === t && this.#last.grants === grants)) return;
    this.#last = { t, grants };
    this.replaceChildren(h('header', { class: 'page-head' }, h('h1', { tabindex: '-1' }, t('grants.title')), h('p', {}, t('grants.lead'))), this.#body(t, grants));
  }

  #body(t, { items, error }) {
    if (error) return h('div', { class: 'empty' }, icon('alert'), h('p', {}, t('grants.error')), h('button', { class: 'small', onclick: () => intent(this, 'reloadGrants') }, t('retry')));
    if (items === null) return h('p', { class: 'empty' }, t('loading'));
    if (items.length === 0) return h('div', { class: 'empty' }, icon('key'), h('h2', {}, t('grants.empty')), h('p', {}, t('grants.empty.lead')));
    return h('ul', { class: 'grant-list' }, items.map((grant) => this.#row(t, grant)));
  }

  #row(t, grant) {
    const until = grant.expires_at ? t('grants.until', { date: shortDate(grant.expires_at, t.locale) }) : t('grants.forever');
    const rule = ruleWord(grant.rule, t);
    const where = grant.origin ? shortUrl(grant.origin) : t('grants.anywhere');
    return h('li', { class: 'grant' },
      h('div', {}, h('strong', {}, where), h('p', {}, rule), h('p', { class: 'entry-sub' }, `${t(`grants.scope.${grant.scope}`)} · ${until}`)),
      h('button', { class: 'small danger', 'aria-label': t('grants.revoke.of', { where, rule }), data: { testid: 'revoke' }, onclick: () => intent(this, 'revoke', { id: grant.id }) }, t('grants.revoke')));
  }
}

customElements.define('af-grants', Grants);
