// Element Plus: select, date, cascader, switch.
import { createApp, h, ref } from "vue";
import ElementPlus, { ElCascader, ElDatePicker, ElForm, ElFormItem, ElOption, ElSelect, ElSwitch } from "element-plus";
import "element-plus/dist/index.css";

const places = [
  { value: "ua", label: "Ukraine", children: [{ value: "k", label: "Kyiv" }, { value: "l", label: "Lviv" }] },
  { value: "pl", label: "Poland", children: [{ value: "w", label: "Warsaw" }] },
];
const item = (label, field) => h(ElFormItem, { label }, () => field);

createApp({
  setup() {
    const [plan, day, place, power] = [ref(""), ref(null), ref([]), ref(false)];
    const bound = (model, name, tell) => ({ modelValue: model.value, "onUpdate:modelValue": (value) => { model.value = value; hit(name, tell(value)); } });
    return () => h(ElForm, { style: "width:320px", labelWidth: 80 }, () => [
      item("Plan", h(ElSelect, bound(plan, "plan", (value) => value), () => ["Basic", "Pro", "Team"].map((value) => h(ElOption, { value, label: value, key: value })))),
      item("Day", h(ElDatePicker, bound(day, "day", (value) => value && value.toDateString()))),
      item("Place", h(ElCascader, { ...bound(place, "place", (value) => value.join("/")), options: places })),
      item("Power", h(ElSwitch, bound(power, "sw", (value) => value))),
    ]);
  },
}).use(ElementPlus).mount("#ed");
