// react-dropzone.
import { createRoot } from "react-dom/client";
import { useDropzone } from "react-dropzone";

function Zone() {
  const { getInputProps, getRootProps } = useDropzone({ onDropAccepted: (files) => hit("react-dropzone", files.map((file) => file.name).join()) });
  return <div {...getRootProps()} style={{ border: "2px dashed", padding: 20, width: 300 }}><input {...getInputProps()} /><p>Drag a file here, or click to select one</p></div>;
}
createRoot(document.getElementById("ed")).render(<Zone />);
