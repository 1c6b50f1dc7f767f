// Single widgets of small libraries: UIkit, Fancytree, Litepicker, Vanilla Calendar Pro, Splide, Plyr, TOAST UI Calendar.
import "uikit/dist/css/uikit.min.css";
import "./parts/jquery_global.js";
import "jquery.fancytree/dist/skin-lion/ui.fancytree.min.css";
import "litepicker/dist/css/litepicker.css";
import "vanilla-calendar-pro/styles/index.css";
import "@splidejs/splide/css";
import "plyr/dist/plyr.css";
import "@toast-ui/calendar/dist/toastui-calendar.css";
import UIkit from "uikit";
import Icons from "uikit/dist/js/uikit-icons";
import "jquery.fancytree/dist/modules/jquery.fancytree.js";
import { Litepicker } from "litepicker";
import { Calendar } from "vanilla-calendar-pro";
import Splide from "@splidejs/splide";
import Plyr from "plyr";
import TuiCalendar from "@toast-ui/calendar";

UIkit.use(Icons);
const fill = (at, html) => { at.innerHTML = html; return at.firstElementChild; };
const dated = (date) => `${date.getFullYear()}-${date.getMonth() + 1}-${date.getDate()}`;

const makers = {
  icons: (at) => { fill(at, '<div><a href="#" uk-icon="icon: trash"></a> <a href="#" uk-icon="icon: pencil"></a> <a href="#" class="uk-icon-button" uk-icon="heart"></a> <a href="" uk-close></a></div>').addEventListener("click", (e) => { e.preventDefault(); hit("icon", e.target.closest("a").getAttribute("uk-icon")); }); },
  dropdown: (at) => { fill(at, '<button class="uk-button" type="button">Account</button><div uk-dropdown="mode: click; animation: false"><ul class="uk-nav"><li class="uk-active"><a href="#">Profile</a></li><li><a href="#">Log out</a></li></ul></div>'); at.addEventListener("click", (e) => hit("pressed", e.target.textContent)); },
  sortable: (at) => { const list = fill(at, `<ul uk-sortable="handle: .uk-sortable-handle" class="uk-list" style="width:300px">${["One", "Two", "Three"].map((one) => `<li><span class="uk-sortable-handle" uk-icon="icon: table"></span> ${one}</li>`).join("")}</ul>`); UIkit.util.on(list, "moved", () => hit("order", [...list.children].map((li) => li.textContent.trim()).join())); },
  offcanvas: (at) => { fill(at, '<button class="uk-button" uk-toggle="target: #panel">Menu</button><div id="panel" uk-offcanvas><div class="uk-offcanvas-bar"><button class="uk-offcanvas-close" type="button" uk-close></button><ul class="uk-nav"><li><a href="#">Inbox</a></li></ul></div></div>'); document.addEventListener("click", (e) => { if (e.target.textContent === "Inbox") hit("inbox"); }); },
  tree: (at) => { $(fill(at, "<div></div>")).fancytree({ checkbox: true, source: [{ title: "Fruit", folder: true, children: [{ title: "Apple" }, { title: "Pear" }] }, { title: "Bread" }], select: (_e, { node }) => hit(node.isSelected() ? "ticked" : "unticked", node.title), activate: (_e, { node }) => hit("active", node.title), expand: (_e, { node }) => hit("expanded", node.title) }); },
  range: (at) => { fill(at, '<label>Stay <input id="stay"></label>'); new Litepicker({ element: at.querySelector("input"), singleMode: false, startDate: "2026-03-02", endDate: "2026-03-04" }).on("selected", (a, b) => hit("range", `${dated(a.dateInstance)} ${dated(b.dateInstance)}`)); },
  days: (at) => { new Calendar(fill(at, "<div></div>"), { selectedTheme: "light", selectedMonth: 2, selectedYear: 2026, onClickDate: (self) => hit("day", self.context.selectedDates.join()) }).init(); },
  slides: (at) => { fill(at, `<section class="splide" aria-label="Offers" style="width:300px"><div class="splide__track"><ul class="splide__list">${["One", "Two", "Three"].map((t) => `<li class="splide__slide"><p>${t} offer</p><button onclick="hit('buy','${t}')">Buy</button></li>`).join("")}</ul></div></section>`); new Splide(at.firstElementChild, { type: "loop", perPage: 1 }).mount().on("moved", (index) => hit("slide", index)); },
  player: (at) => { const player = new Plyr(fill(at, "<audio controls></audio>"), { iconUrl: "", loadSprite: false }); player.on("volumechange", () => hit("muted", player.muted)); },
  month: (at) => { const month = new TuiCalendar(fill(at, '<div style="height:420px"></div>'), { defaultView: "month", usageStatistics: false, useFormPopup: true, useDetailPopup: true, calendars: [{ id: "c", name: "Work", backgroundColor: "#03bd9e" }] }); month.setDate("2026-03-10"); month.createEvents([{ id: "1", calendarId: "c", title: "Fair", start: "2026-03-11", end: "2026-03-11", isAllday: true }]); month.on("clickEvent", ({ event }) => hit("event", event.title)); month.on("beforeCreateEvent", ({ title }) => hit("created", title)); },
};
for (const [name, at] of window.wanted) makers[name](at);
