// Widgets of small libraries without a framework: each into an element of the page.
import "flatpickr/dist/flatpickr.css";
import "pikaday/css/pikaday.css";
import "tom-select/dist/css/tom-select.default.css";
import "choices.js/public/assets/styles/choices.css";
import "nouislider/dist/nouislider.css";
import "dragula/dist/dragula.css";
import "tabulator-tables/dist/css/tabulator.css";
import "swiper/css/bundle";
import "tippy.js/dist/tippy.css";
import "filepond/dist/filepond.css";
import "leaflet/dist/leaflet.css";
import "air-datepicker/air-datepicker.css";
import "@yaireo/tagify/dist/tagify.css";
import flatpickr from "flatpickr";
import Pikaday from "pikaday";
import TomSelect from "tom-select";
import Choices from "choices.js";
import noUiSlider from "nouislider";
import Sortable from "sortablejs";
import dragula from "dragula";
import { TabulatorFull } from "tabulator-tables";
import Swiper from "swiper/bundle";
import tippy from "tippy.js";
import * as FilePond from "filepond";
import L from "leaflet";
import AirDatepicker from "air-datepicker";
import en from "air-datepicker/locale/en";
import Tagify from "@yaireo/tagify";
import { Calendar } from "@fullcalendar/core";
import dayGrid from "@fullcalendar/daygrid";
import interaction from "@fullcalendar/interaction";

const el = (id) => document.getElementById(id);
const dated = (date) => `${date.getFullYear()}-${date.getMonth() + 1}-${date.getDate()}`;
const textsIn = (id) => [...el(id).children].map((one) => one.textContent.trim()).join();

/** Widgets by the id of the element that they fill; a page has some of them. */
const makers = {
  flatpickr: (at) => flatpickr(at, { defaultDate: "2026-03-01", onChange: ([day]) => hit("flatpickr", dated(day)) }),
  pikaday: (at) => new Pikaday({ field: at, defaultDate: new Date(2026, 2, 1), onSelect: (day) => hit("pikaday", dated(day)) }),
  air: (at) => new AirDatepicker(at, { locale: en, startDate: new Date(2026, 2, 1), onSelect: ({ date }) => hit("air", dated(date)) }),
  tom: (at) => new TomSelect(at, { onChange: (value) => hit("tom", value) }),
  toms: (at) => new TomSelect(at, { plugins: ["remove_button"], onChange: (value) => hit("toms", String(value)) }),
  choices: (at) => { new Choices(at, { shouldSort: false }); at.addEventListener("change", () => hit("choices", at.value)); },
  manychoices: (at) => { new Choices(at, { removeItemButton: true }); at.addEventListener("change", () => hit("manychoices", [...at.selectedOptions].map((one) => one.value).join())); },
  range: (at) => noUiSlider.create(at, { start: [20], step: 1, range: { min: 0, max: 100 }, handleAttributes: [{ "aria-label": "Brightness" }] }).on("change", ([value]) => hit("range", Number(value))),
  sortable: (at) => new Sortable(at, { animation: 0, onEnd: () => hit("sortable", textsIn("sortable")) }),
  handles: (at) => new Sortable(at, { handle: ".grip", animation: 0, onEnd: () => hit("handles", textsIn("handles")) }),
  dragula: (at) => dragula([at]).on("drop", () => hit("dragula", textsIn("dragula"))),
  tabulator: (at) => {
    const table = new TabulatorFull(at, { height: 160, data: [{ id: 1, name: "Lamp", price: 20, sold: true }, { id: 2, name: "Desk", price: 90, sold: false }], columns: [
      { title: "Name", field: "name", editor: "input" }, { title: "Price", field: "price", sorter: "number" }, { title: "Sold", field: "sold", formatter: "tickCross", editor: true },
      { formatter: "buttonCross", title: "", headerSort: false, cellClick: (_, cell) => cell.getRow().delete() }] });
    table.on("cellEdited", (cell) => hit("tabulator", `${cell.getField()} ${cell.getValue()}`));
    table.on("dataSorted", (sorters) => sorters.length > 0 && hit("sorted", sorters[0].field));
    table.on("rowDeleted", (row) => hit("deleted", row.getData().name));
  },
  swiper: (at) => new Swiper(at, { speed: 0, navigation: { nextEl: ".swiper-button-next", prevEl: ".swiper-button-prev" }, pagination: { el: ".swiper-pagination", clickable: true } }).on("slideChange", ({ activeIndex }) => hit("swiper", activeIndex)),
  tippy: (at) => tippy(at, { content: "Saves the draft", duration: 0 }),
  tippymenu: (at) => tippy(at, { content: "<button>Duplicate</button>", allowHTML: true, interactive: true, trigger: "click", duration: 0, appendTo: document.body }),
  filepond: (at) => FilePond.create(at, { onaddfile: (_, { filename }) => hit("filepond", filename) }),
  leaflet: (at) => { const map = L.map(at, { zoomAnimation: false, fadeAnimation: false }).setView([50, 30], 5); map.on("zoomend", () => hit("zoom", map.getZoom())); L.marker([50, 30], { title: "Kyiv", alt: "Kyiv" }).addTo(map).bindPopup("Capital").on("click", () => hit("marker")); },
  tagify: (at) => new Tagify(at, { whitelist: ["red", "green"], callbacks: { add: ({ detail }) => hit("tagged", detail.data.value), remove: ({ detail }) => hit("untagged", detail.data.value) } }),
  calendar: (at) => new Calendar(at, { plugins: [dayGrid, interaction], height: 420, initialDate: "2026-03-01", events: [{ title: "Fair", start: "2026-03-10" }], dateClick: ({ dateStr }) => hit("day", dateStr), eventClick: ({ event }) => hit("event", event.title), datesSet: ({ view }) => hit("shown", view.title) }).render(),
};
for (const [id, make] of Object.entries(makers)) if (el(id)) make(el(id));
