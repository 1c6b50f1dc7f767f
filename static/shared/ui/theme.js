// Classic script in <head>: sets a remembered theme before the first paint.
try {
  const theme = localStorage.getItem('askfirst.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden; then the system's scheme holds.
}
