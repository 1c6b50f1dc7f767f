// Tables of the values that would be sent, and texts that unfold.

import { h, icon } from '../../shared/ui/dom.js';
import { inline } from '../../shared/ui/service_text.js';
import { fileSize } from '../../shared/text/format.js';
import { visible, visibleLine, wordsOf } from '../../shared/text/visible.js';
import { downloadName, downloadValue, isArrived } from './download.js';

const RUNS = new Set(['python', 'shell', 'compute']); // code that runs on the service sends nothing
const LONG = 180; // characters of a value shown at once
const FEW = 3; // hidden values shown at once
const DESTINATION = '→'; // name that the service gives to an address among values

export function valueTable(payload, t) {
  const rows = Object.entries(payload.values ?? {});
  if (rows.length === 0) return null;
  // The style sheet gives rows another display; the roles keep their meaning.
  return h('table', { class: 'card-values', role: 'table' }, h('caption', {}, t(caption(payload))),
    h('tbody', { role: 'rowgroup' }, rows.map(([name, value]) => row(name, value, payload, t))));
}

/** Values that the page sends along without showing them; more than a few unfold. */
export function hiddenTable(payload, t) {
  const { hidden, values = {} } = payload;
  const rows = Object.entries(hidden ?? {}).filter(([name, value]) => values?.[name] !== value);
  if (rows.length === 0) return null;
  const table = (title, part) => h('table', { class: 'card-values', role: 'table', data: { testid: 'hidden-values' } }, h('caption', {}, title),
    h('tbody', { role: 'rowgroup' }, part.map(([name, value]) => row(name, value, { request: payload.request }, t))));
  const [first, rest] = [rows.slice(0, FEW), rows.slice(FEW)];
  return h('div', { class: 'card-hidden' }, table(t('card.hidden'), first),
    rest.length > 0 && h('details', { class: 'behind' }, h('summary', {}, t('card.hidden.more', { n: rest.length }), icon('next')), table('', rest)));
}

const caption = (payload) => (RUNS.has(payload.effect_class) ? 'card.values.run' : isArrived(payload) ? 'download.values' : 'card.values');

/** Counts the values of a whole state that are sent again as they are. */
export const unchangedLine = ({ unchanged }, t) => Number.isInteger(unchanged) && unchanged > 0 && h('p', { class: 'card-unchanged' }, t('card.unchanged', { n: unchanged }));

function row(name, given, payload, t) {
  const isFile = isArrived(payload);
  const label = payload.labels?.[name] ?? (isFile ? downloadName(name, t) : null);
  const value = isFile ? downloadValue(name, given, payload, t) : given;
  const isBody = name === 'body' && isUnread(value, payload.request);
  return h('tr', { role: 'row' },
    h('th', { scope: 'row', role: 'rowheader', dir: 'auto', title: label ? name : null }, label ? inline(visible(label)) : isBody ? t('card.content') : valueName(name, t)),
    h('td', { role: 'cell', dir: 'auto' }, isBody ? content(payload.request, t) : cell(value, t)));
}

/** Returns the name of a value as a person reads it. */
export const valueName = (name, t) => (name === DESTINATION ? t('card.destination') : visibleLine(name) || '—');

/** Reports whether the value only tells type and size of a body that cannot be read. */
function isUnread(value, request) {
  if (!request) return false;
  const size = Number.isFinite(request.size) ? `, ${request.size} B` : '';
  return value === `${request.content_type || '?'}${size}`;
}

/** Type and size of a body that cannot be read. */
export function content({ content_type: type, size }, t) {
  const about = [type ? visibleLine(type) : t('card.content.unknown'), Number.isFinite(size) && fileSize(size, t)].filter(Boolean).join(' · ');
  return h('span', { class: 'value-file' }, icon('file'), h('span', {}, h('span', {}, about), h('small', {}, t('card.content.unread'))));
}

function cell(value, t) {
  const file = fileOf(value);
  if (file) return h('span', { class: 'value-file' }, icon('file'), h('span', {}, h('span', {}, visibleLine(file.name) || t('card.file.unnamed')), fileFacts(file, t)));
  return longText(visible(value), t);
}

/** Reads a file among the values: { name, type, size }, also under the names of forms and requests. */
function fileOf(value) {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
  const name = value.file_name ?? value.filename ?? value.file ?? value.name;
  const type = value.content_type ?? value.type;
  return typeof name === 'string' && (type !== undefined || Number.isFinite(value.size)) ? { name, type, size: value.size } : null;
}

function fileFacts({ type, size }, t) {
  const about = [visibleLine(type), Number.isFinite(size) && fileSize(size, t)].filter(Boolean).join(' · ');
  return about && h('small', {}, about);
}

/** A text of any length: a long one is clipped and unfolds. */
export function longText(text, t, most = LONG) {
  const whole = wordsOf(text);
  return whole.length <= most ? whole || '—' : unfolding(whole, [whole], [whole], t);
}

/** A long text of which an excerpt is shown until it is unfolded; both as nodes. */
export function unfolding(whole, excerpt, nodes, t) {
  const words = h('span', { class: 'clamp' }, excerpt);
  // The elements are found from the event: where a panel is drawn again, its older ones stay.
  const toggle = h('button', { type: 'button', class: 'link', 'aria-expanded': 'false', onclick: ({ currentTarget: pressed }) => {
    const shown = pressed.previousElementSibling;
    const open = shown.toggleAttribute('data-open');
    shown.replaceChildren(...(open ? nodes : excerpt));
    pressed.setAttribute('aria-expanded', String(open));
    pressed.textContent = t(open ? 'card.less' : 'card.whole', { n: whole.length });
  } }, t('card.whole', { n: whole.length }));
  return h('div', {}, words, toggle);
}
