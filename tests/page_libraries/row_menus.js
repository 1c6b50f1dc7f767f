// jQuery contextMenu: one listener of the document opens the menu of each row.
import "./parts/jquery_global.js";
import "jquery-contextmenu";
import "jquery-contextmenu/dist/jquery.contextMenu.css";

window.jQuery.contextMenu({
  selector: "#files .file",
  items: { rename: { name: "Rename" }, remove: { name: "Delete" } },
  callback(key) { hit(key, this.text().trim()); },
});
