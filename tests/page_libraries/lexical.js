// Lexical with rich text. `START` is the text at the start.
import { $createParagraphNode, $createTextNode, $getRoot, createEditor } from "lexical";
import { registerRichText } from "@lexical/rich-text";
import { createEmptyHistoryState, registerHistory } from "@lexical/history";

const editor = createEditor({ namespace: "post", onError(fault) { throw fault; } });
editor.setRootElement(document.getElementById("ed"));
registerRichText(editor);
registerHistory(editor, createEmptyHistoryState(), 300);
editor.update(() => {
  const words = (window.START ?? "").split("\n").map((line) => $createParagraphNode().append($createTextNode(line)));
  $getRoot().clear().append(...words);
}, { discrete: true });
editor.registerTextContentListener((text) => hit("model", text));
