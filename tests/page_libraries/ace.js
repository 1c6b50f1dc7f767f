// Ace. `OPT` are options.
import ace from "ace-builds";

ace.config.set("useWorker", false);
const editor = ace.edit("ed", { value: window.OPT?.value ?? "" });
editor.on("change", () => hit("model", editor.getValue()));
