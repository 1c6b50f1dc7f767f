// Tiptap. `START` is the document at the start.
import { Editor } from "@tiptap/core";
import StarterKit from "@tiptap/starter-kit";

new Editor({
  element: document.getElementById("ed"),
  extensions: [StarterKit],
  content: window.START ?? "",
  onUpdate: ({ editor }) => hit("model", editor.getText({ blockSeparator: "\n" })),
});
