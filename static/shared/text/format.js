// Values, names and titles as a person reads them.

import { clockTime, duration, shortNumber } from './locale.js';

const LONG = 90; // characters of a value or name shown within a line

export const cut = (text, max = LONG) => {
  const flat = String(text ?? '').replace(/\s+/g, ' ').trim();
  return flat.length > max ? `${flat.slice(0, max - 1)}…` : flat;
};

export const statusWord = (status, t) => (t.has(`status.${status}`) ? t(`status.${status}`) : String(status ?? ''));

export const effectWord = (effect, t) => (t.has(`effect.${effect}`) ? t(`effect.${effect}`) : String(effect ?? ''));

/** What a rule of the gate is about; a rule of one's own has only its id. */
export const ruleWord = (rule, t) => (t.has(`rule.${rule}`) ? t(`rule.${rule}`) : t('grants.rule', { rule: rule ?? '' }));

export const errorWord = (error, t) => (t.has(`error.${error?.code}`) ? t(`error.${error.code}`) : error?.message || t('error.any'));

export const shortUrl = (url) => cut(String(url ?? '').replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, ''), 64);

/** "12 kB", in the words of the language; bytes have no short word that is one in English, so they are written out. */
export function fileSize(bytes, t) {
  const [unit, divisor, digits, unitDisplay] = bytes < 1000 ? ['byte', 1, 0, 'long'] : bytes < 1e6 ? ['kilobyte', 1000, 0, 'short'] : ['megabyte', 1e6, 1, 'short'];
  return new Intl.NumberFormat(t.locale, { style: 'unit', unit, unitDisplay, maximumFractionDigits: digits }).format(bytes / divisor);
}

/** Rounded down: nothing is whole before it is. */
export const percent = (part) => (Number.isFinite(part) ? `${Math.floor(part * 100 + 1e-9)}%` : '');

/** So much of what a run may use, in words. */
export function amount(limit, value, t) {
  if (limit === 'money') return money(value, t);
  if (limit === 'wall_s') return duration(value);
  return shortNumber(value, t.locale);
}

function money(value, { locale, currency }) {
  const digits = { maximumFractionDigits: value < 0.1 ? 4 : 2 };
  // The settings may name what is no code of a currency, such as "credits".
  if (!/^[A-Z]{3}$/.test(currency ?? '')) return `${new Intl.NumberFormat(locale, digits).format(value)} ${currency ?? ''}`.trim();
  return new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay: 'narrowSymbol', ...digits }).format(value);
}

/** An order in one line, as a title; our own address says nothing there. Cut by whoever shows it. */
export const taskTitle = (title, origin) => cut(String(title ?? '').replaceAll(origin, '').replace(/\s*\n\s*/g, '; '), 400).replace(/ …$/, '\u00a0…'); // no line of its own

/** The first order and how many follow: short, and without what was typed into fields further on. */
export function shortTitle(title, origin, t) {
  const orders = String(title ?? '').split('\n').map((one) => one.trim()).filter(Boolean);
  const first = taskTitle(orders[0], origin);
  return orders.length > 1 ? t('title.more', { title: first, n: orders.length - 1 }) : first;
}

/** A result of any shape as text for a folded block. */
export const resultText = (result) =>
  result === null || result === undefined || result === '' ? '' : typeof result === 'string' ? result : JSON.stringify(result, null, 2);

export const timeOf = (entry, t) => (entry.at ? clockTime(entry.at, t.locale) : '');
