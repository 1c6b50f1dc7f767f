// Ant Design: a filled Select, a Select with a search and a virtual list, a date field.
import { createRoot } from "react-dom/client";
import { DatePicker, Form, Select } from "antd";

const plans = [{ value: "v1", label: "Basic" }, { value: "v2", label: "Pro" }, { value: "v3", label: "Team" }];
const many = Array.from({ length: 300 }, (_, at) => ({ value: `v${at + 1}`, label: `Choice ${at + 1}` }));
createRoot(document.getElementById("ed")).render(
  <Form layout="vertical" style={{ width: 300 }}>
    <Form.Item label="Plan" htmlFor="plan"><Select id="plan" defaultValue="v1" options={plans} onChange={(value) => hit("plan", value)} /></Form.Item>
    <Form.Item label="Long" htmlFor="long"><Select id="long" showSearch optionFilterProp="label" placeholder="Search" options={many} onChange={(value) => hit("long", value)} /></Form.Item>
    <Form.Item label="Date" htmlFor="date"><DatePicker id="date" onChange={(_, text) => hit("date", text)} /></Form.Item>
  </Form>,
);
