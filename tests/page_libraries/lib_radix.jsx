// Radix's widgets, without style sheets.
import { Accordion, Checkbox, Collapsible, ContextMenu, Dialog, DropdownMenu, Popover, RadioGroup, Switch, Tabs, Toggle, ToggleGroup } from "radix-ui";
import { mount } from "./parts/mount.jsx";

const box = { width: 24, height: 24, border: "1px solid" };
const layer = { background: "#fff", border: "1px solid", padding: 8 };

mount([
  <label>Terms <Checkbox.Root style={box} onCheckedChange={(value) => hit("box", value)}><Checkbox.Indicator>✓</Checkbox.Indicator></Checkbox.Root></label>,
  <div><label htmlFor="air">Airplane mode</label><Switch.Root id="air" style={{ ...box, width: 48 }} onCheckedChange={(value) => hit("switch", value)}><Switch.Thumb style={{ display: "block", width: 20, height: 20, background: "#00f" }} /></Switch.Root></div>,
  <RadioGroup.Root defaultValue="a" aria-label="Density" onValueChange={(value) => hit("radio", value)}>{["Default", "Compact"].map((name) => <div key={name}><RadioGroup.Item id={name} value={name} style={box}><RadioGroup.Indicator>●</RadioGroup.Indicator></RadioGroup.Item><label htmlFor={name}>{name}</label></div>)}</RadioGroup.Root>,
  <Tabs.Root defaultValue="a" onValueChange={(value) => hit("tab", value)}><Tabs.List aria-label="Account"><Tabs.Trigger value="a">Profile</Tabs.Trigger><Tabs.Trigger value="b">Password</Tabs.Trigger></Tabs.List><Tabs.Content value="a">Your name</Tabs.Content><Tabs.Content value="b">Change it here</Tabs.Content></Tabs.Root>,
  <Accordion.Root type="single" collapsible onValueChange={(value) => hit("accordion", value)}><Accordion.Item value="a"><Accordion.Header><Accordion.Trigger>Is it free?</Accordion.Trigger></Accordion.Header><Accordion.Content>Yes, it is free.</Accordion.Content></Accordion.Item></Accordion.Root>,
  <Dialog.Root onOpenChange={(value) => hit("dialog", value)}><Dialog.Trigger>Edit profile</Dialog.Trigger><Dialog.Portal><Dialog.Overlay style={{ position: "fixed", inset: 0, background: "#0008" }} /><Dialog.Content aria-describedby={undefined} style={{ ...layer, position: "fixed", top: 40, left: 40 }}><Dialog.Title>Profile</Dialog.Title><label>Nickname <input /></label><Dialog.Close>Save</Dialog.Close></Dialog.Content></Dialog.Portal></Dialog.Root>,
  <DropdownMenu.Root><DropdownMenu.Trigger>View</DropdownMenu.Trigger><DropdownMenu.Portal><DropdownMenu.Content style={layer}><DropdownMenu.CheckboxItem checked={false} onCheckedChange={(value) => hit("bar", value)}>Status bar</DropdownMenu.CheckboxItem><DropdownMenu.Sub><DropdownMenu.SubTrigger>Zoom</DropdownMenu.SubTrigger><DropdownMenu.Portal><DropdownMenu.SubContent style={layer}><DropdownMenu.Item onSelect={() => hit("zoom", "in")}>Zoom in</DropdownMenu.Item></DropdownMenu.SubContent></DropdownMenu.Portal></DropdownMenu.Sub></DropdownMenu.Content></DropdownMenu.Portal></DropdownMenu.Root>,
  <Toggle.Root aria-label="Bold" onPressedChange={(value) => hit("bold", value)}>B</Toggle.Root>,
  <ToggleGroup.Root type="single" aria-label="Align" onValueChange={(value) => hit("align", value)}><ToggleGroup.Item value="l" aria-label="Left">L</ToggleGroup.Item><ToggleGroup.Item value="c" aria-label="Centre">C</ToggleGroup.Item></ToggleGroup.Root>,
  <Popover.Root><Popover.Trigger>Dimensions</Popover.Trigger><Popover.Portal><Popover.Content style={layer}><label>Width <input onChange={(event) => hit("width", event.target.value)} /></label></Popover.Content></Popover.Portal></Popover.Root>,
  <Collapsible.Root onOpenChange={(value) => hit("collapsible", value)}><Collapsible.Trigger>Show starred</Collapsible.Trigger><Collapsible.Content>Three repositories</Collapsible.Content></Collapsible.Root>,
  <ContextMenu.Root><ContextMenu.Trigger style={{ display: "block", border: "1px dashed", padding: 20 }}>Right-click here</ContextMenu.Trigger><ContextMenu.Portal><ContextMenu.Content style={layer}><ContextMenu.Item onSelect={() => hit("context", "reload")}>Reload</ContextMenu.Item></ContextMenu.Content></ContextMenu.Portal></ContextMenu.Root>,
]);
