// React Aria Components, and handlers that React calls from its root.
import { useState } from "react";
import { Button, Calendar, CalendarCell, CalendarGrid, Checkbox, ComboBox, Heading, Input, Label, ListBox, ListBoxItem, Menu, MenuItem, MenuTrigger, NumberField, Group, Popover, Select, SelectValue, Slider, SliderOutput, SliderThumb, SliderTrack, Switch, Tag, TagGroup, TagList, ToggleButton, Disclosure, DisclosurePanel } from "react-aria-components";
import { parseDate } from "@internationalized/date";
import { mount } from "./parts/mount.jsx";

const box = { background: "#fff", border: "1px solid" };

function Tags() {
  const [names, setNames] = useState(["Ann", "Bob"]);
  const remove = (keys) => { setNames(names.filter((one) => !keys.has(one))); hit("tag", [...keys].join()); };
  return <TagGroup onRemove={remove}><Label>Guests</Label><TagList>{names.map((name) => <Tag key={name} id={name} textValue={name}>{name}<Button slot="remove">×</Button></Tag>)}</TagList></TagGroup>;
}
function HoveredRows() {
  const [at, setAt] = useState(null);
  return <ul>{["Invoice", "Receipt", "Contract"].map((name) => <li key={name} onMouseEnter={() => setAt(name)} onMouseLeave={() => setAt(null)}>{name} {at === name && <button onClick={() => hit("archive", name)}>Archive</button>}</li>)}</ul>;
}
function Files() {
  const [menu, setMenu] = useState(null);
  const [isRenaming, setRenaming] = useState(false);
  return <div>
    <div style={{ padding: 4, border: "1px solid" }} onContextMenu={(event) => { event.preventDefault(); setMenu("plan"); }}>plan.pdf</div>
    {menu && <div style={box}><div onClick={() => { hit("properties", menu); setMenu(null); }}>Properties</div></div>}
    {isRenaming ? <input aria-label="New name" onKeyDown={(event) => { if (event.key === "Enter") { hit("renamed", event.target.value); setRenaming(false); } }} /> : <span onDoubleClick={() => setRenaming(true)}>Draft name</span>}
  </div>;
}

mount([
  <Select aria-label="Animal" onSelectionChange={(key) => hit("animal", key)}><Button><SelectValue /></Button><Popover style={box}><ListBox><ListBoxItem id="cat">Cat</ListBoxItem><ListBoxItem id="dog">Dog</ListBoxItem></ListBox></Popover></Select>,
  <ComboBox onSelectionChange={(key) => hit("fruit", key)}><Label>Fruit</Label><Input /><Button>▼</Button><Popover style={box}><ListBox><ListBoxItem id="apple">Apple</ListBoxItem><ListBoxItem id="pear">Pear</ListBoxItem></ListBox></Popover></ComboBox>,
  <Checkbox onChange={(value) => hit("mail", value)}><div style={{ width: 16, height: 16, border: "1px solid" }} /> News by mail</Checkbox>,
  <Switch onChange={(value) => hit("wifi", value)}><div style={{ width: 32, height: 16, background: "#aaa" }} /> Wi-Fi</Switch>,
  <NumberField defaultValue={2} onChange={(value) => hit("guests", value)}><Label>Guests count</Label><Group><Button slot="decrement">-</Button><Input /><Button slot="increment">+</Button></Group></NumberField>,
  <Slider defaultValue={30} onChangeEnd={(value) => hit("opacity", value)}><Label>Opacity</Label><SliderOutput /><SliderTrack style={{ height: 20, width: 200, background: "#ddd" }}><SliderThumb style={{ width: 16, height: 16, background: "#00f", top: 10 }} /></SliderTrack></Slider>,
  <MenuTrigger><Button>Actions</Button><Popover style={box}><Menu onAction={(key) => hit("action", key)}><MenuItem id="open">Open</MenuItem><MenuItem id="rename">Rename</MenuItem></Menu></Popover></MenuTrigger>,
  <ToggleButton onChange={(value) => hit("pin", value)}>Pin</ToggleButton>,
  <Disclosure onExpandedChange={(value) => hit("disclosure", value)}><Button slot="trigger">Details</Button><DisclosurePanel>Small print</DisclosurePanel></Disclosure>,
  <Tags />, <HoveredRows />, <Files />,
  <Calendar aria-label="Trip" defaultValue={parseDate("2026-03-01")} onChange={(value) => hit("day", value.toString())}><header><Button slot="previous">◀</Button><Heading /><Button slot="next">▶</Button></header><CalendarGrid>{(date) => <CalendarCell date={date} />}</CalendarGrid></Calendar>,
]);
