// Element Plus: a field for tags.
import { createApp, h, ref } from "vue";
import { ElForm, ElFormItem, ElInputTag } from "element-plus";
import "element-plus/dist/index.css";

const tags = ref(["red", "blue"]);
createApp({
  render: () => h(ElForm, { style: "width:420px", labelWidth: 90 }, () => h(ElFormItem, { label: "Tags" }, () => h(ElInputTag, {
    modelValue: tags.value, "onUpdate:modelValue": (value) => { tags.value = value; hit("tags", value.join()); },
  }))),
}).mount("#ed");
