// The ground of every task: data from the seed in the address, the goal in words, one verdict.
// A page calls `tasks({name() { … }})`; the task builds its widgets into `#area` and calls `judge`.

const query = new URLSearchParams(location.search);
const taskName = query.get("task");

/** mulberry32 over the seed and the task's name. */
let state = 0x9e3779b9;
for (const c of `${query.get("seed")} ${taskName}`) state = Math.imul(state ^ c.codePointAt(0), 2654435761) >>> 0;
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
const int = (least, most) => least + Math.floor(random() * (most - least + 1));
const pick = (list) => list[int(0, list.length - 1)];
function some(list, count) {
  const left = [...list];
  return Array.from({ length: count }, () => left.splice(int(0, left.length - 1), 1)[0]);
}
const shuffled = (list) => some(list, list.length);
const word = () => Array.from({ length: 3 }, () => pick("bdfgklmnprstvz") + pick("aeiou")).join("");

const PEOPLE = ["Olena", "Marko", "Aisha", "Pedro", "Yuki", "Ingrid", "Tomasz", "Leila", "Samuel", "Greta", "Dmytro", "Zofia"];
const CITIES = ["Lviv", "Porto", "Oslo", "Kyoto", "Lima", "Accra", "Turin", "Quito", "Bergen", "Odesa", "Split", "Tampa"];
const THINGS = ["lamp", "kettle", "chair", "carpet", "mirror", "basket", "ladder", "hammer", "bottle", "pillow", "camera", "guitar"];
const COLOURS = { red: "#c62828", green: "#2e7d32", blue: "#1565c0", orange: "#ef6c00", purple: "#6a1b9a", teal: "#00796b" };
const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];

/** An element: `on…` are listeners, true is an empty attribute, false and null are none. */
function h(tag, attributes = {}, ...children) {
  const svg = ["svg", "circle", "rect", "path", "g", "title"].includes(tag);
  const el = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) el.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) el.setAttribute(name, value === true ? "" : value);
  }
  el.append(...children.flat(Infinity));
  return el;
}
const area = () => document.getElementById("area");
const put = (...children) => area().append(...children.flat(Infinity));
const show = (...children) => area().replaceChildren(...children.flat(Infinity));
const button = (name, onclick, more = {}) => h("button", { type: "button", onclick, ...more }, name);
const field = (label, input) => h("label", {}, `${label} `, input);
/** A field and a button in a shadow root of this mode; what is handed in is told. */
function widget(mode, tell) {
  const host = h("code-widget");
  const input = h("input", { "aria-label": "Widget code" });
  host.attachShadow({ mode }).append(h("p", {}, "A widget"), input, button("Hand in", () => tell(input.value)));
  return host;
}
const by = (id) => document.getElementById(id);

/** The goal stands on the page, and nowhere else. */
const goal = (text) => { by("goal").textContent = `Goal: ${text}`; };

/** The first verdict counts. */
window.verdict = null;
function judge(good, why = "not as asked") {
  if (window.verdict !== null) return;
  window.verdict = { task: taskName, seed: query.get("seed"), good: Boolean(good), why: good ? "" : why };
  by("verdict").textContent = good ? "task: done" : `task: failed: ${why}`;
}
/** Judges whether two things are the same, and says what came instead. */
const judgeSame = (got, wanted) => judge(JSON.stringify(got) === JSON.stringify(wanted), `${JSON.stringify(got)} instead of ${JSON.stringify(wanted)}`);

function tasks(all) {
  document.body.prepend(h("p", { id: "goal" }));
  document.body.append(h("main", { id: "area" }), h("output", { id: "verdict" }));
  document.title = `Task ${taskName}`;
  if (all[taskName] === undefined) return judge(false, `there is no task ${taskName}`);
  all[taskName]();
}
