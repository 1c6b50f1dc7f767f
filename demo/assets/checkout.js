// Keeps the summary's total (and the total that is sent along) in step with the chosen delivery.
const total = document.querySelector("[data-total]");
const delivery = document.querySelector("[data-delivery]");
const shown = document.querySelector("input[name=shown_total]");

function update(way) {
  const sum = Number(total.dataset.total) + Number(way.dataset.price);
  const digits = String(sum).replace(/\B(?=(\d{3})+$)/g, document.documentElement.lang === "uk" ? "\u00a0" : ",");
  total.textContent = document.documentElement.lang === "uk" ? `${digits}\u00a0₴` : `₴${digits}`;
  delivery.textContent = way.dataset.priceText;
  shown.value = String(sum);
}

for (const way of document.querySelectorAll("input[name=delivery]")) {
  way.addEventListener("change", () => update(way));
}
