// What this browser remembers: language, theme, the last run that was open.

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
