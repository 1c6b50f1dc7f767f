// Contents of question cards, by kind. A card shows the action, its risk, its site and its values, then two
// buttons, so that it can be judged at a glance.

import { h, icon, sendsOnEnter } from '../shared/ui/dom.js';
import { inline } from '../shared/ui/service_text.js';
import { shortUrl } from '../shared/text/format.js';
import { hostOf, visible, visibleLine } from '../shared/text/visible.js';
import { questionTitle } from './question_text.js';
import { choiceLine, isBound } from './wire/covers.js';
import { difference, isChanged } from './wire/difference.js';
import { flowParts } from './wire/flow.js';
import { causeLine, hasRequest, requestDetails, subjectLine } from './wire/request.js';
import { hiddenTable, longText, unchangedLine, valueTable } from './wire/values.js';
import { urlOf } from '../transport/service.js';

/** Asks for approval of an action. */
export function confirmCard(q, t, parts) {
  const p = q.payload;
  const once = q.remember.length > 1 ? rememberChoice(q, t) : null;
  const approve = () => parts.answer({ confirmed: true, remember: once?.querySelector('input:checked')?.value ?? 'once' });
  return [
    head(t, parts, p.risk ? badge('shield', p.risk, t(`risk.${p.risk}`)) : badge('question', 'ask', t(`asked.${q.kind}`)), isChanged(p) && badge('return', 'medium', t('asked.again'))),
    body(t, title(q, t), ...(hasRequest(p) ? sending(q, t) : doing(q, t))),
    !parts.readonly && h('div', { class: 'card-foot' },
      once,
      judge(t, parts, { approve }),
      instead(t, parts),
      parts.status),
  ];
}

/** Contents of a question about an action, whose consequence is not known as a request. */
function doing(q, t) {
  const p = q.payload;
  return [
    place(p, t),
    about(p),
    valueTable(p, t), // before the picture: an approval must not require scrolling
    hiddenTable(p, t),
    unchangedLine(p, t),
    why(q, t),
    pictured(p, t),
  ];
}

/** Contents of a question about what would leave: what is new about it, where to and which values, then the rest. */
function sending(q, t) {
  const p = q.payload;
  return [
    subjectLine(p, t),
    difference(p, t),
    flowParts(p, t),
    requestDetails(p, t),
    valueTable(p, t),
    hiddenTable(p, t),
    unchangedLine(p, t),
    place(p, t, hostOf),
    causeLine(q, t),
    why(q, t),
    about(p),
    pictured(p, t),
  ];
}

/**
 * Asks the person to do something on the page: take over, do it, hand back. While somebody else holds the page,
 * the card says so.
 */
export function manualCard(q, t, parts) {
  const { mine, possible, holder } = parts.lease;
  if (holder !== null && !mine && !parts.readonly) {
    return [
      head(t, parts, badge('hand', 'you', t(parts.own ? 'manual.badge' : 'manual.held'))),
      body(t, h('h2', { id: 'card-title', class: 'card-title', data: { testid: 'held' } }, t(parts.own ? 'holder.own' : 'holder.other')), place(q.payload, t),
        h('p', { class: 'card-note' }, t(parts.own ? 'manual.own' : 'manual.other')), h('p', { class: 'card-note quoted' }, questionTitle(q, t))),
      parts.status,
    ];
  }
  const note = h('textarea', { rows: '1', 'aria-label': t('manual.note'), placeholder: t('manual.note') });
  // Handing back answers this question too, and reports the changes.
  const done = () => (mine ? parts.control('hand_back') : parts.answer({ done: true, ...(note.value.trim() ? { message: note.value.trim() } : {}) }));
  const take = () => parts.control('take_over');
  const takes = possible && !mine;
  return [
    head(t, parts, badge('hand', 'you', t('manual.badge'))),
    body(t, title(q, t), place(q.payload, t), h('p', { class: 'card-note' }, t(mine ? 'manual.mine' : takes ? 'manual.how' : 'manual.how.here'))),
    !parts.readonly && h('form', { class: 'card-foot', onsubmit: (event) => { event.preventDefault(); done(); } },
      !mine && note,
      h('div', { class: 'card-actions' },
        takes && h('button', { type: 'button', class: 'primary big', data: { testid: 'card-take-over' }, onclick: take }, icon('hand'), t('lease.take')),
        h('button', { type: 'submit', class: takes ? 'big' : 'primary big', data: { testid: 'done' } }, icon('check'), t(takes ? 'manual.already' : 'manual.done'))),
      parts.status),
  ];
}

/** Asks for a text, with or without prepared answers. */
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

// ------------------------------------------------------------------ parts

/** The two buttons with optional content between them; the keys A and D press them. */
export function judge(t, parts, { yes = t('approve'), no = t('deny'), approve = () => parts.answer({ confirmed: true }), more = null }) {
  return h('div', { class: 'card-actions' },
    h('button', { class: 'primary big', data: { testid: 'approve' }, 'aria-keyshortcuts': 'a', onclick: approve }, icon('check'), yes, h('kbd', { 'aria-hidden': 'true' }, 'A')),
    more,
    h('button', { class: 'big', data: { testid: 'deny' }, 'aria-keyshortcuts': 'd', onclick: () => parts.answer({ confirmed: false }) }, icon('cross'), no, h('kbd', { 'aria-hidden': 'true' }, 'D')));
}

// Body of the card. If it is longer than the card, a button shows the rest.
export function body(t, ...children) {
  const scroll = h('div', { class: 'card-scroll', tabindex: '-1' }, ...children);
  const more = h('button', { type: 'button', class: 'small card-more', tabindex: '-1', onclick: () => scroll.scrollBy({ top: scroll.clientHeight * 0.8, behavior: 'smooth' }) }, t('card.more'), icon('down'));
  const whole = h('div', { class: 'card-body' }, scroll, more);
  // At the end the button goes. The content then has its room, so that it stays at the end.
  const markOverflow = () => {
    whole.toggleAttribute('data-more', scroll.scrollHeight - scroll.clientHeight - scroll.scrollTop > 12);
    scroll.tabIndex = scroll.scrollHeight > scroll.clientHeight + 1 ? 0 : -1; // focusable only if it scrolls, for the arrow keys
  };
  scroll.addEventListener('scroll', markOverflow, { passive: true });
  const watch = new ResizeObserver(markOverflow);
  for (const box of [scroll, ...scroll.children]) watch.observe(box);
  return whole;
}

export const badge = (symbol, risk, text) => h('span', { class: 'risk', data: { risk } }, icon(symbol), text);

export function head(t, parts, ...marks) {
  const several = parts.count > 1 && h('span', { class: 'card-count' }, t('card.count', { n: parts.count }));
  const past = parts.readonly && h('span', { class: 'card-count' }, t('card.past'));
  return h('header', { class: 'card-head' }, ...marks, several, past, h('span', { class: 'spring' }), parts.countdown);
}

export function title(q, t) {
  const text = visible(questionTitle(q, t));
  return h('h2', { id: 'card-title', class: text.length > 110 ? 'card-title long' : 'card-title' }, inline(text)); // never cut: the title is what is approved
}

// The page on which it happens. `name` shortens its address.
function place(p, t, name = (url) => shortUrl(p.page.origin ?? url)) {
  if (!p.page?.url) return null;
  return h('p', { class: 'card-place' }, icon('globe'), h('strong', {}, name(p.page.url)), p.page.title && h('span', { dir: 'auto' }, visibleLine(p.page.title)));
}

const about = (p) => p.about && h('p', { class: 'card-note' }, inline(visible(p.about)));

const pictured = (p, t) => (p.screenshot ? picture(p, t) : p.picture_missing && missing(p, t));

const picture = (p, t) =>
  h('img', { class: 'card-picture', src: urlOf(p.screenshot), alt: t('card.picture', { name: p.target?.name ?? '' }), onerror: (event) => event.target.remove() });

// Explains a missing picture, in general if the reason is unknown.
function missing({ picture_missing: why }, t) {
  const key = `picture.missing.${why}`;
  return h('p', { class: 'card-note', data: { testid: 'no-picture' } }, t(t.has(key) ? key : 'picture.missing.any'));
}

// Reason of the rule, in words; its id is for finding it in the policy.
function why(q, t) {
  const { rule } = q.payload;
  const reason = q.reason && q.reason !== questionTitle(q, t) ? q.reason : rule ? t('card.asks') : '';
  return reason && h('p', { class: 'card-rule', title: rule ? t('card.rule', { rule }) : null }, reason);
}

function rememberChoice(q, t) {
  if (isBound(q.payload.covers)) return boundChoice(q, t);
  return h('fieldset', { class: 'remember' }, h('legend', {}, t('remember')),
    q.remember.map((choice, i) => h('label', {}, radio(q, choice, i), h('span', {}, t(`remember.${choice}`)))));
}

const LONG_SCOPE = 300; // characters of a scope shown at once

const radio = (q, choice, i, more = {}) => h('input', { type: 'radio', name: `remember-${q.reference}`, value: choice, checked: i === 0, ...more });

// A permission covers no more than the line below the choices tells, once one is chosen.
function boundChoice(q, t) {
  const line = h('div', { class: 'remember-covers', role: 'status', data: { testid: 'covers' } });
  const tell = (choice) => line.replaceChildren(...(choice === 'once' ? [] : [longText(`${t('covers.tells')} ${choiceLine(q.payload, choice, t)}`, t, LONG_SCOPE)]));
  const choices = q.remember.map((choice, i) => {
    const [key, scope] = [`remember.${choice}.bound`, choiceLine(q.payload, choice, t)];
    return h('label', { title: scope }, radio(q, choice, i, { 'aria-description': scope, onchange: () => tell(choice) }), h('span', {}, t(t.has(key) ? key : `remember.${choice}`)));
  });
  tell(q.remember[0]);
  return h('fieldset', { class: 'remember remember-bound' }, h('legend', {}, t('remember')), choices, line);
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
