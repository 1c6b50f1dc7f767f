// react-select, Radix and Headless UI.
import { useState } from "react";
import { createRoot } from "react-dom/client";
import ReactSelect from "react-select";
import { DropdownMenu as Menu, Select as RadixSelect, Slider } from "radix-ui";
import { Listbox, ListboxButton, ListboxOption, ListboxOptions } from "@headlessui/react";

const listed = (words) => words.map((word) => ({ value: word, label: word }));

function Size() {
  return <RadixSelect.Root defaultValue="S" onValueChange={(value) => hit("rx", value)}>
    <RadixSelect.Trigger aria-label="Size"><RadixSelect.Value /></RadixSelect.Trigger>
    <RadixSelect.Portal><RadixSelect.Content position="popper" style={{ background: "#fff", border: "1px solid" }}><RadixSelect.Viewport>
      {["S", "M", "L"].map((size) => <RadixSelect.Item key={size} value={size}><RadixSelect.ItemText>{size}</RadixSelect.ItemText></RadixSelect.Item>)}
    </RadixSelect.Viewport></RadixSelect.Content></RadixSelect.Portal>
  </RadixSelect.Root>;
}

function Actions() {
  const item = (name, value) => <Menu.Item style={{ padding: 4 }} onSelect={() => hit("dm", value)}>{name}</Menu.Item>;
  return <Menu.Root>
    <Menu.Trigger>Actions</Menu.Trigger>
    <Menu.Portal><Menu.Content style={{ background: "#fff", border: "1px solid" }}>{item("Open", "open")}{item("Rename", "rename")}{item("Delete", "delete")}</Menu.Content></Menu.Portal>
  </Menu.Root>;
}

function Volume() {
  return <Slider.Root defaultValue={[30]} onValueChange={([value]) => hit("sl", value)} style={{ position: "relative", display: "flex", alignItems: "center", width: 200, height: 20 }}>
    <Slider.Track style={{ position: "relative", flexGrow: 1, height: 3, background: "#888" }}><Slider.Range style={{ position: "absolute", height: "100%", background: "#00f" }} /></Slider.Track>
    <Slider.Thumb aria-label="Volume" style={{ display: "block", width: 16, height: 16, borderRadius: 8, background: "#00f" }} />
  </Slider.Root>;
}

function Colour() {
  const [colour, setColour] = useState("Red");
  return <Listbox value={colour} onChange={(value) => { setColour(value); hit("hl", value); }}>
    <ListboxButton>{colour}</ListboxButton>
    <ListboxOptions anchor="bottom" style={{ background: "#fff", border: "1px solid" }}>{["Red", "Green", "Blue"].map((one) => <ListboxOption key={one} value={one}>{one}</ListboxOption>)}</ListboxOptions>
  </Listbox>;
}

createRoot(document.getElementById("ed")).render(
  <div style={{ width: 300, display: "grid", gap: 12 }}>
    <ReactSelect aria-label="Fruit" options={listed(["Apple", "Pear", "Plum"])} onChange={(chosen) => hit("rs", chosen.value)} />
    <ReactSelect aria-label="Numbers" isMulti options={listed(["One", "Two", "Three"])} onChange={(chosen) => hit("rm", chosen.map((one) => one.value).join())} />
    <Size /><Actions /><Volume /><Colour />
  </div>,
);
