// Code editors: one textbox with the lines that show, whatever the editor draws them with. They take text at a hidden
// field and keep a selection of their own, so keys select before text is inserted. Terminals take keys, and have nothing
// to select or to replace: each key goes to the program that runs in them.

/** Parts of an editor: its root, the field that takes text, and its lines. */
const EDITORS = [
  { root: ".monaco-editor", field: ".native-edit-context,textarea.inputarea,textarea", lines: ".view-lines .view-line", byTop: true },
  { root: ".CodeMirror", field: "textarea,[contenteditable=true]", lines: ".CodeMirror-line" },
  { root: ".ace_editor", field: "textarea.ace_text-input,textarea", lines: ".ace_text-layer .ace_line" },
  { root: ".cm-editor", field: ".cm-content", lines: ".cm-line" },
  { root: ".xterm", field: "textarea.xterm-helper-textarea,textarea", lines: ".xterm-rows>div,.xterm-accessibility-tree>[role=listitem]", isTerminal: true },
];
const EDITOR_ROOTS = EDITORS.map((one) => one.root).join();
const TERMINAL_ROOTS = EDITORS.filter((one) => one.isTerminal).map((one) => one.root).join();
/** Parts of an editor that are listed beside its text. */
const EDITOR_WIDGETS = ".suggest-widget,.find-widget,.monaco-list,.ace_search,.ace_autocomplete,.CodeMirror-dialog,.CodeMirror-hints,.context-view,.cm-tooltip,.cm-panel";
const editContextOf = Object.getOwnPropertyDescriptor(HTMLElement.prototype, "editContext") === undefined ? () => null : getter(HTMLElement.prototype, "editContext");

/** Editors by root element; `null` for other elements that were asked about. */
const editors = new WeakMap();
let someEditors = false;

/** Finds the editors of a document or shadow root. */
function noteEditors(root) {
  const found = queryAll(root, EDITOR_ROOTS);
  for (let i = 0; i < found.length && i < 50; i++) {
    const parts = EDITORS.find((one) => matches(found[i], one.root));
    if (query(found[i], parts.field) === null || (parentElement(found[i]) !== null && closest(parentElement(found[i]), EDITOR_ROOTS) !== null)) continue;
    editors.set(found[i], parts);
    someEditors = true;
  }
}

const editorAt = (el) => (someEditors ? editors.get(el) ?? null : null);

/** Returns the edit context of an element that takes text by one, or null. */
function contextIn(el) {
  try {
    return hasAttributes(el) ? editContextOf(el) : null;
  } catch {
    return null; // not an HTML element
  }
}

const fieldOfEditor = (el) => query(el, editors.get(el).field);

/** Returns the lines of an editor that are drawn. */
function linesOfEditor(el) {
  const { lines, byTop } = editors.get(el);
  const drawn = [...queryAll(el, lines)].slice(0, 1000);
  if (byTop) drawn.sort((a, b) => rectOf(a).top - rectOf(b).top);
  return drawn.map((line) => textContent(line).replaceAll("\u00a0", " ").replaceAll("\u200b", ""));
}

const isTerminal = (el) => editorAt(el)?.isTerminal === true;

/** Returns the last line of a terminal that says anything: where keys write. */
const lastLineOf = (el) => linesOfEditor(el).reverse().find((line) => line.trim() !== "") ?? "";

/** Returns the value of an editor, or of an element with an edit context; null for other elements. */
const editorValue = (el) => (isTerminal(el) ? lastLineOf(el) : editorText(el));

/** Returns the text of an editor, or of an element with an edit context; null for other elements. */
function editorText(el) {
  if (editorAt(el) !== null) return linesOfEditor(el).join("\n");
  const context = contextIn(el);
  return context === null ? null : String(context.text);
}

/** Matches a name that follows the cursor. */
const CURSOR_NAME = /^cursor at row/i;

/** Returns the name of an editor: of the field that it replaces, or of its own field. */
function editorName(el) {
  const before = previousElement(el);
  const replaced = before !== null && localName(before) === "textarea" && !isShown(before) ? nameOf(before, "textbox") : "";
  if (replaced !== "") return replaced;
  const field = fieldOfEditor(el);
  const own = labelledBy(field) || attr(field, "aria-label") || labelText(field) || "";
  return own === "" || CURSOR_NAME.test(own) ? keepGuess(el, isTerminal(el) ? "Terminal" : "Code editor") : own;
}

/** Lists an editor as one textbox, with what opens over it. */
function editor(el, tag, page, ctx) {
  const place = placeActor(el, ctx);
  if (place === NOWHERE || place === COVERED || ctx.off) return;
  page.flush();
  const line = { role: "textbox", name: null, el, tag, kind: ACTOR, place: place === DEAD ? IN_VIEW : place, isNew: isNew(el) };
  const mark = page.open(line);
  if (mark === null) return;
  if (isTerminal(el)) listTerminalLines(el, line, page, ctx);
  for (const widget of queryAll(el, EDITOR_WIDGETS)) {
    if (isShown(widget) && closest(parentNode(widget), EDITOR_WIDGETS) === null) visit(widget, page, ctx, drawnParent(widget), true);
  }
  page.close(mark);
}

const UNREAD_NOTE = "its text can be seen only in the picture";

/** Lists the lines of a terminal, each by itself. */
function listTerminalLines(el, line, page, ctx) {
  const texts = linesOfEditor(el);
  if (texts.length === 0) line.note = UNREAD_NOTE;
  for (const text of texts) if (text.trim() !== "") page.push({ role: "text", name: cut(clean(text), LONGEST_TEXT), el, tag: "", kind: TEXT, place: line.place });
}

const PRESSED_FOR_ALL = /Mac/.test(navigator.platform) ? ["Meta+a"] : ["Control+a"];
const PRESSED_FOR_END = /Mac/.test(navigator.platform) ? ["Meta+ArrowDown"] : ["Control+End"];

/** Focuses an editor for typing; null if the element is none. The reply names the keys that select. */
function focusEditor(el, clear) {
  const isLibrary = editorAt(el) !== null;
  const context = isLibrary ? null : contextIn(el);
  if (!isLibrary && context === null) return null;
  const field = isLibrary ? fieldOfEditor(el) : el;
  if (hasAttr(field, "readonly") || attr(field, "contenteditable") === "false" || attr(field, "aria-readonly") === "true") return failed("readonly", "the editor is read-only");
  field.focus({ preventScroll: true });
  if (context !== null) {
    // Some follow the selection of the document.
    selectRich(el, clear);
    context.updateSelection(clear ? 0 : context.text.length, context.text.length);
  }
  if (context !== null) return { ok: true, by: "insert", type: "editor", secret: false, empty: context.text === "" };
  if (isTerminal(el)) return { ok: true, by: "insert", type: "terminal", secret: false, empty: true };
  return { ok: true, by: "insert", type: "editor", secret: false, empty: false, keys: clear ? PRESSED_FOR_ALL : PRESSED_FOR_END };
}

/** Inserts text at the selection, as pasted; false if the editor does not take that, so that it must be typed. */
function insertInEditor(eid, text) {
  const el = nodeOf(eid);
  if (el === null) return deadEid(eid);
  if (text === "" || editorAt(el) === null || isTerminal(el)) return false;
  const data = new DataTransfer();
  data.setData("text/plain", text);
  const paste = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true, composed: true });
  return dispatchTo(fieldOfEditor(el), paste) === false;
}
