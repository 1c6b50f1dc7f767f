// Lists that libraries draw anew with new nodes: by keys that change, or by markup that is replaced. `redraw[how](holder,
// state, act)` returns the function that draws.
import { createElement as h } from "react";
import { createRoot } from "react-dom/client";
import { createApp, h as vueNode } from "vue";
import { html, render } from "lit";
import { keyed } from "lit/directives/keyed.js";
import $ from "jquery";

/** The application as a tree of `node(tag, props, children)`. */
function tree(node, state, act) {
  const button = (name, ...what) => node("button", { key: name, onClick: () => act(...what) }, name);
  const row = ({ id, name }) => node("li", { key: `${id} ${state.drawn}` }, [node("b", { key: "name" }, name), button("Star", "star", name), button("Delete", "delete", name)]);
  return node("main", { key: `main ${state.drawn}` }, [
    node("h1", { key: "title" }, `Items (${state.items.length})`),
    node("input", { key: "filter", "aria-label": "Filter" }),
    node("ul", { key: "list" }, state.items.map(row)),
    button("Save", "save", "all"),
    state.toast === "" ? null : node("div", { key: "toast", role: "status" }, [node("span", { key: "words" }, state.toast), button("Undo", "undo", "last")]),
  ]);
}

const react = (holder, state, act) => {
  const root = createRoot(holder);
  return () => root.render(tree(h, state, act));
};

const vue = (holder, state, act) => {
  const app = createApp({ data: () => ({ times: 0 }), render() { return this.times >= 0 && tree(vueNode, state, act); } }).mount(holder);
  return () => { app.times++; };
};

const lit = (holder, state, act) => {
  const button = (name, ...what) => html`<button @click=${() => act(...what)}>${name}</button>`;
  const row = ({ name }) => html`<li><b>${name}</b>${button("Star", "star", name)}${button("Delete", "delete", name)}</li>`;
  return () => render(keyed(state.drawn, html`<main><h1>Items (${state.items.length})</h1><input aria-label="Filter"><ul>${state.items.map(row)}</ul>
    ${button("Save", "save", "all")}${state.toast === "" ? "" : html`<div role="status">${state.toast} ${button("Undo", "undo", "last")}</div>`}</main>`), holder);
};

const jquery = (holder, state, act) => {
  const button = (name, ...what) => `<button data-what='${JSON.stringify(what)}'>${name}</button>`;
  const row = ({ name }) => `<li><b>${name}</b>${button("Star", "star", name)}${button("Delete", "delete", name)}</li>`;
  $(holder).on("click", "button", (event) => act(...$(event.currentTarget).data("what")));
  return () => $(holder).html(`<main><h1>Items (${state.items.length})</h1><input aria-label="Filter"><ul>${state.items.map(row).join("")}</ul>
    ${button("Save", "save", "all")}${state.toast === "" ? "" : `<div role="status">${state.toast} ${button("Undo", "undo", "last")}</div>`}</main>`);
};

window.redraw = { react, vue, lit, jquery };
