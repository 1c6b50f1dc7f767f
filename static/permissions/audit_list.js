// Log of decisions and of what was sent, newest first, with filters.

import { h, icon } from '../shared/ui/dom.js';
import { effectWord, ruleWord } from '../shared/text/format.js';
import { shortMoment } from '../shared/text/locale.js';
import { hostOf, visibleLine, wordsOf } from '../shared/text/visible.js';
import { coveredWords, requestLine } from '../chat/sent_requests.js';

const KINDS = ['all', 'sent', 'answered', 'refused'];
const SHOWN = 160; // characters of a value

/** Returns the kind of a row: 'sent', 'answered' (by somebody), 'refused', or 'other'. */
export function auditKind(row) {
  if (row.decision === 'deny' || row.decision === 'declined') return 'refused';
  if (row.covered_by) return 'sent';
  return row.question ? 'answered' : 'other';
}

/** Returns the rows of this kind whose site has the text in its name. */
export function filterAudit(rows, { kind = 'all', site = '' }) {
  const part = site.trim().toLowerCase();
  return rows.filter((row) => (kind === 'all' || auditKind(row) === kind) && (part === '' || siteOf(row).toLowerCase().includes(part)));
}

const siteOf = (row) => hostOf(row.request?.url || row.request?.origin || row.origin || '');

export class AuditList {
  node = h('section', { class: 'audit', 'aria-labelledby': 'audit-title', data: { testid: 'audit' } });
  #intent;
  #last = {};
  #only = { kind: 'all', site: '' };
  #list = null;

  constructor(intent) {
    this.#intent = intent;
  }

  show(t, audit) {
    if (this.#last.t === t && this.#last.audit === audit) return;
    const isOther = this.#last.t !== t;
    this.#last = { t, audit };
    if (isOther) this.#draw(t);
    this.#fill();
  }

  // The filters stay while the list changes, and keep the focus.
  #draw(t) {
    this.#list = h('div', { class: 'audit-body' });
    const site = h('input', { type: 'search', class: 'audit-site', 'aria-label': t('audit.site'), placeholder: t('audit.site'), value: this.#only.site, data: { testid: 'audit-site' }, oninput: () => this.#filter({ site: site.value }) });
    this.node.replaceChildren(
      h('h2', { id: 'audit-title' }, t('audit.title')), h('p', { class: 'audit-lead' }, t('audit.lead')),
      h('div', { class: 'audit-filters' },
        h('fieldset', { class: 'remember' }, h('legend', { class: 'sr' }, t('audit.show')), KINDS.map((kind) => h('label', {},
          h('input', { type: 'radio', name: 'audit-kind', value: kind, checked: kind === this.#only.kind, data: { testid: `audit-${kind}` }, onchange: () => this.#filter({ kind }) }), h('span', {}, t(`audit.kind.${kind}`))))),
        site),
      this.#list);
  }

  #filter(change) {
    this.#only = { ...this.#only, ...change };
    this.#fill();
  }

  #fill() {
    const { t, audit } = this.#last;
    const { items = null, cursor = null, error = null } = audit ?? {};
    if (error) return this.#list.replaceChildren(h('div', { class: 'empty' }, icon('alert'), h('p', {}, t('audit.error')), h('button', { class: 'small', onclick: () => this.#intent('reloadAudit') }, t('retry'))));
    if (items === null) return this.#list.replaceChildren(h('p', { class: 'empty' }, t('loading')));
    const shown = filterAudit(items, this.#only);
    const none = h('p', { class: 'empty', role: 'status' }, t(items.length === 0 ? 'audit.empty' : 'audit.none'));
    const more = cursor && h('button', { class: 'small audit-more', data: { testid: 'audit-more' }, onclick: () => this.#intent('moreAudit') }, t('audit.more'));
    return this.#list.replaceChildren(...[shown.length === 0 ? none : h('ul', { class: 'grant-list audit-list' }, shown.map((row) => auditRow(t, row))), more].filter(Boolean));
  }
}

const ICONS = { sent: 'send', answered: 'check', refused: 'cross', other: 'shield' };

function auditRow(t, row) {
  const kind = auditKind(row);
  const request = row.request && requestLine(row.request);
  const deed = row.effect ? effectWord(row.effect, t) : row.rule ? ruleWord(row.rule, t) : visibleLine(row.action);
  return h('li', { class: 'audit-row', data: { kind, testid: 'audit-row' } },
    h('span', { class: 'audit-mark' }, icon(ICONS[kind])),
    h('div', {},
      h('p', {}, h('strong', {}, decisionWords(row, t)), deed && `: ${deed}`),
      request ? h('p', { class: 'audit-request' }, h('code', {}, request)) : siteOf(row) && h('p', { class: 'audit-request' }, siteOf(row)),
      h('p', { class: 'entry-sub' }, h('time', { datetime: row.at }, shortMoment(row.at, t.locale)), row.title && ' · ', row.title && h('a', { href: `#/inside/${encodeURIComponent(row.run_id)}` }, visibleLine(row.title))),
      values(t, row.values)));
}

function values(t, all) {
  const rows = Object.entries(all ?? {});
  return rows.length > 0 && h('details', { class: 'behind audit-values' }, h('summary', {}, t('audit.values', { n: rows.length }), icon('next')),
    h('dl', {}, rows.map(([name, value]) => h('div', {}, h('dt', {}, visibleLine(name)), h('dd', { dir: 'auto' }, clip(visibleLine(wordsOf(value))) || '—')))));
}

const clip = (text) => (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);

/** Returns what was decided and by whom. */
export function decisionWords(row, t) {
  if (row.decision === 'declined') return t('audit.declined', { by: byWords(row, t) });
  if (row.decision === 'deny') return t('audit.deny');
  if (row.covered_by && String(row.by).startsWith('client:')) return t('audit.sent', { why: t('sent.by.program', { name: visibleLine(row.by.slice('client:'.length)) }) });
  if (row.covered_by) return t('audit.sent', { why: coveredWords({ coveredBy: row.covered_by, by: sentBy(row), client: row.client ?? null }, t) });
  if (row.question) return t(row.kind === 'confirm' ? 'audit.approved' : 'audit.answered', { by: byWords(row, t) });
  if (row.decision === 'requires_confirmation') return t('audit.asked');
  return t(row.by === 'grant' ? 'audit.allowed.grant' : 'audit.allowed');
}

// Another row tells who answered, where a form was approved before its request left.
const sentBy = (row) => (row.by === 'approval' ? 'approval' : row.by === 'user' || isQuestion(row) ? 'user' : null);

const isQuestion = ({ covered_by: by, question }) => Boolean(question) && by === question;

function byWords({ by, client }, t) {
  if (by !== 'user' && !String(by).startsWith('client:')) return t.has(`audit.by.${by}`) ? t(`audit.by.${by}`) : visibleLine(by);
  if (client && client.kind !== 'page') return visibleLine(client.name) || client.kind;
  return t('audit.by.user');
}
