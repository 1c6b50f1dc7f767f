// CodeMirror 6. `LINES` is the number of lines at the start.
import { EditorView, basicSetup } from "codemirror";

const lines = Array.from({ length: window.LINES ?? 0 }, (_, at) => `line ${at + 1}`);
new EditorView({
  doc: lines.join("\n"),
  parent: document.getElementById("ed"),
  extensions: [
    basicSetup,
    EditorView.theme({ "&": { height: "160px", width: "600px", border: "1px solid" }, ".cm-scroller": { overflow: "auto" } }),
    EditorView.updateListener.of((update) => { if (update.docChanged) hit("model", update.state.doc.toString()); }),
  ],
});
