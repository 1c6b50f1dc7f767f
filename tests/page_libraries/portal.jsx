// A menu of divs in a React portal. `LONG` makes its items long.
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { createPortal } from "react-dom";

const items = window.LONG ? Array.from({ length: 12 }, (_, at) => `Delivery option number ${at + 1}`) : ["Basic", "Pro", "Team"];
const layer = document.body.appendChild(document.createElement("div"));

function Chooser() {
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState("nothing");
  const choose = (item) => { setChosen(item); setOpen(false); hit("chose", item); };
  const menu = <div style={{ position: "absolute", top: 120, left: 8, border: "1px solid", background: "#fff" }}>
    {items.map((item) => <div key={item} style={{ padding: 6 }} onClick={() => choose(item)}>{item}</div>)}
  </div>;
  return <><button onClick={() => setOpen(!isOpen)}>Choose a plan</button><p>Chosen: {chosen}</p>{isOpen && createPortal(menu, layer)}</>;
}
createRoot(document.getElementById("ed")).render(<Chooser />);
