// Fluent UI's widgets (React).
import { Accordion, AccordionHeader, AccordionItem, AccordionPanel, Button, Checkbox, Combobox, Dialog, DialogActions, DialogBody, DialogContent, DialogSurface, DialogTitle, DialogTrigger, Dropdown, Field, FluentProvider, Input, Menu, MenuItem, MenuList, MenuPopover, MenuTrigger, Option, Radio, RadioGroup, Rating, Slider, SpinButton, Switch, Tab, TabList, ToggleButton, webLightTheme } from "@fluentui/react-components";
import { mount } from "./parts/mount.jsx";

const options = (words) => words.map((word) => <Option key={word}>{word}</Option>);

mount([
  <FluentProvider theme={webLightTheme}>
    <Field label="Plan"><Dropdown onOptionSelect={(_, { optionValue }) => hit("plan", optionValue)}>{options(["Basic", "Pro", "Team"])}</Dropdown></Field>
    <Field label="City"><Combobox onOptionSelect={(_, { optionValue }) => hit("city", optionValue)}>{options(["Kyiv", "Lviv", "Odesa"])}</Combobox></Field>
    <Field label="Nickname" required><Input onChange={(_, { value }) => hit("nick", value)} /></Field>
    <Field label="Seats"><SpinButton defaultValue={2} onChange={(_, { value, displayValue }) => hit("seats", value ?? displayValue)} /></Field>
    <Field label="Volume"><Slider defaultValue={30} onChange={(_, { value }) => hit("vol", value)} /></Field>
    <Switch label="Night mode" onChange={(_, { checked }) => hit("night", checked)} />
    <Checkbox label="I agree" onChange={(_, { checked }) => hit("agree", checked)} />
    <RadioGroup defaultValue="s" onChange={(_, { value }) => hit("size", value)}><Radio value="s" label="Small" /><Radio value="l" label="Large" /></RadioGroup>
    <TabList defaultSelectedValue="a" onTabSelect={(_, { value }) => hit("tab", value)}><Tab value="a">Arrivals</Tab><Tab value="b">Departures</Tab></TabList>
    <Accordion collapsible onToggle={(_, { openItems }) => hit("accordion", openItems.length)}><AccordionItem value="a"><AccordionHeader>Read more</AccordionHeader><AccordionPanel>Small print</AccordionPanel></AccordionItem></Accordion>
    <Menu><MenuTrigger disableButtonEnhancement><Button>More</Button></MenuTrigger><MenuPopover><MenuList><MenuItem onClick={() => hit("menu", "copy")}>Copy</MenuItem><MenuItem>Move</MenuItem></MenuList></MenuPopover></Menu>
    <Dialog><DialogTrigger disableButtonEnhancement><Button>Publish</Button></DialogTrigger><DialogSurface><DialogBody><DialogTitle>Publish it?</DialogTitle><DialogContent>All can see it.</DialogContent><DialogActions><DialogTrigger disableButtonEnhancement><Button onClick={() => hit("dialog", "yes")}>Yes, publish</Button></DialogTrigger></DialogActions></DialogBody></DialogSurface></Dialog>
    <ToggleButton onClick={() => hit("toggle")}>Pin</ToggleButton>
    <Rating aria-label="Stars" onChange={(_, { value }) => hit("rate", value)} />
  </FluentProvider>,
]);
