// jQuery as a global, for its plugins.
import jquery from "jquery";
window.$ = window.jQuery = jquery;
