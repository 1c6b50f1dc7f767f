// First content: whether a page that has been loaded shows nothing yet, since its scripts have still to draw it.

const CONTENT = "a[href],button,input:not([type=hidden]),select,textarea,iframe,frame,canvas,video,object,embed,[contenteditable],[role=button],[role=link],[tabindex]";
const MOST_CONTENT = 50;
/** Longest text beside a sign of loading that is no content: a name of the application. */
const LONGEST_SPLASH = 40;

/**
 * Returns "loading" for a page that shows nothing, or in most of the window nothing, but that it is loading; "empty" for one
 * that shows nothing; else null.
 */
function lackingContent() {
  try {
    return lackOfContent();
  } catch {
    return null;
  }
}

function lackOfContent() {
  const body = bodyOf(document);
  if (body === null) return "empty";
  if (queryAll(document, "script").length === 0) return null;
  const signs = findSigns(new WeakSet(), MOST_SIGNS);
  if (signs.some(coversWindow)) return "loading";
  for (const root of allRoots()) {
    const found = queryAll(root, CONTENT);
    for (let i = 0; i < found.length; i++) if (i >= MOST_CONTENT || isShown(found[i])) return null;
  }
  const text = visibleText(body, 2000);
  if (signs.length === 0) return text === "" ? "empty" : null;
  let rest = text;
  for (const sign of signs) rest = rest.replace(visibleText(sign, 2000), "");
  return rest.trim().length <= LONGEST_SPLASH ? "loading" : null;
}
