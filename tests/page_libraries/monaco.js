// Monaco without languages. `OPT` are further options; with `GLOBAL`, pages find it as `monaco`.
import * as monaco from "monaco-editor/editor/editor.api.js";
import "monaco-editor/features/register.all.js";

const editor = monaco.editor.create(document.getElementById("ed"), { value: "", minimap: { enabled: false }, ...window.OPT });
editor.onDidChangeModelContent(() => hit("model", editor.getValue()));
if (window.GLOBAL) window.monaco = monaco;
