// Inputmask over the fields `p` (telephone), `d` (date), `c` (price).
import Inputmask from "inputmask";

Inputmask("(999) 999-9999").mask(document.getElementById("p"));
Inputmask("datetime", { inputFormat: "dd/mm/yyyy" }).mask(document.getElementById("d"));
Inputmask("currency", { prefix: "$ " }).mask(document.getElementById("c"));
for (const field of document.querySelectorAll("#p, #d, #c")) {
  field.addEventListener("change", () => hit(field.parentNode.textContent.trim(), field.value));
}
