// Keeps the summary's total (and the total that is sent along) in step with the chosen delivery, and the
// card's fields with the chosen payment. Both read what is chosen now: a page that is filled in again after
// a restart tells of its changes in any order.
const total = document.querySelector("[data-total]");
const delivery = document.querySelector("[data-delivery]");
const shown = document.querySelector("input[name=shown_total]");
const another = document.querySelector("#p-another");
const number = document.querySelector("input[name=card_number]");

function showDelivery() {
  const way = document.querySelector("input[name=delivery]:checked");
  const sum = Number(total.dataset.total) + Number(way.dataset.price);
  const digits = String(sum).replace(/\B(?=(\d{3})+$)/g, document.documentElement.lang === "uk" ? "\u00a0" : ",");
  total.textContent = document.documentElement.lang === "uk" ? `${digits}\u00a0₴` : `₴${digits}`;
  delivery.textContent = way.dataset.priceText;
  shown.value = String(sum);
}

function requireCard() {
  for (const field of document.querySelectorAll("input[autocomplete^=cc-]")) field.required = another.checked;
}

for (const way of document.querySelectorAll("input[name=delivery]")) {
  way.addEventListener("change", showDelivery);
}
for (const way of document.querySelectorAll("input[name=pay_with]")) {
  way.addEventListener("change", requireCard);
}
// Whoever types a card's number means that card.
number.addEventListener("input", () => {
  if (!another || number.value === "") return;
  another.checked = true;
  requireCard();
});
