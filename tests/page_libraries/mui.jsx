// MUI: select, autocomplete, slider, rating, date.
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { Autocomplete, FormControl, InputLabel, MenuItem, Rating, Select, Slider, TextField } from "@mui/material";
import { LocalizationProvider } from "@mui/x-date-pickers/LocalizationProvider";
import { AdapterDayjs } from "@mui/x-date-pickers/AdapterDayjs";
import { DatePicker } from "@mui/x-date-pickers/DatePicker";

function Age() {
  const [age, setAge] = useState("10");
  return <FormControl sx={{ width: 200 }}>
    <InputLabel id="age-label">Age</InputLabel>
    <Select labelId="age-label" label="Age" value={age} onChange={(event) => { setAge(event.target.value); hit("age", event.target.value); }}>
      <MenuItem value="10">Ten</MenuItem><MenuItem value="20">Twenty</MenuItem><MenuItem value="30">Thirty</MenuItem>
    </Select>
  </FormControl>;
}
createRoot(document.getElementById("ed")).render(
  <LocalizationProvider dateAdapter={AdapterDayjs}>
    <p><Age /></p>
    <Autocomplete sx={{ width: 200 }} options={["Kyiv", "Lviv", "Odesa"]} onChange={(_, value) => hit("city", value)} renderInput={(params) => <TextField {...params} label="City" />} />
    <p><Slider sx={{ width: 200 }} aria-label="Volume" defaultValue={30} onChange={(_, value) => hit("vol", value)} /></p>
    <p><Rating name="rate" defaultValue={2} onChange={(_, value) => hit("rate", value)} /></p>
    <DatePicker label="Day" onChange={(value) => hit("day", value === null ? null : value.format("YYYY-MM-DD"))} />
  </LocalizationProvider>,
);
