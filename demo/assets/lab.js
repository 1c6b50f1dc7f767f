// The lab's pages. Each block looks for its own marks and does nothing on the others.

const body = document.body;
const byId = (id) => document.getElementById(id);

// A button that counts its presses right away.
for (const button of document.querySelectorAll("[data-count]")) {
  button.addEventListener("click", () => {
    const count = byId(button.dataset.count);
    count.textContent = String(Number(count.textContent) + 1);
  });
}

// The cookie box goes away.
for (const button of document.querySelectorAll("[data-remove]")) {
  button.addEventListener("click", () => byId(button.dataset.remove).remove());
}

for (const button of document.querySelectorAll("[data-popup]")) {
  button.addEventListener("click", () => window.open(button.dataset.popup, "lab", "width=420,height=320"));
}

// Does not let go once something was typed.
for (const field of document.querySelectorAll("[data-leave]")) {
  addEventListener("beforeunload", (event) => {
    if (field.value) event.preventDefault();
  });
}

if (body.dataset.lab === "alert") addEventListener("load", () => alert(byId("alert").dataset.text));

// New content 150 ms after a click.
byId("fetch")?.addEventListener("click", async (event) => {
  const answer = byId("answer");
  answer.textContent = event.target.dataset.wait;
  await (await fetch("data?ms=150")).json();
  body.dataset.fetched = String(Number(body.dataset.fetched ?? 0) + 1);
  answer.textContent = answer.dataset.done + body.dataset.fetched;
});

// Changes on every frame, canvas and text.
if (body.dataset.lab === "busy") {
  const draw = byId("canvas").getContext("2d");
  let tick = 0;
  const paint = () => {
    tick += 1;
    byId("ticks").textContent = String(tick);
    for (let x = 0; x < 16; x += 1) {
      for (let y = 0; y < 9; y += 1) {
        draw.fillStyle = `hsl(${(x * 20 + y * 12 + tick * 3) % 360} 70% 55%)`;
        draw.fillRect(x * 40, y * 40, 40, 40);
      }
    }
    requestAnimationFrame(paint);
  };
  paint();
}

// The price page shows what the shop says now, or changes by itself.
if (body.dataset.lab === "price") {
  const home = byId("buy");
  const form = document.querySelector("form");
  const show = (price, text) => {
    if (form.elements.shown_total.value === String(price)) return;
    form.elements.shown_total.value = String(price);
    byId("price").textContent = text;
  };
  const ask = async () => {
    const now = await (await fetch("price/now")).json();
    show(now.price, now.text);
    if (!home) return;
    const name = now.button ?? home.dataset.name;
    if (home.textContent !== name) home.textContent = name;
    if (now.gone && home.isConnected) home.remove();
    if (!now.gone && !home.isConnected) form.append(home);
  };
  if (body.dataset.after) setTimeout(() => show(body.dataset.to, body.dataset.toText), Number(body.dataset.after));
  else setInterval(() => ask().catch(() => {}), 250);
}

customElements.define("lab-card", class extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({ mode: "open" });
    const title = document.createElement("h2");
    title.textContent = `№ ${this.getAttribute("name")}`;
    const button = document.createElement("button");
    const count = document.createElement("output");
    count.textContent = "0";
    button.textContent = `${this.getAttribute("press")} ${this.getAttribute("name")}`;
    button.addEventListener("click", () => { count.textContent = String(Number(count.textContent) + 1); });
    root.append(title, document.createElement("slot"), button, " ", count);
  }
});
