// Changes drawn nodes into those to be drawn: existing nodes stay, with focus, caret and scroll position.
// Children are matched by `data-key`, otherwise by order. A node with `data-own` updates its children itself.

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
    // Removed nodes are skipped; otherwise those after them would not match and lose their focus.
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

/** Reports whether no wanted node can match this one. */
function isGone(node, keys, wanted, at) {
  if (node.dataset?.key) return !keys.has(node.dataset.key);
  for (let next = at; next < wanted.length; next += 1) if (nameOf(wanted[next]) === node.nodeName && !wanted[next].dataset?.key) return false;
  return true;
}

const nameOf = (node) => (typeof node === 'string' ? '#text' : node.nodeName);

// Returns the matching node: by key, or without one the node in its place, if it is of the same kind.
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

// The content security policy refuses styles in attributes, but not those set by a script.
function setAttribute(node, name, value) {
  if (name === 'style') node.style.cssText = value;
  else node.setAttribute(name, value);
}

// Details opened by a person stay open.
const isOwn = (node, name) => name === 'open' && node.nodeName === 'DETAILS';

function takeState(old, next) {
  if (!/^(INPUT|TEXTAREA|SELECT)$/.test(old.nodeName)) return;
  // A half-written entry stays: "1." will become a number.
  if ('loose' in old.dataset && old === document.activeElement) return;
  if (old.type === 'checkbox' || old.type === 'radio') old.checked = next.checked;
  else if (old.value !== next.value) old.value = next.value;
}
