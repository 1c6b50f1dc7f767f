// Material Web: every element.
import "@material/web/all.js";
