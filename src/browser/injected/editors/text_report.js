// Reports the whole text of a code editor, of which only the lines in view are drawn. The editors keep it in objects of
// the page's own world: at their elements, or in a global. The page script asks with an event on the editor's element.

const LONGEST_EDITOR_TEXT = 200000;

/** Returns the text of an editor by the object that it keeps at its element; null if it keeps none. */
function readEditor(el, queryIn) {
  const ways = [
    () => el.CodeMirror.getValue(),
    () => el.env.editor.getValue(),
    () => queryIn(el, ".cm-content").cmView.view.state.doc.toString(),
    () => viewOfTile(queryIn(el, ".cm-content").cmTile).state.doc.toString(),
    () => monacoText(el),
  ];
  for (let i = 0; i < ways.length; i++) {
    const text = attempt(ways[i], null);
    if (typeof text === "string") return text;
  }
  return null;
}

/** Returns the view of CodeMirror 6 to which a part of its content belongs. */
function viewOfTile(tile) {
  let at = tile;
  for (let i = 0; i < 20 && at.view === undefined; i++) at = at.parent;
  return at.view;
}

function monacoText(el) {
  const editors = globalThis.monaco.editor.getEditors();
  for (let i = 0; i < editors.length; i++) {
    const own = editors[i].getDomNode();
    if (own === el || own.contains(el) || el.contains(own)) return editors[i].getValue();
  }
  return null;
}

if (globalThis.document !== undefined && globalThis.Element !== undefined) {
  attempt(() => {
    const listen = unbound(EventTarget.prototype.addEventListener);
    const dispatch = unbound(EventTarget.prototype.dispatchEvent);
    const pathOf = unbound(Event.prototype.composedPath);
    const queryIn = unbound(Element.prototype.querySelector);
    const Message = globalThis.CustomEvent;
    const Plain = globalThis.Event;
    const inner = new EventTarget();
    let asked = null;
    let told = null;
    listen(inner, "text", () => (told = readEditor(asked, queryIn)));
    // Code of the page that runs meanwhile sees the inner event, which has no secret name.
    listen(globalThis.document, `${INTERNALS}text`, (event) => {
      asked = pathOf(event)[0];
      told = null;
      dispatch(inner, new Plain("text"));
      if (typeof told === "string") dispatch(asked, new Message(`${INTERNALS}.`, { __proto__: null, detail: part(told, 0, LONGEST_EDITOR_TEXT) }));
    }, true);
  }, null);
}
