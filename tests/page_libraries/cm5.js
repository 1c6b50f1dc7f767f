// CodeMirror 5.
import CodeMirror from "codemirror5";

const editor = CodeMirror(document.getElementById("ed"), { value: window.OPT?.value ?? "", lineNumbers: true });
editor.on("change", () => hit("model", editor.getValue()));
