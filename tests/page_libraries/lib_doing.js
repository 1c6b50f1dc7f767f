// Editors, drawn tables, lists to sort and toggles of further libraries: each into an element of the page.
import "x-data-spreadsheet/dist/xspreadsheet.css";
import "jkanban/dist/jkanban.css";
import "prism-code-editor/layout.css";
import "x-data-spreadsheet/dist/xspreadsheet.js";
import canvasDatagrid from "canvas-datagrid";
import ace from "ace-builds/src-noconflict/ace.js";
import { CodeJar } from "codejar";
import { createEditor } from "prism-code-editor";
import "jkanban/dist/jkanban.js";
import sortable from "html5sortable/dist/html5sortable.es.js";
import { Sortable } from "@shopify/draggable";
import Muuri from "muuri";
import { dragAndDrop } from "@formkit/drag-and-drop";
import "@ui5/webcomponents/dist/ToggleButton.js";
import "@ui5/webcomponents/dist/SegmentedButton.js";
import "@material/mwc-icon-button-toggle";

const el = (id) => document.getElementById(id);
const textsIn = (id) => [...el(id).children].map((one) => one.textContent.trim()).join();

/** Widgets by the id of the element that they fill; a page has some of them. */
const makers = {
  sheet: (at) => {
    const sheet = x_spreadsheet(at, { view: { height: () => 300, width: () => 600 }, row: { len: 12 }, col: { len: 6 } }).loadData({});
    sheet.change((data) => hit("sheet", Object.fromEntries(Object.entries(data.rows).filter(([key]) => key !== "len").map(([key, row]) => [key, Object.values(row.cells).map((cell) => cell.text).join()]))));
  },
  datagrid: (at) => {
    const grid = canvasDatagrid({ parentNode: at, data: [{ name: "Lamp", price: "20" }, { name: "Desk", price: "90" }], editable: true });
    grid.style.height = "200px";
    grid.style.width = "500px";
    grid.addEventListener("endedit", (e) => hit("datagrid", e.value));
  },
  ace: (at) => ace.edit(at, { mode: "ace/mode/text" }).session.on("change", () => hit("ace", ace.edit(at).getValue())),
  codejar: (at) => CodeJar(at, () => {}).onUpdate((code) => hit("codejar", code)),
  prism: (at) => createEditor(at, { language: "text", value: "let a = 1;\nlet b = 2;", onUpdate: (code) => hit("prism", code) }),
  kanban: (at) => new window.jKanban({ element: "#kanban", itemHandleOptions: { enabled: true }, boards: [{ id: "todo", title: "To do", item: [{ id: "one", title: "Paint" }, { id: "two", title: "Glue" }] }, { id: "done", title: "Done", item: [{ id: "three", title: "Saw" }] }],
    dropEl: (item, target) => hit("kanban", `${item.textContent.trim()} in ${target.parentNode.dataset.id}`) }),
  html5: (at) => sortable(at, {})[0].addEventListener("sortupdate", () => hit("html5", textsIn("html5"))),
  shopify: (at) => new Sortable(at, { draggable: "li" }).on("drag:stopped", () => hit("shopify", textsIn("shopify"))),
  muuri: (at) => { const grid = new Muuri(at, { dragEnabled: true, dragSortHeuristics: { sortInterval: 20 } }); grid.on("dragReleaseEnd", () => hit("muuri", grid.getItems().map((one) => one.getElement().textContent.trim()).join())); },
  formkit: (at) => {
    let values = ["One", "Two", "Three"];
    const draw = () => at.replaceChildren(...values.map((text) => Object.assign(document.createElement("li"), { textContent: text, id: `formkit-${text}` })));
    draw();
    dragAndDrop({ parent: at, getValues: () => values, setValues: (now) => { values = now; draw(); hit("formkit", values.join()); }, config: {} });
  },
};
for (const [id, make] of Object.entries(makers)) if (el(id)) make(el(id));
