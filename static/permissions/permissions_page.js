// Lasting permissions by site, each with what it covers and a button to revoke it; below them the log of what was
// decided and sent.

import { h, icon, intent } from '../shared/ui/dom.js';
import { ruleWord } from '../shared/text/format.js';
import { shortMoment } from '../shared/text/locale.js';
import { hostOf, visibleLine } from '../shared/text/visible.js';
import { coveredFields, coveredPlace, coveredRole, isBound } from '../question/wire/covers.js';
import { AuditList } from './audit_list.js';

class Grants extends HTMLElement {
  #last = {};
  #audit = new AuditList((name, detail) => intent(this, name, detail));

  update({ t, grants, audit, route }) {
    this.hidden = route !== 'permissions';
    if (this.hidden) return;
    if (this.#last.t !== t || this.#last.grants !== grants) {
      this.#last = { t, grants };
      this.replaceChildren(h('header', { class: 'page-head' }, h('h1', { tabindex: '-1' }, t('grants.title')), h('p', {}, t('grants.lead'))), this.#body(t, grants), this.#audit.node);
    }
    this.#audit.show(t, audit);
  }

  #body(t, { items, error }) {
    if (error) return h('div', { class: 'empty' }, icon('alert'), h('p', {}, t('grants.error')), h('button', { class: 'small', onclick: () => intent(this, 'reloadGrants') }, t('retry')));
    if (items === null) return h('p', { class: 'empty' }, t('loading'));
    if (items.length === 0) return h('div', { class: 'empty' }, icon('key'), h('h2', {}, t('grants.empty')), h('p', {}, t('grants.empty.lead')));
    return h('div', { class: 'grant-sites' }, bySite(items).map(([site, grants], at) => h('section', { class: 'grant-site', 'aria-labelledby': `site-${at}`, data: { testid: 'grant-site' } },
      h('h2', { id: `site-${at}` }, icon('globe'), site || t('grants.anywhere')),
      h('ul', { class: 'grant-list' }, grants.map((grant) => this.#row(t, grant, site || t('grants.anywhere')))))));
  }

  #row(t, grant, where) {
    const rule = ruleWord(grant.rule, t);
    const until = grant.expires_at ? t('grants.until', { date: shortMoment(grant.expires_at, t.locale) }) : t('grants.forever');
    return h('li', { class: 'grant', data: { testid: 'grant' } },
      h('div', {}, h('strong', {}, rule), covers(t, grant), h('p', { class: 'entry-sub' }, `${scopeWord(t, grant)} · ${until}`)),
      h('button', { class: 'small danger', 'aria-label': t('grants.revoke.of', { where, rule }), data: { testid: 'revoke' }, onclick: () => intent(this, 'revoke', { id: grant.id }) }, t('grants.revoke')));
  }
}

/** Returns [[host, grants]] by name of the site; those of any site are last. */
export function bySite(grants) {
  const sites = new Map();
  for (const grant of grants) {
    const site = hostOf(isBound(grant.covers) ? grant.covers.origin : grant.origin);
    sites.set(site, [...(sites.get(site) ?? []), grant]);
  }
  return [...sites].sort(([one], [other]) => Number(one === '') - Number(other === '') || one.localeCompare(other));
}

// A permission for one form is not one for its whole site.
const scopeWord = (t, { scope, covers: found }) => t(scope === 'site' && isBound(found) ? 'grants.scope.tasks' : `grants.scope.${scope}`);

// Older permissions do not tell what they cover.
function covers(t, { covers: found }) {
  if (!isBound(found)) return null;
  const more = [coveredFields(found, t, Infinity), coveredRole(found, t)].filter(Boolean).join(' · ');
  return h('div', { class: 'grant-covers' },
    h('p', {}, found.method && h('code', { class: 'card-method' }, visibleLine(found.method)), found.method && ' ', h('span', {}, coveredPlace({ ...found, method: '' }))),
    more && h('p', {}, more));
}

customElements.define('af-grants', Grants);
