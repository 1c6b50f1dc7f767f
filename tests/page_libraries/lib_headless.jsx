// Headless UI's widgets, without style sheets.
import { useState } from "react";
import { Combobox, ComboboxInput, ComboboxOption, ComboboxOptions, Dialog, DialogPanel, DialogTitle, Disclosure, DisclosureButton, DisclosurePanel, Field, Label, Menu, MenuButton, MenuItem, MenuItems, Radio, RadioGroup, Switch, Tab, TabGroup, TabList, TabPanel, TabPanels } from "@headlessui/react";
import { mount } from "./parts/mount.jsx";

const layer = { background: "#fff", border: "1px solid", padding: 8 };
const people = ["Wade Cooper", "Arlene Mccoy", "Devon Webb"];

function Person() {
  const [query, setQuery] = useState("");
  const [person, setPerson] = useState(null);
  const fitting = people.filter((one) => one.toLowerCase().includes(query.toLowerCase()));
  return <Combobox value={person} onChange={(value) => { setPerson(value); hit("person", value); }}><ComboboxInput aria-label="Assignee" onChange={(event) => setQuery(event.target.value)} /><ComboboxOptions anchor="bottom" style={layer}>{fitting.map((one) => <ComboboxOption key={one} value={one}>{one}</ComboboxOption>)}</ComboboxOptions></Combobox>;
}
function Notifications() {
  const [isOn, setOn] = useState(false);
  return <Field><Label>Notifications</Label><Switch checked={isOn} onChange={(value) => { setOn(value); hit("switch", value); }} style={{ width: 44, height: 24, background: isOn ? "#00f" : "#ccc" }} /></Field>;
}
function Plan() {
  const [plan, setPlan] = useState("Startup");
  return <RadioGroup value={plan} aria-label="Server size" onChange={(value) => { setPlan(value); hit("plan", value); }}>{["Startup", "Business"].map((name) => <Field key={name}><Radio value={name} style={{ display: "inline-block", width: 16, height: 16, border: "1px solid" }} /><Label>{name}</Label></Field>)}</RadioGroup>;
}
function Deactivate() {
  const [isOpen, setOpen] = useState(false);
  return <><button onClick={() => setOpen(true)}>Deactivate</button><Dialog open={isOpen} onClose={() => setOpen(false)}><div style={{ position: "fixed", inset: 40 }}><DialogPanel style={layer}><DialogTitle>Deactivate account</DialogTitle><button onClick={() => { setOpen(false); hit("dialog", "yes"); }}>Yes, deactivate</button></DialogPanel></div></Dialog></>;
}

mount([
  <Person />, <Notifications />, <Plan />, <Deactivate />,
  <Menu><MenuButton>Options</MenuButton><MenuItems anchor="bottom" style={layer}><MenuItem><button onClick={() => hit("menu", "edit")}>Edit</button></MenuItem><MenuItem><a href="#archive" onClick={() => hit("menu", "archive")}>Archive</a></MenuItem></MenuItems></Menu>,
  <Disclosure><DisclosureButton>Refund policy</DisclosureButton><DisclosurePanel>Within 30 days.</DisclosurePanel></Disclosure>,
  <TabGroup onChange={(at) => hit("tab", at)}><TabList><Tab>Recent</Tab><Tab>Popular</Tab></TabList><TabPanels><TabPanel>New ones</TabPanel><TabPanel>Liked ones</TabPanel></TabPanels></TabGroup>,
]);
