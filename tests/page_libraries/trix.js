// Trix.
import "trix";

document.addEventListener("trix-change", (event) => hit("model", event.target.editor.getDocument().toString().trimEnd()));
