// dnd-kit: a sortable list. `ACT` says when a drag begins.
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { closestCenter, DndContext, PointerSensor, useSensor, useSensors } from "@dnd-kit/core";
import { arrayMove, SortableContext, useSortable, verticalListSortingStrategy } from "@dnd-kit/sortable";
import { CSS } from "@dnd-kit/utilities";

function Item({ id }) {
  const { attributes, listeners, setNodeRef, transform, transition } = useSortable({ id });
  const style = { transform: CSS.Transform.toString(transform), transition, padding: 8, margin: 4, border: "1px solid", background: "#fff" };
  return <div ref={setNodeRef} style={style} {...attributes} {...listeners}>{id}</div>;
}

function List() {
  const [items, setItems] = useState(["Milk", "Bread", "Eggs", "Tea"]);
  const sensors = useSensors(useSensor(PointerSensor, { activationConstraint: window.ACT }));
  const move = ({ active, over }) => {
    if (over === null || active.id === over.id) return;
    const next = arrayMove(items, items.indexOf(active.id), items.indexOf(over.id));
    setItems(next);
    hit("order", next.join());
  };
  return <DndContext sensors={sensors} collisionDetection={closestCenter} onDragEnd={move}>
    <SortableContext items={items} strategy={verticalListSortingStrategy}>{items.map((id) => <Item key={id} id={id} />)}</SortableContext>
  </DndContext>;
}
createRoot(document.getElementById("ed")).render(<div style={{ width: 300 }}><List /></div>);
