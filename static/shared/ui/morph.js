// Changes what is drawn into what should be drawn, node by node: what is there
// stays, with its focus, its caret and its scroll position. Children are matched by
// `data-key`, else by their order. `data-own` marks a node that minds its own children.

import { takeHandlers } from './dom.js';

export function morph(parent, ...wanted) {
  morphChildren(parent, wanted.flat().filter((node) => node !== null && node !== undefined && node !== false));
}

function morphChildren(parent, wanted) {
  const kept = new Map();
  for (const child of parent.childNodes) if (child.dataset?.key) kept.set(child.dataset.key, child);
  const keys = new Set(wanted.map((node) => node.dataset?.key));
  let place = parent.firstChild;
  for (const [at, next] of wanted.entries()) {
    const node = typeof next === 'string' ? document.createTextNode(next) : next;
    // A node that is gone must not keep those after it from being found: they would lose their focus.
    while (place && isGone(place, keys, wanted, at)) {
      const after = place.nextSibling;
      place.remove();
      place = after;
    }
    const match = partner(node, place, kept);
    if (!match) {
      parent.insertBefore(node, place);
      continue;
    }
    if (match === place) place = place.nextSibling;
    else parent.insertBefore(match, place);
    morphNode(match, node);
  }
  while (place) {
    const after = place.nextSibling;
    place.remove();
    place = after;
  }
}

/** Nothing that is still to come can be drawn into it. */
function isGone(node, keys, wanted, at) {
  if (node.dataset?.key) return !keys.has(node.dataset.key);
  for (let next = at; next < wanted.length; next += 1) if (nameOf(wanted[next]) === node.nodeName && !wanted[next].dataset?.key) return false;
  return true;
}

const nameOf = (node) => (typeof node === 'string' ? '#text' : node.nodeName);

// One with a key waits for its own; one without takes what stands at its place, if that is of its kind.
function partner(node, place, kept) {
  const key = node.dataset?.key;
  if (key) {
    const found = kept.get(key);
    kept.delete(key);
    return found && found.nodeName === node.nodeName ? found : null;
  }
  return place && place.nodeName === node.nodeName && !place.dataset?.key ? place : null;
}

function morphNode(old, next) {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== next.data) old.data = next.data;
    return;
  }
  if (old.namespaceURI !== 'http://www.w3.org/1999/xhtml') {
    if (!old.isEqualNode(next)) old.replaceWith(next);
    return;
  }
  for (const { name } of [...old.attributes]) if (!next.hasAttribute(name) && !isOwn(old, name)) old.removeAttribute(name);
  for (const { name, value } of next.attributes) if (old.getAttribute(name) !== value && !isOwn(old, name)) setAttribute(old, name, value);
  takeHandlers(old, next);
  if (!('own' in next.dataset)) morphChildren(old, [...next.childNodes]);
  takeState(old, next);
}

// The page's policy refuses styles in attributes, not those that a script sets.
function setAttribute(node, name, value) {
  if (name === 'style') node.style.cssText = value;
  else node.setAttribute(name, value);
}

// What a person has unfolded stays unfolded.
const isOwn = (node, name) => name === 'open' && node.nodeName === 'DETAILS';

function takeState(old, next) {
  if (!/^(INPUT|TEXTAREA|SELECT)$/.test(old.nodeName)) return;
  // What is half written is the person's: "1." is on its way to a number.
  if ('loose' in old.dataset && old === document.activeElement) return;
  if (old.type === 'checkbox' || old.type === 'radio') old.checked = next.checked;
  else if (old.value !== next.value) old.value = next.value;
}
