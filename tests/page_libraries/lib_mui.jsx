// MUI's widgets.
import { useState } from "react";
import {
  Accordion, AccordionDetails, AccordionSummary, Alert, Autocomplete, Button, Checkbox, Chip, Dialog, DialogActions, DialogContent, DialogTitle,
  FormControlLabel, Menu, MenuItem, Pagination, Radio, RadioGroup, Snackbar, Switch, Tab, Tabs, TextField, ThemeProvider, ToggleButton, ToggleButtonGroup, createTheme,
} from "@mui/material";
import { mount } from "./parts/mount.jsx";

const theme = createTheme({ transitions: { create: () => "none" } });

function Tabbed() {
  const [at, setAt] = useState(0);
  return <Tabs value={at} onChange={(_, next) => { setAt(next); hit("tab", next); }}><Tab label="Overview" /><Tab label="Billing" /></Tabs>;
}
function Confirm() {
  const [isOpen, setOpen] = useState(false);
  const close = (how) => { setOpen(false); hit("dialog", how); };
  return <><Button onClick={() => setOpen(true)}>Remove account</Button>
    <Dialog open={isOpen} onClose={() => close("closed")} aria-labelledby="dt"><DialogTitle id="dt">Remove it?</DialogTitle><DialogContent>All is lost.</DialogContent>
      <DialogActions><Button onClick={() => close("no")}>Keep</Button><Button onClick={() => close("yes")}>Remove</Button></DialogActions></Dialog></>;
}
function Dashboard() {
  const [holder, setHolder] = useState(null);
  const choose = (what) => { setHolder(null); hit("menu", what); };
  return <><Button id="mb" aria-haspopup="true" onClick={(event) => setHolder(event.currentTarget)}>Dashboard</Button>
    <Menu anchorEl={holder} open={holder !== null} onClose={() => setHolder(null)}><MenuItem onClick={() => choose("profile")}>Profile</MenuItem><MenuItem onClick={() => choose("logout")}>Log out</MenuItem></Menu></>;
}
function Align() {
  const [value, setValue] = useState("left");
  return <ToggleButtonGroup exclusive value={value} onChange={(_, next) => { setValue(next); hit("align", next); }}><ToggleButton value="left">Left</ToggleButton><ToggleButton value="right">Right</ToggleButton></ToggleButtonGroup>;
}
function Chips() {
  const [names, setNames] = useState(["Ann", "Bob"]);
  const remove = (name) => { setNames(names.filter((one) => one !== name)); hit("chip", name); };
  return names.map((name) => <Chip key={name} label={name} onDelete={() => remove(name)} />);
}
function Toast() {
  const [isOpen, setOpen] = useState(false);
  return <><Button onClick={() => setOpen(true)}>Archive</Button><Snackbar open={isOpen} message="Message archived" action={<Button onClick={() => { setOpen(false); hit("undo"); }}>Undo</Button>} /></>;
}

mount([
  <ThemeProvider theme={theme}>
    <Tabbed /><Confirm /><Dashboard /><Align /><Chips /><Toast />
    <p><FormControlLabel control={<Switch onChange={(event) => hit("switch", event.target.checked)} />} label="Wi-Fi" /></p>
    <p><FormControlLabel control={<Checkbox onChange={(event) => hit("box", event.target.checked)} />} label="I agree" /></p>
    <RadioGroup row defaultValue="s" onChange={(_, value) => hit("radio", value)}><FormControlLabel value="s" control={<Radio />} label="Small" /><FormControlLabel value="l" control={<Radio />} label="Large" /></RadioGroup>
    <Autocomplete multiple options={["Kyiv", "Lviv", "Odesa"]} defaultValue={["Kyiv"]} onChange={(_, all) => hit("cities", all.join())} renderInput={(params) => <TextField {...params} label="Cities" />} />
    <Accordion onChange={(_, isOpen) => hit("accordion", isOpen)}><AccordionSummary>Shipping</AccordionSummary><AccordionDetails>By post</AccordionDetails></Accordion>
    <Pagination count={5} onChange={(_, page) => hit("page", page)} />
    <Alert onClose={() => hit("alert")}>Saved well</Alert>
  </ThemeProvider>,
]);
