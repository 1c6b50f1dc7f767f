// Element Plus's widgets.
import { createApp, h, reactive } from "vue";
import ElementPlus, { ElCheckbox, ElCollapse, ElCollapseItem, ElDropdown, ElDropdownItem, ElDropdownMenu, ElButton, ElForm, ElFormItem, ElInputNumber, ElMessageBox, ElOption, ElRadio, ElRadioGroup, ElRate, ElSelect, ElSlider, ElSwitch, ElTabPane, ElTabs, ElTimeSelect, ElTree } from "element-plus";
import "element-plus/dist/index.css";

const item = (label, field) => h(ElFormItem, { label }, () => field);
const state = reactive({ tags: [], seats: 2, night: false, agree: false, size: "S", rate: 0, vol: 30, tab: "first", open: [], time: "" });
const bound = (key) => ({ modelValue: state[key], "onUpdate:modelValue": (value) => { state[key] = value; hit(key, Array.isArray(value) ? value.join() : value); } });
const ask = () => ElMessageBox.confirm("It cannot be undone.", "Delete it?", { confirmButtonText: "Delete", cancelButtonText: "Keep" }).then(() => hit("box", "yes"), () => hit("box", "no"));

createApp({
  render: () => h(ElForm, { style: "width:420px", labelWidth: 90 }, () => [
    item("Tags", h(ElSelect, { ...bound("tags"), multiple: true }, () => ["Red", "Green", "Blue"].map((value) => h(ElOption, { value, label: value, key: value })))),
    item("Seats", h(ElInputNumber, { ...bound("seats"), min: 1, max: 9 })),
    item("Night", h(ElSwitch, bound("night"))),
    item("Volume", h(ElSlider, bound("vol"))),
    item("Start", h(ElTimeSelect, { ...bound("time"), start: "08:00", step: "01:00", end: "12:00" })),
    h(ElCheckbox, bound("agree"), () => "I agree"),
    h(ElRadioGroup, bound("size"), () => ["S", "L"].map((value) => h(ElRadio, { value, key: value }, () => `Size ${value}`))),
    h(ElRate, bound("rate")),
    h(ElTabs, bound("tab"), () => [h(ElTabPane, { label: "Users", name: "first" }, () => "First"), h(ElTabPane, { label: "Roles", name: "second" }, () => "Second")]),
    h(ElCollapse, bound("open"), () => h(ElCollapseItem, { title: "Feedback", name: "f" }, () => "Small print")),
    h(ElTree, { data: [{ label: "Fruit", children: [{ label: "Apple" }] }], onNodeClick: (node) => hit("node", node.label) }),
    h(ElDropdown, { trigger: "click", onCommand: (what) => hit("dropdown", what) }, { default: () => h(ElButton, () => "More"), dropdown: () => h(ElDropdownMenu, () => ["Copy", "Move"].map((command) => h(ElDropdownItem, { command, key: command }, () => command))) }),
    h(ElButton, { onClick: ask }, () => "Delete all"),
  ]),
}).use(ElementPlus).mount("#ed");
