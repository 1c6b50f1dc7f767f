// Vuetify's widgets.
import { createApp, h, reactive, Transition } from "vue";
import { createVuetify } from "vuetify";
import { VApp, VAutocomplete, VBtn, VCheckbox, VDialog, VCard, VExpansionPanel, VExpansionPanels, VList, VListItem, VMenu, VRadio, VRadioGroup, VRating, VSelect, VSlider, VSwitch, VTab, VTabs, VTextField } from "vuetify/components";
import "vuetify/styles";

const state = reactive({ plan: null, city: null, nick: "", night: false, agree: false, size: "s", vol: 30, rate: 0, tab: "a", open: [], isAsking: false });
const bound = (key) => ({ modelValue: state[key], "onUpdate:modelValue": (value) => { state[key] = value; hit(key, value); } });
const close = () => { state.isAsking = false; hit("dialog", "yes"); };

createApp({
  render: () => h(VApp, () => h("div", { style: "width:420px" }, [
    h(VSelect, { ...bound("plan"), label: "Plan", items: ["Basic", "Pro", "Team"] }),
    h(VAutocomplete, { ...bound("city"), label: "City", items: ["Kyiv", "Lviv", "Odesa"] }),
    h(VTextField, { ...bound("nick"), label: "Nickname" }),
    h(VSwitch, { ...bound("night"), label: "Night mode" }),
    h(VCheckbox, { ...bound("agree"), label: "I agree" }),
    h(VRadioGroup, bound("size"), () => [h(VRadio, { label: "Small", value: "s" }), h(VRadio, { label: "Large", value: "l" })]),
    h(VSlider, { ...bound("vol"), label: "Volume", step: 1 }),
    h(VRating, bound("rate")),
    h(VTabs, bound("tab"), () => [h(VTab, { value: "a" }, () => "Overview"), h(VTab, { value: "b" }, () => "Files")]),
    h(VExpansionPanels, () => h(VExpansionPanel, { title: "Read more", text: "Small print" })),
    h(VMenu, { transition: false }, { activator: ({ props }) => h(VBtn, props, () => "More"), default: () => h(VList, () => ["Copy", "Move"].map((what) => h(VListItem, { title: what, key: what, onClick: () => hit("menu", what) }))) }),
    h(VBtn, { onClick: () => { state.isAsking = true; } }, () => "Publish"),
    h(VDialog, { modelValue: state.isAsking, width: 300, transition: false }, () => h(VCard, { title: "Publish it?" }, () => h(VBtn, { onClick: close }, () => "Yes, publish"))),
  ])),
}).use(createVuetify()).mount("#ed");
