// Slate. `START` is the text at the start.
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { createEditor, Node } from "slate";
import { Editable, Slate, withReact } from "slate-react";
import { withHistory } from "slate-history";

function Post() {
  const [editor] = useState(() => withHistory(withReact(createEditor())));
  const [start] = useState(() => (window.START ?? "").split("\n").map((text) => ({ type: "paragraph", children: [{ text }] })));
  return <Slate editor={editor} initialValue={start} onValueChange={(value) => hit("model", value.map((block) => Node.string(block)).join("\n"))}>
    <Editable placeholder="Write" style={{ border: "1px solid", minHeight: 60 }} />
  </Slate>;
}
createRoot(document.getElementById("ed")).render(<Post />);
