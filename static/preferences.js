// What this browser remembers: language, theme, the last run that was open; and the theme that holds.

const PREFIX = 'askfirst.';

export function recall(name) {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null; // storage may be forbidden; then nothing is remembered
  }
}

export function remember(name, value) {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // as above
  }
}

export function currentTheme() {
  return document.documentElement.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
}

export function useTheme(theme) {
  document.documentElement.dataset.theme = theme;
  remember('theme', theme);
}
