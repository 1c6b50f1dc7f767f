// Select2 over the native lists of the page.
import "./parts/jquery_global.js";
import select2 from "select2";

if (typeof select2 === "function") select2(window, window.jQuery);
const { $ } = window;
$("#st").select2({ width: 200 }).on("change", () => hit("state", $("#st").val()));
$("#tg").select2({ width: 200 }).on("change", () => hit("tags", $("#tg").val().join()));
