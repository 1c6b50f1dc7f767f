// Dropzone over the element `dz`.
import Dropzone from "dropzone";

const zone = new Dropzone("#dz", { url: "/upload", autoProcessQueue: false });
zone.on("addedfile", (file) => hit("dropzone", file.name));
