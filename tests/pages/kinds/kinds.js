// What the pages of the kinds share: saying what happened, where a person (and a test) can read it.

/** Shows the last effect. The text changes only when a widget really did something. */
function effect(text) {
  document.getElementById("effect").textContent = text;
}

const all = (selector, within = document) => [...within.querySelectorAll(selector)];

/** Moves the one tab stop of a composite widget (roving tabindex) and focuses it. */
function rove(items, to) {
  for (const item of items) item.tabIndex = item === to ? 0 : -1;
  to.focus();
}

/** The item that a key leads to, or null if it leads nowhere: arrows by `keys`, Home, End. */
function led(items, from, key, [back, forth]) {
  const at = items.indexOf(from);
  switch (key) {
    case back: return items[(at - 1 + items.length) % items.length];
    case forth: return items[(at + 1) % items.length];
    case "Home": return items[0];
    case "End": return items[items.length - 1];
    default: return null;
  }
}
