// Mantine's widgets.
import { useState } from "react";
import "@mantine/core/styles.css";
import { Accordion, Button, Checkbox, Chip, MantineProvider, Menu, Modal, MultiSelect, NumberInput, PasswordInput, Rating, SegmentedControl, Select, Slider, Stepper, Switch, Tabs, TagsInput } from "@mantine/core";
import { mount } from "./parts/mount.jsx";

function Confirm() {
  const [isOpen, setOpen] = useState(false);
  return <><Button onClick={() => setOpen(true)}>Publish</Button><Modal opened={isOpen} onClose={() => setOpen(false)} title="Publish it?" transitionProps={{ duration: 0 }}><Button onClick={() => { setOpen(false); hit("modal", "yes"); }}>Yes, publish</Button></Modal></>;
}
function Steps() {
  const [at, setAt] = useState(0);
  return <Stepper active={at} onStepClick={(step) => { setAt(step); hit("step", step); }}><Stepper.Step label="Address">Where to</Stepper.Step><Stepper.Step label="Payment">How</Stepper.Step></Stepper>;
}

mount([
  <MantineProvider env="test">
    <Select label="Plan" data={["Basic", "Pro", "Team"]} onChange={(value) => hit("plan", value)} />
    <MultiSelect label="Colours" data={["Red", "Green", "Blue"]} onChange={(all) => hit("colours", all.join())} />
    <NumberInput label="Seats" defaultValue={2} onChange={(value) => hit("seats", value)} />
    <PasswordInput label="Secret word" onChange={(event) => hit("secret", event.target.value.length)} />
    <TagsInput label="Tags" onChange={(all) => hit("tags", all.join())} />
    <Switch label="Night mode" onChange={(event) => hit("night", event.currentTarget.checked)} />
    <Checkbox label="I agree" onChange={(event) => hit("agree", event.currentTarget.checked)} />
    <Chip onChange={(value) => hit("chip", value)}>Vegan</Chip>
    <SegmentedControl data={["List", "Board"]} onChange={(value) => hit("segment", value)} />
    <Slider label={null} thumbLabel="Volume" defaultValue={30} onChange={(value) => hit("vol", value)} />
    <Rating onChange={(value) => hit("rate", value)} />
    <Tabs defaultValue="a" onChange={(value) => hit("tab", value)}><Tabs.List><Tabs.Tab value="a">Gallery</Tabs.Tab><Tabs.Tab value="b">Messages</Tabs.Tab></Tabs.List><Tabs.Panel value="a">Pictures</Tabs.Panel><Tabs.Panel value="b">Letters</Tabs.Panel></Tabs>
    <Accordion onChange={(value) => hit("accordion", value)}><Accordion.Item value="a"><Accordion.Control>Read more</Accordion.Control><Accordion.Panel>Small print</Accordion.Panel></Accordion.Item></Accordion>
    <Menu transitionProps={{ duration: 0 }}><Menu.Target><Button>More</Button></Menu.Target><Menu.Dropdown><Menu.Item onClick={() => hit("menu", "copy")}>Copy</Menu.Item><Menu.Item>Move</Menu.Item></Menu.Dropdown></Menu>
    <Steps /><Confirm />
  </MantineProvider>,
]);
