// Makes DOM nodes without markup strings: text is always text.

const SVG = 'http://www.w3.org/2000/svg';

/** h('button', { class: 'primary', onclick, 'aria-label': '…' }, 'Text', node) */
export function h(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) setProp(node, name, value);
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

function setProp(node, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith('on')) listen(node, name.slice(2), value);
  else if (name === 'class') node.className = value;
  else if (name === 'data') for (const [key, text] of Object.entries(value)) { if (text !== undefined) node.dataset[key] = text; }
  else if (name === 'value') node.value = value;
  else if (name === 'style') node.style.cssText = value; // as an attribute the service's own policy would refuse it
  else node.setAttribute(name, value === true ? '' : value);
}

const HANDLERS = Symbol('handlers');

/** One handler for each kind of event; a later one takes its place, so that `morph` can hand them over. */
function listen(node, type, handler) {
  node[HANDLERS] ??= {};
  if (!(type in node[HANDLERS])) node.addEventListener(type, (event) => node[HANDLERS][type]?.(event));
  node[HANDLERS][type] = handler;
}

/** Gives `node` the handlers of another. */
export function takeHandlers(node, from) {
  for (const type of Object.keys(node[HANDLERS] ?? {})) node[HANDLERS][type] = null;
  for (const [type, handler] of Object.entries(from[HANDLERS] ?? {})) listen(node, type, handler);
}

/** An icon of the sprite in index.html; decoration, so hidden from readers. */
export function icon(name) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS(SVG, 'use');
  use.setAttribute('href', `#i-${name}`);
  svg.append(use);
  return svg;
}

/** Tells app.js what the person wants: `intent(this, 'send', { text })`. */
export function intent(node, name, detail = {}) {
  node.dispatchEvent(new CustomEvent('intent', { bubbles: true, detail: { ...detail, name } }));
}

export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Gives the focus to what will be there after the next drawing: where it goes is not left to chance. */
export const focusSoon = (within, selector) => setTimeout(() => requestAnimationFrame(() => {
  const node = within?.querySelector(selector);
  node?.focus();
  if (node?.nodeName === 'INPUT' && node.type === 'text') node.select();
}));

/** How to scroll: at once for whoever wants nothing to move. */
export const scrolling = () => (matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth');

export const inTextField = (target) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) && target.type !== 'range' && target.type !== 'radio';

/** Enter sends and Shift+Enter makes a new line, but not while an input method
 *  is composing: its Enter takes a word (229 is how Safari tells). */
export const sendsOnEnter = (event) => event.key === 'Enter' && !event.shiftKey && !event.isComposing && event.keyCode !== 229;
