// Ant Design's widgets.
import { useState } from "react";
import { Button, Cascader, Checkbox, Collapse, ConfigProvider, DatePicker, Dropdown, Form, InputNumber, Modal, Radio, Rate, Segmented, Select, Slider, Switch, Tabs, Tree } from "antd";
import { mount } from "./parts/mount.jsx";

const listed = (words) => words.map((word) => ({ value: word, label: word }));
const places = [{ value: "ua", label: "Ukraine", children: listed(["Kyiv", "Lviv"]) }, { value: "pl", label: "Poland", children: listed(["Warsaw"]) }];
const branches = [{ title: "Fruit", key: "fruit", children: [{ title: "Apple", key: "apple" }, { title: "Pear", key: "pear" }] }];

function Confirm() {
  const [isOpen, setOpen] = useState(false);
  return <><Button onClick={() => setOpen(true)}>Publish</Button><Modal title="Publish it?" open={isOpen} okText="Yes, publish" onOk={() => { setOpen(false); hit("modal", "yes"); }} onCancel={() => setOpen(false)}>All can see it.</Modal></>;
}

mount([
  <ConfigProvider theme={{ token: { motion: false } }}>
    <Form layout="vertical">
      <Form.Item label="Colours" htmlFor="colours"><Select id="colours" mode="multiple" options={listed(["Red", "Green", "Blue"])} onChange={(all) => hit("colours", all.join())} /></Form.Item>
      <Form.Item label="Place" htmlFor="place"><Cascader id="place" options={places} onChange={(path) => hit("place", path.join("/"))} /></Form.Item>
      <Form.Item label="Seats" htmlFor="seats"><InputNumber id="seats" min={1} max={9} defaultValue={2} onChange={(value) => hit("seats", value)} /></Form.Item>
      <Form.Item label="Stay" htmlFor="stay"><DatePicker.RangePicker id="stay" onChange={(_, both) => hit("stay", both.join())} /></Form.Item>
      <Form.Item label="Night mode" htmlFor="night"><Switch id="night" onChange={(value) => hit("night", value)} /></Form.Item>
    </Form>
    <Checkbox onChange={(event) => hit("news", event.target.checked)}>News by mail</Checkbox>
    <Radio.Group defaultValue="a" optionType="button" options={[{ label: "Day", value: "a" }, { label: "Week", value: "b" }]} onChange={(event) => hit("span", event.target.value)} />
    <Segmented options={["List", "Board"]} onChange={(value) => hit("segment", value)} />
    <Rate onChange={(value) => hit("rate", value)} />
    <Slider defaultValue={30} onChange={(value) => hit("slider", value)} />
    <Tabs items={[{ key: "1", label: "Overview", children: "First" }, { key: "2", label: "Files", children: "Second" }]} onChange={(key) => hit("tab", key)} />
    <Collapse items={[{ key: "1", label: "More about it", children: <p>Small print</p> }]} onChange={(keys) => hit("collapse", keys.length)} />
    <Tree checkable treeData={branches} onCheck={(keys) => hit("tree", keys.join())} onExpand={(keys) => hit("expand", keys.join())} />
    <Dropdown trigger={["click"]} menu={{ items: [{ key: "copy", label: "Copy" }, { key: "move", label: "Move" }], onClick: ({ key }) => hit("dropdown", key) }}><Button>More</Button></Dropdown>
    <Confirm />
  </ConfigProvider>,
]);
