// React root in `#ed`: each widget below the other, in a section of its own.
import { createRoot } from "react-dom/client";

export function mount(widgets) {
  createRoot(document.getElementById("ed")).render(
    <div style={{ width: 420 }}>{widgets.map((widget, at) => <div key={at} style={{ margin: 8 }}>{widget}</div>)}</div>,
  );
}
