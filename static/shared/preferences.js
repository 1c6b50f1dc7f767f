// What this browser remembers: language, theme, the last run that was open, its windows, work that
// is not saved; and the theme that holds.

const PREFIX = 'askfirst.';

export function recall(name) {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null; // storage may be forbidden; then nothing is remembered
  }
}

/** False where it could not be kept. */
export function remember(name, value) {
  try {
    localStorage.setItem(PREFIX + name, value);
    return true;
  } catch {
    return false; // as above, or it is full
  }
}

export function forget(name) {
  try {
    localStorage.removeItem(PREFIX + name);
  } catch {
    // as above
  }
}

/** Names of all that is remembered under a name that begins so, without that beginning. */
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

/** Session ids of this browser's windows, the newest last: what they hold, this person holds. */
export const windows = () => (recall('windows') ?? '').split(' ').filter(Boolean);

export function rememberWindow(sessionId) {
  const all = windows().filter((known) => known !== sessionId);
  remember('windows', [...all, sessionId].slice(-MOST_WINDOWS).join(' '));
}
