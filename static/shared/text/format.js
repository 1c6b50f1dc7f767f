// Formatting of values, names and titles.

import { clockTime, duration, shortNumber } from './locale.js';

const LONG = 90; // characters of a value or name shown within a line

export const cut = (text, max = LONG) => {
  const flat = String(text ?? '').replace(/\s+/g, ' ').trim();
  return flat.length > max ? `${flat.slice(0, max - 1)}…` : flat;
};

export const statusWord = (status, t) => (t.has(`status.${status}`) ? t(`status.${status}`) : String(status ?? ''));

export const effectWord = (effect, t) => (t.has(`effect.${effect}`) ? t(`effect.${effect}`) : String(effect ?? ''));

/** Describes a rule of the gate; an own rule has only its id. */
export const ruleWord = (rule, t) => (t.has(`rule.${rule}`) ? t(`rule.${rule}`) : t('grants.rule', { rule: rule ?? '' }));

export const errorWord = (error, t) => (t.has(`error.${error?.code}`) ? t(`error.${error.code}`) : error?.message || t('error.any'));

export const shortUrl = (url) => cut(String(url ?? '').replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, ''), 64);

/** Formats a size, such as "12 kB". Bytes are written out, since English has no short word for them. */
export function fileSize(bytes, t) {
  const [unit, divisor, digits, unitDisplay] = bytes < 1000 ? ['byte', 1, 0, 'long'] : bytes < 1e6 ? ['kilobyte', 1000, 0, 'short'] : ['megabyte', 1e6, 1, 'short'];
  return new Intl.NumberFormat(t.locale, { style: 'unit', unit, unitDisplay, maximumFractionDigits: digits }).format(bytes / divisor);
}

/** Formats a fraction as a percentage, rounded down: only a complete one is 100 %. */
export const percent = (part) => (Number.isFinite(part) ? `${Math.floor(part * 100 + 1e-9)}%` : '');

/** Formats a quantity of a limit. */
export function amount(limit, value, t) {
  if (limit === 'money') return money(value, t);
  if (limit === 'wall_s') return duration(value);
  return shortNumber(value, t.locale);
}

function money(value, { locale, currency }) {
  const digits = { maximumFractionDigits: value < 0.1 ? 4 : 2 };
  // The settings may name a currency without a code, such as "credits".
  if (!/^[A-Z]{3}$/.test(currency ?? '')) return `${new Intl.NumberFormat(locale, digits).format(value)} ${currency ?? ''}`.trim();
  return new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay: 'narrowSymbol', ...digits }).format(value);
}

/** Returns a command as a title of one line, without the page's own address. The caller shortens it. */
export const taskTitle = (title, origin) => cut(String(title ?? '').replaceAll(origin, '').replace(/\s*\n\s*/g, '; '), 400).replace(/ …$/, '\u00a0…'); // no line of its own

/** Returns the first command and the number of further ones: short, and without texts typed into fields later. */
export function shortTitle(title, origin, t) {
  const orders = String(title ?? '').split('\n').map((one) => one.trim()).filter(Boolean);
  const first = taskTitle(orders[0], origin);
  return orders.length > 1 ? t('title.more', { title: first, n: orders.length - 1 }) : first;
}

/** Formats a result of any shape as text for a folded block. */
export const resultText = (result) =>
  result === null || result === undefined || result === '' ? '' : typeof result === 'string' ? result : JSON.stringify(result, null, 2);

export const timeOf = (entry, t) => (entry.at ? clockTime(entry.at, t.locale) : '');
