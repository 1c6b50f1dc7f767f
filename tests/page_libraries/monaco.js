// Monaco without languages. `OPT` are further options.
import * as monaco from "monaco-editor/editor/editor.api.js";
import "monaco-editor/features/register.all.js";

const editor = monaco.editor.create(document.getElementById("ed"), { value: "", minimap: { enabled: false }, ...window.OPT });
editor.onDidChangeModelContent(() => hit("model", editor.getValue()));
