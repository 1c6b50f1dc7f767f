// The whole text of a code editor: as the editor itself has it (`text_report.js`), or else the lines that are drawn.

/** Returns {text, whole} of an editor. */
function wholeTextOf(el) {
  const own = askEditor(el);
  return { text: own ?? editorText(el), whole: own !== null || isTerminal(el) };
}

/** Asks the page's own world for the text of an editor; null if it does not know. */
function askEditor(el) {
  let told = null;
  const hear = (event) => (told = event.detail);
  listenOn(el, `${INTERNALS}.`, hear);
  dispatchTo(el, new CustomEvent(`${INTERNALS}text`, { bubbles: true, composed: true }));
  unlistenOn(el, `${INTERNALS}.`, hear);
  return typeof told === "string" ? told : null;
}
