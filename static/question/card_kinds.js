// What stands on a question card, by kind. Built to be judged in two seconds:
// what will happen, how risky, where, with which values; then two buttons.

import { h, icon, sendsOnEnter } from '../shared/ui/dom.js';
import { inline } from '../shared/ui/service_text.js';
import { shortUrl } from '../shared/text/format.js';
import { questionTitle } from './question_text.js';
import { at } from '../transport/service.js';

/** May this be done? */
export function confirmCard(q, t, parts) {
  const p = q.payload;
  const once = q.remember.length > 1 ? rememberChoice(q, t) : null;
  const approve = () => parts.answer({ confirmed: true, remember: once?.querySelector('input:checked')?.value ?? 'once' });
  return [
    head(t, parts, p.risk ? badge('shield', p.risk, t(`risk.${p.risk}`)) : badge('question', 'ask', t(`asked.${q.kind}`))),
    body(t,
      title(q, t),
      place(p, t),
      p.about && h('p', { class: 'card-note' }, inline(p.about)),
      values(p, t), // before the picture: nobody approves what they have to scroll to
      why(q, t),
      p.screenshot ? picture(p, t) : p.picture_missing && missing(p, t)),
    !parts.readonly && h('div', { class: 'card-foot' },
      once,
      judge(t, parts, { approve }),
      instead(t, parts),
      parts.status),
  ];
}

/** Something that only the person can do on the page: take it, do it, hand it back. Whoever looks on
 *  while another has the page is told so: what they could press is the other's to press. */
export function manualCard(q, t, parts) {
  const { mine, possible, holder } = parts.lease;
  if (holder !== null && !mine && !parts.readonly) {
    return [
      head(t, parts, badge('hand', 'you', t(parts.own ? 'manual.badge' : 'manual.held'))),
      body(t, h('h2', { id: 'card-title', class: 'card-title', data: { testid: 'held' } }, t(parts.own ? 'hands.own' : 'hands.other')), place(q.payload, t),
        h('p', { class: 'card-note' }, t(parts.own ? 'manual.own' : 'manual.other')), h('p', { class: 'card-note quoted' }, questionTitle(q, t))),
      parts.status,
    ];
  }
  const note = h('textarea', { rows: '1', 'aria-label': t('manual.note'), placeholder: t('manual.note') });
  // Handing the page back answers this question, too, and says what was changed.
  const done = () => (mine ? parts.control('hand_back') : parts.answer({ done: true, ...(note.value.trim() ? { message: note.value.trim() } : {}) }));
  const take = () => parts.control('take_over');
  const takes = possible && !mine;
  return [
    head(t, parts, badge('hand', 'you', t('manual.badge'))),
    body(t, title(q, t), place(q.payload, t), h('p', { class: 'card-note' }, t(mine ? 'manual.mine' : 'manual.how'))),
    !parts.readonly && h('form', { class: 'card-foot', onsubmit: (event) => { event.preventDefault(); done(); } },
      !mine && note,
      h('div', { class: 'card-actions' },
        takes && h('button', { type: 'button', class: 'primary big', data: { testid: 'card-take-over' }, onclick: take }, icon('hand'), t('lease.take')),
        h('button', { type: 'submit', class: takes ? 'big' : 'primary big', data: { testid: 'done' } }, icon('check'), t(takes ? 'manual.already' : 'manual.done'))),
      parts.status),
  ];
}

/** A question in words, with or without ready answers. */
export function textCard(q, t, parts) {
  const options = (q.payload.options ?? []).map((option) => (typeof option === 'string' ? { label: option, value: option } : { label: option.label ?? option.value, value: option.value ?? option.label }));
  const field = h('textarea', { rows: '2', 'aria-label': t('question.answer'), placeholder: t(options.length ? 'question.other' : 'question.answer'), data: { testid: 'answer-text', ...(options.length ? {} : { focus: '' }) } });
  const send = () => { if (field.value.trim()) parts.answer({ text: field.value.trim() }); };
  return [
    head(t, parts, badge('question', 'ask', t('question.badge'))),
    body(t, title(q, t), q.reason && q.reason !== questionTitle(q, t) && h('p', { class: 'card-note' }, q.reason)),
    !parts.readonly && h('form', { class: 'card-foot', onsubmit: (event) => { event.preventDefault(); send(); } },
      options.length > 0 && h('div', { class: 'card-options' }, options.map((option, i) => h('button', { type: 'button', class: 'option', data: i === 0 ? { focus: '' } : {}, onclick: () => parts.answer({ text: String(option.value) }) }, option.label))),
      h('div', { class: 'answer-line' }, submitOnEnter(field, send), h('button', { type: 'submit', class: 'primary', data: { testid: 'answer-send' } }, t('question.send'))),
      parts.status),
  ];
}

// ------------------------------------------------------------------ pieces

/** The two buttons, and what may stand between them; A and D press them. */
export function judge(t, parts, { yes = t('approve'), no = t('deny'), approve = () => parts.answer({ confirmed: true }), more = null }) {
  return h('div', { class: 'card-actions' },
    h('button', { class: 'primary big', data: { testid: 'approve' }, 'aria-keyshortcuts': 'a', onclick: approve }, icon('check'), yes, h('kbd', { 'aria-hidden': 'true' }, 'A')),
    more,
    h('button', { class: 'big', data: { testid: 'deny' }, 'aria-keyshortcuts': 'd', onclick: () => parts.answer({ confirmed: false }) }, icon('cross'), no, h('kbd', { 'aria-hidden': 'true' }, 'D')));
}

// What is longer than the card says so, and one press shows the rest.
export function body(t, ...children) {
  const scroll = h('div', { class: 'card-scroll', tabindex: '-1' }, ...children);
  const more = h('button', { type: 'button', class: 'small card-more', tabindex: '-1', onclick: () => scroll.scrollBy({ top: scroll.clientHeight * 0.8, behavior: 'smooth' }) }, t('card.more'), icon('down'));
  const whole = h('div', { class: 'card-body' }, scroll, more);
  const look = () => {
    whole.toggleAttribute('data-over', scroll.scrollHeight > scroll.clientHeight + 1);
    whole.toggleAttribute('data-more', scroll.scrollHeight - scroll.clientHeight - scroll.scrollTop > 12);
    scroll.tabIndex = scroll.scrollHeight > scroll.clientHeight + 1 ? 0 : -1; // arrows scroll what can be scrolled
  };
  scroll.addEventListener('scroll', look, { passive: true });
  const watch = new ResizeObserver(look);
  for (const box of [scroll, ...scroll.children]) watch.observe(box);
  return whole;
}

export const badge = (symbol, risk, text) => h('span', { class: 'risk', data: { risk } }, icon(symbol), text);

export function head(t, parts, mark) {
  const several = parts.count > 1 && h('span', { class: 'card-count' }, t('card.count', { n: parts.count }));
  const past = parts.readonly && h('span', { class: 'card-count' }, t('card.past'));
  return h('header', { class: 'card-head' }, mark, several, past, h('span', { class: 'spring' }), parts.countdown);
}

export function title(q, t) {
  const text = questionTitle(q, t);
  return h('h2', { id: 'card-title', class: text.length > 110 ? 'card-title long' : 'card-title' }, inline(text)); // never cut: it is what is judged
}

function place(p, t) {
  if (!p.page?.url) return null;
  return h('p', { class: 'card-place' }, icon('globe'), h('strong', {}, shortUrl(p.page.origin ?? p.page.url)), p.page.title && h('span', {}, p.page.title));
}

const picture = (p, t) =>
  h('img', { class: 'card-picture', src: at(p.screenshot), alt: t('card.picture', { name: p.target?.name ?? '' }), onerror: (event) => event.target.remove() });

// Better said than shown wrong; a reason that is not known is said in general.
function missing({ picture_missing: why }, t) {
  const key = `picture.missing.${why}`;
  return h('p', { class: 'card-note', data: { testid: 'no-picture' } }, t(t.has(key) ? key : 'picture.missing.any'));
}

// The rule says in words why it asks; its name is for whoever looks it up in the policy.
function why(q, t) {
  const { rule } = q.payload;
  const said = q.reason && q.reason !== questionTitle(q, t) ? q.reason : rule ? t('card.asks') : '';
  return said && h('p', { class: 'card-rule', title: rule ? t('card.rule', { rule }) : null }, said);
}

// Code that runs here sends nothing.
const RUNS = new Set(['python', 'shell', 'compute']);

function values({ values: all, labels, effect_class: effect }, t) {
  const rows = Object.entries(all ?? {});
  if (rows.length === 0) return null;
  return h('table', { class: 'card-values' }, h('caption', {}, t(RUNS.has(effect) ? 'card.values.run' : 'card.values')),
    h('tbody', {}, rows.map(([name, value]) => h('tr', {}, h('th', { scope: 'row', title: labels?.[name] ? name : null }, labels?.[name] ? inline(labels[name]) : name), h('td', {}, cell(value, t))))));
}

const LONG = 180; // characters of a value that stand on the card at once

function cell(value, t) {
  const text = value !== null && typeof value === 'object' ? JSON.stringify(value) : String(value ?? '');
  if (text.length <= LONG) return text || '—';
  const words = h('span', { class: 'clamp' }, text);
  const toggle = h('button', { type: 'button', class: 'link', 'aria-expanded': 'false', onclick: () => {
    const open = words.toggleAttribute('data-open');
    toggle.setAttribute('aria-expanded', String(open));
    toggle.textContent = t(open ? 'card.less' : 'card.whole', { n: text.length });
  } }, t('card.whole', { n: text.length }));
  return h('div', {}, words, toggle);
}

function rememberChoice(q, t) {
  return h('fieldset', { class: 'remember' }, h('legend', {}, t('remember')),
    q.remember.map((choice, i) => h('label', {}, h('input', { type: 'radio', name: `remember-${q.reference}`, value: choice, checked: i === 0 }), h('span', {}, t(`remember.${choice}`)))));
}

export function instead(t, parts) {
  const field = h('textarea', { rows: '2', 'aria-label': t('instead.label'), placeholder: t('instead.label'), data: { testid: 'instead-text' } });
  const send = () => { if (field.value.trim()) parts.answer({ confirmed: false, comment: field.value.trim() }); };
  const box = h('form', { class: 'instead', onsubmit: (event) => { event.preventDefault(); send(); } },
    h('button', { type: 'button', class: 'link', data: { testid: 'instead' }, onclick: () => { box.toggleAttribute('data-open'); field.focus(); } }, t('instead')),
    h('div', { class: 'answer-line instead-field' }, submitOnEnter(field, send), h('button', { type: 'submit', class: 'primary', data: { testid: 'instead-send' } }, t('instead.send'))));
  return box;
}

function submitOnEnter(field, send) {
  field.addEventListener('keydown', (event) => {
    if (!sendsOnEnter(event)) return;
    event.preventDefault();
    send();
  });
  return field;
}
