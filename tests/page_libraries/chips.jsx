// MUI: fields that keep several values as chips.
import { Autocomplete, Chip, TextField } from "@mui/material";
import { mount } from "./parts/mount.jsx";

mount([
  <Autocomplete multiple freeSolo options={["Kyiv", "Lviv", "Odesa"]} defaultValue={["Kyiv", "Lviv"]} onChange={(_, all) => hit("cities", all.join())} renderInput={(params) => <TextField {...params} label="Cities" />} />,
  <Autocomplete multiple options={["Red", "Green", "Blue"]} defaultValue={["Red"]} onChange={(_, all) => hit("colours", all.join())}
    renderTags={(all, tagProps) => all.map((one, index) => { const { key, ...rest } = tagProps({ index }); return <Chip key={key} label={one} size="small" {...rest} />; })}
    renderInput={(params) => <TextField {...params} label="Colours" />} />,
]);
