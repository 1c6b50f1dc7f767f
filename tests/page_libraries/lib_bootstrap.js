// Bootstrap: style sheet and scripts over the page's own HTML.
import "bootstrap/dist/css/bootstrap.css";
import * as bootstrap from "bootstrap";

for (const kind of ["shown.bs.collapse", "shown.bs.tab", "shown.bs.modal", "hidden.bs.modal", "hidden.bs.toast", "shown.bs.offcanvas", "slid.bs.carousel"]) {
  document.addEventListener(kind, (event) => hit(kind.replaceAll(".bs.", " "), event.target.id));
}
document.addEventListener("click", (event) => {
  if (event.target.id === "show-toast") bootstrap.Toast.getOrCreateInstance("#toast").show();
  if (event.target.matches(".dropdown-item")) hit("item", event.target.textContent);
});
