// Classic script in <head>: applies the stored theme before the first paint.
try {
  const theme = localStorage.getItem('askfirst.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden; then the system's scheme applies.
}
