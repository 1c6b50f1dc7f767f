// React widgets that hear touches only: a button, a card that is swiped away, a button that is held.
import { useRef, useState } from "react";
import { createRoot } from "react-dom/client";

function Touched() {
  const [count, setCount] = useState(0);
  const [cards, setCards] = useState(["Bread", "Milk"]);
  const begin = useRef(0);
  const timer = useRef(0);
  return (
    <div>
      <div className="chip" onTouchEnd={() => { setCount(count + 1); hit("tapped", count + 1); }}>Tap {count}</div>
      {cards.map((card) => (
        <div key={card} className="card" onTouchStart={(e) => { begin.current = e.touches[0].clientX; }}
          onTouchEnd={(e) => { if (begin.current - e.changedTouches[0].clientX > 60) { setCards(cards.filter((one) => one !== card)); hit("swiped", card); } }}>{card}</div>
      ))}
      <div className="chip" onTouchStart={() => { timer.current = setTimeout(() => hit("held", true), 500); }} onTouchEnd={() => clearTimeout(timer.current)}>Hold me</div>
    </div>
  );
}

createRoot(document.getElementById("react")).render(<Touched />);
