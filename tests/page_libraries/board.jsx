// dnd-kit: a board of columns, of which one is empty. Cards follow the pointer; targets are found by their boxes.
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { DndContext, PointerSensor, rectIntersection, useDraggable, useDroppable, useSensor, useSensors } from "@dnd-kit/core";

function Card({ id }) {
  const { attributes, listeners, setNodeRef, transform } = useDraggable({ id });
  const style = { padding: 8, margin: 4, border: "1px solid", transform: transform === null ? undefined : `translate(${transform.x}px, ${transform.y}px)` };
  return <div ref={setNodeRef} style={style} {...(window.PLAIN ? {} : attributes)} {...listeners}>{id}</div>;
}

function Column({ id, title, cards }) {
  const { setNodeRef } = useDroppable({ id });
  return <section style={{ width: 180, minHeight: 220, border: "1px solid #999" }}>
    <h3>{title}</h3>
    <div ref={setNodeRef} style={{ minHeight: 160 }}>{cards.map((card) => <Card key={card} id={card} />)}</div>
  </section>;
}

function Board() {
  const [places, setPlaces] = useState({ Draft: "todo", Review: "todo", Print: "doing" });
  const sensors = useSensors(useSensor(PointerSensor, { activationConstraint: { distance: 5 } }));
  const move = ({ active, over }) => {
    if (over === null) return;
    setPlaces({ ...places, [active.id]: over.id });
    hit(active.id, over.id);
  };
  const column = (id, title) => <Column id={id} title={title} cards={Object.keys(places).filter((card) => places[card] === id)} />;
  return <DndContext sensors={sensors} collisionDetection={rectIntersection} onDragEnd={move}>
    <div style={{ display: "flex", gap: 12 }}>{column("todo", "To do")}{column("doing", "Doing")}{column("done", "Done")}</div>
  </DndContext>;
}
createRoot(document.getElementById("ed")).render(<Board />);
