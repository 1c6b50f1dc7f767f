// Solid, which listens for presses at the document only.
import { createSignal } from "solid-js";
import h from "solid-js/h";
import { render } from "solid-js/web";

function Board() {
  const [count, setCount] = createSignal(0);
  const [isOpen, setOpen] = createSignal(false);
  return h("div", {},
    h("div", { style: "padding:4px", onClick: () => { setCount(count() + 1); hit("count", count()); } }, "Count it"),
    h("span", { onDblClick: () => hit("edit") }, "Edit this line"),
    h("div", { onContextMenu: (event) => { event.preventDefault(); setOpen(true); }, style: "border:1px solid" }, "photo.png"),
    () => isOpen() && h("div", { onClick: () => { hit("open"); setOpen(false); } }, "Open with"),
    h("ul", {}, ["Milk", "Bread", "Tea"].map((name) => h("li", {}, name, " ", h("b", { style: "padding:2px", onClick: () => hit("remove", name), title: "Remove" }, "×")))));
}
render(() => h(Board), document.getElementById("ed"));
