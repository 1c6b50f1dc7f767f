// Ant Design: a Select that is empty and has a placeholder.
import { createRoot } from "react-dom/client";
import { Select } from "antd";

const options = [{ value: "v1", label: "Basic" }, { value: "v2", label: "Pro" }, { value: "v3", label: "Team" }];
createRoot(document.getElementById("ed")).render(
  <Select style={{ width: 200 }} placeholder="Choose a plan" options={options} onChange={(value) => hit("plan", value)} />,
);
