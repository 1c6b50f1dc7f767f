// Draft.js. `START` is the text at the start.
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { ContentState, Editor, EditorState } from "draft-js";

function Post() {
  const [state, setState] = useState(() => EditorState.createWithContent(ContentState.createFromText(window.START ?? "")));
  const change = (next) => {
    if (next.getCurrentContent() !== state.getCurrentContent()) hit("model", next.getCurrentContent().getPlainText("\n"));
    setState(next);
  };
  return <Editor editorState={state} onChange={change} />;
}
createRoot(document.getElementById("ed")).render(<Post />);
