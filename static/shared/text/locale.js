// Choice of language, and translation of message keys.
//
// A locale file maps keys to strings with {names} in them, or to plural forms
// ({one, few, many, other}) chosen by the parameter `n`, or to lists.

export const LOCALES = ['uk', 'en'];

/** Returns the saved locale, otherwise the first supported one of the browser's, otherwise English. */
export function pickLocale(preferred, saved) {
  if (LOCALES.includes(saved)) return saved;
  const wanted = [preferred ?? []].flat().map((tag) => String(tag).toLowerCase().split('-')[0]);
  return wanted.find((language) => LOCALES.includes(language)) ?? 'en';
}

export function translator(words, locale) {
  const plural = new Intl.PluralRules(locale);
  const numbers = new Intl.NumberFormat(locale);
  const t = (key, params = {}) => {
    let text = words[key];
    if (text === undefined) return key;
    if (typeof text === 'object') text = text[plural.select(params.n ?? 0)] ?? text.other;
    return text.replace(/\{(\w+)\}/g, (whole, name) => (name in params ? show(params[name], numbers) : whole));
  };
  t.has = (key) => key in words;
  t.list = (key) => (Array.isArray(words[key]) ? words[key] : []);
  t.locale = locale;
  t.currency = 'USD'; // replaced by the currency of the settings
  t.agent = (name) => name; // title of an agent, once the list of agents is known
  t.titled = (title) => title; // translated title of a task, once the list of agents is known
  return t;
}

const show = (value, numbers) => (typeof value === 'number' ? numbers.format(value) : String(value ?? ''));

/** Formats 12 345 tokens as "12.3K" / "12,3 тис." */
export const shortNumber = (value, locale) =>
  new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }).format(value);

// Formatters are cached: making one is slow, and every entry needs one.
const clocks = {};

export function clockTime(iso, locale) {
  clocks[locale] ??= new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' });
  return clocks[locale].format(new Date(iso));
}

/** Formats a date: the time if it is today, otherwise the day as well. */
export function shortDate(iso, locale, now = new Date()) {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return '';
  if (date.toDateString() === now.toDateString()) return clockTime(iso, locale);
  return new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' }).format(date);
}

/** Formats a moment: always with the time, to tell repeated tasks apart. */
export function shortMoment(iso, locale, now = new Date()) {
  const [day, time] = [shortDate(iso, locale, now), Number.isNaN(Date.parse(iso)) ? '' : clockTime(iso, locale)];
  return day === time ? time : `${day}, ${time}`;
}

/** Formats seconds as 0:42 or 1:02:07. */
export function duration(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const pad = (value) => String(value).padStart(2, '0');
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  return h > 0 ? `${h}:${pad(m)}:${pad(s)}` : `${m}:${pad(s)}`;
}

const exact = {};

/** Formats a time with seconds: 12:03:07. */
export function clockSeconds(iso, locale) {
  exact[locale] ??= new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
  return exact[locale].format(new Date(iso));
}
