// Log of decisions and of what was sent, newest first, with filters.

import { h, icon } from '../shared/ui/dom.js';
import { effectWord, ruleWord } from '../shared/text/format.js';
import { shortMoment } from '../shared/text/locale.js';
import { hostOf, visibleLine, wordsOf } from '../shared/text/visible.js';
import { coveredWords, requestLine } from '../chat/sent_requests.js';
import { downloadName, downloadValue } from '../question/wire/download.js';

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
    // Filters choose among the loaded rows only.
    const part = cursor && (this.#only.kind !== 'all' || this.#only.site.trim() !== '') && h('p', { class: 'audit-part', role: 'status', data: { testid: 'audit-part' } }, t('audit.filtered', { n: shown.length, all: items.length }));
    const more = cursor && h('button', { class: 'small audit-more', data: { testid: 'audit-more' }, onclick: () => this.#intent('moreAudit') }, t('audit.more'));
    return this.#list.replaceChildren(...[shown.length === 0 ? none : h('ul', { class: 'grant-list audit-list' }, shown.map((row) => auditRow(t, row, items))), part, more].filter(Boolean));
  }
}

const ICONS = { sent: 'send', answered: 'check', refused: 'cross', other: 'shield' };

function auditRow(t, row, all) {
  const kind = auditKind(row);
  const request = row.request && requestLine(row.request);
  const deed = row.effect ? effectWord(row.effect, t) : row.rule ? ruleWord(row.rule, t) : visibleLine(row.action);
  return h('li', { class: 'audit-row', data: { kind, testid: 'audit-row' } },
    h('span', { class: 'audit-mark' }, icon(ICONS[kind])),
    h('div', {},
      h('p', {}, h('strong', {}, decisionWords(row, t, all)), deed && ` · ${deed}`),
      row.flow && h('p', { class: 'audit-request' }, flowWords(row.flow, t)),
      request ? h('p', { class: 'audit-request' }, h('code', {}, request)) : siteOf(row) && h('p', { class: 'audit-request' }, siteOf(row)),
      h('p', { class: 'entry-sub' }, h('time', { datetime: row.at }, shortMoment(row.at, t.locale)), row.title && ' · ', row.title && h('a', { href: `#/inside/${encodeURIComponent(row.run_id)}` }, visibleLine(row.title))),
      values(t, row)));
}

/** Names both sites of a flow and its text. */
const flowWords = ({ from, to, text }, t) => t('audit.flow', { from: [from ?? []].flat().map(hostOf).join(', '), to: hostOf(to), text: clip(visibleLine(text)) });

const PROGRAM_RULE = 'download-program'; // values of its rows are facts of a file

function values(t, row) {
  const [rows, isFile] = [Object.entries(row.values ?? {}), row.rule === PROGRAM_RULE];
  const nameOf = (name) => (isFile && downloadName(name, t)) || visibleLine(name);
  const valueOf = (name, value) => (isFile ? downloadValue(name, value, row, t) : value);
  return rows.length > 0 && h('details', { class: 'behind audit-values' }, h('summary', {}, t('audit.values', { n: rows.length }), icon('next')),
    h('dl', {}, rows.map(([name, value]) => h('div', {}, h('dt', {}, nameOf(name)), h('dd', { dir: 'auto' }, clip(visibleLine(wordsOf(valueOf(name, value)))) || '—')))));
}

const clip = (text) => (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);

/** Rule of an action that is allowed because its requests are judged when they leave. */
const AT_THE_WIRE = 'asked-at-the-wire';

/** Returns what was decided and by whom; among `all` rows is the answer that a form was approved by. */
export function decisionWords(row, t, all = []) {
  if (row.decision === 'declined') return answerWords('declined', row, t);
  if (row.decision === 'deny') return t('audit.deny');
  if (row.decision === 'requires_confirmation') return t('audit.asked');
  if (row.covered_by) return t('audit.sent', { why: sentWords(row, t, all) });
  if (row.question) return answerWords(row.kind === 'confirm' ? 'approved' : 'answered', row, t);
  if (row.rule === AT_THE_WIRE) return t('audit.wire');
  return t(row.by === 'grant' ? 'audit.allowed.grant' : 'audit.allowed');
}

function sentWords(row, t, all) {
  // Another row tells who answered, if a form was approved before its request left.
  const answer = row.by === 'approval' ? all.find((one) => one.decision === 'answered' && one.question === row.question) : row;
  const by = answer?.by ?? 'approval';
  if (String(by).startsWith('client:')) return t('sent.by.program', { name: visibleLine(by.slice('client:'.length)) });
  return coveredWords({ coveredBy: row.covered_by, by: by === 'approval' || by === 'user' ? by : isQuestion(row) ? 'user' : null, client: answer?.client ?? null }, t);
}

const isQuestion = ({ covered_by: by, question }) => Boolean(question) && by === question;

function answerWords(form, { by, client }, t) {
  const isProgram = String(by).startsWith('client:');
  if (by === 'user' && (!client || client.kind === 'page')) return t(`audit.${form}.you`);
  if (by !== 'user' && !isProgram) return t(`audit.${form}`, { by: t.has(`audit.by.${by}`) ? t(`audit.by.${by}`) : visibleLine(by) });
  const name = visibleLine(client?.name) || (isProgram ? visibleLine(by.slice('client:'.length)) : client?.kind);
  return t(`audit.${form}`, { by: name });
}
