// Libraries that mark passages: Recogito, web-highlighter, and MediumEditor's toolbar. `KIND` chooses one.
import { createTextAnnotator } from "@recogito/text-annotator";
import Highlighter from "web-highlighter";
import MediumEditor from "medium-editor";

const passage = document.getElementById("passage");
const quoteOf = (annotation) => annotation.target.selector[0].quote;

({
  recogito() {
    createTextAnnotator(passage).on("createAnnotation", (annotation) => hit("annotation", quoteOf(annotation)));
  },
  highlighter() {
    const highlighter = new Highlighter({ $root: passage });
    highlighter.on(Highlighter.event.CREATE, ({ sources }) => hit("highlight", sources.map((source) => source.text).join("")));
    highlighter.run();
  },
  medium() {
    passage.contentEditable = "true";
    const editor = new MediumEditor(passage, { toolbar: { buttons: ["bold", "quote"] } });
    editor.subscribe("editableInput", () => hit("html", passage.innerHTML.trim()));
  },
})[window.KIND]();
