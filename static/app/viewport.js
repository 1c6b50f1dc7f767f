// On-screen keyboards that overlay the page: sets the page's height to the visible part, so that nothing lies
// below the keyboard.

const seen = globalThis.visualViewport;

function fit() {
  // Pinch zoom also reduces the visible height.
  const covered = seen.scale <= 1.01 && innerHeight - seen.height > 80;
  document.documentElement.style.setProperty('--seen', covered ? `${Math.round(seen.height)}px` : '100dvh');
  if (covered) scrollTo(0, 0);
}

export function followKeyboard() {
  seen?.addEventListener('resize', fit);
}
