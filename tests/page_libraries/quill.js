// Quill without a theme.
import Quill from "quill";

const quill = new Quill("#ed", {});
quill.on("text-change", () => hit("model", quill.getText().trimEnd()));
