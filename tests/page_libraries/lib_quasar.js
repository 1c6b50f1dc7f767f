// Widgets of Quasar and Vant.
import "quasar/dist/quasar.css";
import "vant/lib/index.css";
import { createApp, h, ref } from "vue";
import { Quasar, QSelect, QToggle, QRating, QDate, QTime, QTree, QBtnDropdown, QList, QItem, QItemSection, QStepper, QStep, QTable, QChip, QUploader } from "quasar";
import { Stepper, Picker, Rate, Collapse, CollapseItem, ActionSheet, Button, Sidebar, SidebarItem } from "vant";

/** Makes a component that holds the value of a widget and reports each new one. */
const bound = (Widget, name, start, props = {}, slots = {}) => ({ setup() { const value = ref(start); return () => h(Widget, { modelValue: value.value, "onUpdate:modelValue": (v) => { value.value = v; hit(name, v); }, ...props }, slots); } });
const CITIES = ["Kyiv", "Lviv", "Odesa"];

const makers = {
  select: bound(QSelect, "select", null, { options: CITIES, label: "City", clearable: true, style: "width:240px" }),
  toggle: bound(QToggle, "toggle", false, { label: "Wi-Fi" }),
  rating: bound(QRating, "rating", 2, { max: 5, size: "2em", icon: "star" }),
  date: bound(QDate, "date", "2026/03/02"),
  time: bound(QTime, "time", "10:20", { format24h: true }),
  tree: { setup: () => () => h(QTree, { nodes: [{ label: "Fruit", children: [{ label: "Apple" }] }, { label: "Bread" }], nodeKey: "label" }) },
  export: { setup: () => () => h(QBtnDropdown, { label: "Export", split: true, onClick: () => hit("export") }, () => h(QList, () => ["PDF", "CSV"].map((one) => h(QItem, { clickable: true, onClick: () => hit("as", one) }, () => h(QItemSection, () => one))))) },
  steps: { setup() { const step = ref(1); return () => h(QStepper, { modelValue: step.value, "onUpdate:modelValue": (v) => { step.value = v; hit("step", v); }, headerNav: true, animated: false }, () => [1, 2].map((n) => h(QStep, { name: n, title: `Part ${n}`, icon: "settings" }, () => `Text of ${n}`))); } },
  table: { setup() { const chosen = ref([]); return () => h(QTable, { title: "Treats", rows: [{ name: "Ice", fat: 9 }, { name: "Cake", fat: 16 }, { name: "Pie", fat: 3 }], columns: [{ name: "name", label: "Dessert", field: "name", sortable: true, align: "left" }, { name: "fat", label: "Fat", field: "fat" }], rowKey: "name", selection: "multiple", selected: chosen.value, "onUpdate:selected": (v) => { chosen.value = v; hit("rows", v.map((r) => r.name)); }, rowsPerPageOptions: [2, 3], pagination: { rowsPerPage: 2 } }); } },
  chip: { setup() { const on = ref(false); return () => h("div", [h(QChip, { selected: on.value, "onUpdate:selected": (v) => { on.value = v; hit("chip", v); }, clickable: true }, () => "Vegan"), h(QChip, { removable: true, onRemove: () => hit("removed") }, () => "Draft")]); } },
  upload: { setup: () => () => h(QUploader, { label: "Papers", url: "/none", onAdded: (files) => hit("added", files[0].name) }) },
  stepper: bound(Stepper, "stepper", 1),
  picker: { setup: () => () => h(Picker, { title: "City", confirmButtonText: "Done", cancelButtonText: "Cancel", columns: CITIES.map((text) => ({ text, value: text })), onConfirm: ({ selectedValues }) => hit("picked", selectedValues) }) },
  rate: bound(Rate, "rate", 2),
  side: bound(Sidebar, "side", 0, {}, () => ["Fruit", "Meat"].map((title) => h(SidebarItem, { title }))),
  collapse: bound(Collapse, "collapse", [], {}, () => ["Delivery", "Returns"].map((title) => h(CollapseItem, { title, name: title }, () => `${title} text`))),
  sheet: { setup() { const show = ref(false); return () => h("div", [h(Button, { onClick: () => { show.value = true; } }, () => "Share"), h(ActionSheet, { show: show.value, "onUpdate:show": (v) => { show.value = v; }, closeOnClickAction: true, actions: [{ name: "By mail" }, { name: "By link" }, { name: "Off", disabled: true }], cancelText: "Cancel", onSelect: (one) => hit("sheet", one.name) })]); } },
};
for (const [name, at] of window.wanted) createApp(makers[name]).use(Quasar, { config: {} }).mount(at);
