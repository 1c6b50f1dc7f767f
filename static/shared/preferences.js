// Storage of this browser: language, theme, last open run, windows, unsaved work; and the theme in use.

const PREFIX = 'askfirst.';

export function recall(name) {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null; // storage may be forbidden; then nothing is stored
  }
}

/** Stores a value; false if the storage refused. */
export function remember(name, value) {
  try {
    localStorage.setItem(PREFIX + name, value);
    return true;
  } catch {
    return false; // forbidden, or full
  }
}

export function forget(name) {
  try {
    localStorage.removeItem(PREFIX + name);
  } catch {
    // storage may be forbidden
  }
}

/** Returns the stored names with this beginning, without it. */
export function remembered(start) {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(PREFIX + start)).map((key) => key.slice(PREFIX.length + start.length));
  } catch {
    return [];
  }
}

export function currentTheme() {
  return document.documentElement.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
}

export function useTheme(theme) {
  document.documentElement.dataset.theme = theme;
  remember('theme', theme);
}

const MOST_WINDOWS = 12;

/** Session ids of this browser's windows, the newest last: the page of each is held by this person. */
export const windows = () => (recall('windows') ?? '').split(' ').filter(Boolean);

export function rememberWindow(sessionId) {
  const all = windows().filter((known) => known !== sessionId);
  remember('windows', [...all, sessionId].slice(-MOST_WINDOWS).join(' '));
}
