// Which language, and how a key becomes a sentence.
//
// A locale file maps keys to strings with {names} in them, or to plural forms
// ({one, few, many, other}) chosen by the parameter `n`, or to lists.

export const LOCALES = ['uk', 'en'];

/** Saved choice first, else the first of ours that the browser prefers, else English. */
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
  t.currency = 'USD'; // the service says which it is
  t.agent = (name) => name; // the title of an agent, where the list of agents is at hand
  t.titled = (title) => title; // a task's title, where what its agent is called in this language is at hand
  return t;
}

const show = (value, numbers) => (typeof value === 'number' ? numbers.format(value) : String(value ?? ''));

/** 12 345 tokens as "12.3K" / "12,3 тис." */
export const shortNumber = (value, locale) =>
  new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }).format(value);

// A formatter takes long to make, and every entry needs one.
const clocks = {};

export function clockTime(iso, locale) {
  clocks[locale] ??= new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' });
  return clocks[locale].format(new Date(iso));
}

/** Today: the time. Earlier: the day, too. */
export function shortDate(iso, locale, now = new Date()) {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return '';
  if (date.toDateString() === now.toDateString()) return clockTime(iso, locale);
  return new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' }).format(date);
}

/** Today: the time. Earlier: the day with it, as one tries the same task again and again. */
export function shortMoment(iso, locale, now = new Date()) {
  const [day, time] = [shortDate(iso, locale, now), Number.isNaN(Date.parse(iso)) ? '' : clockTime(iso, locale)];
  return day === time ? time : `${day}, ${time}`;
}

/** Seconds as 0:42 or 1:02:07. */
export function duration(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const pad = (value) => String(value).padStart(2, '0');
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  return h > 0 ? `${h}:${pad(m)}:${pad(s)}` : `${m}:${pad(s)}`;
}

const exact = {};

/** 12:03:07: to the second, for what is over in a few. */
export function clockSeconds(iso, locale) {
  exact[locale] ??= new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
  return exact[locale].format(new Date(iso));
}
