// Keyboards of phones that lie over the page instead of making it smaller: the
// page is as high as what can be seen of it, so that nothing is hidden below.

const seen = globalThis.visualViewport;

function fit() {
  // Pinched larger, the view is smaller for another reason.
  const covered = seen.scale <= 1.01 && innerHeight - seen.height > 80;
  document.documentElement.style.setProperty('--seen', covered ? `${Math.round(seen.height)}px` : '100dvh');
  if (covered) scrollTo(0, 0);
}

export function followKeyboard() {
  seen?.addEventListener('resize', fit);
}
