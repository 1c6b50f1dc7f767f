// Creation of DOM nodes without markup strings: text is always text.

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
  else if (name === 'style') node.style.cssText = value; // the content security policy refuses it as an attribute
  else node.setAttribute(name, value === true ? '' : value);
}

const HANDLERS = Symbol('handlers');

/** Sets the only handler for a kind of event, so that `morph` can transfer it. */
function listen(node, type, handler) {
  node[HANDLERS] ??= {};
  if (!(type in node[HANDLERS])) node.addEventListener(type, (event) => node[HANDLERS][type]?.(event));
  node[HANDLERS][type] = handler;
}

/** Transfers the handlers of another node. */
export function takeHandlers(node, from) {
  for (const type of Object.keys(node[HANDLERS] ?? {})) node[HANDLERS][type] = null;
  for (const [type, handler] of Object.entries(from[HANDLERS] ?? {})) listen(node, type, handler);
}

/** Icon of the sprite in index.html; decorative, so hidden from screen readers. */
export function icon(name) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS(SVG, 'use');
  use.setAttribute('href', `#i-${name}`);
  svg.append(use);
  return svg;
}

/** Sends an intent to app.js: `intent(this, 'send', { text })`. */
export function intent(node, name, detail = {}) {
  node.dispatchEvent(new CustomEvent('intent', { bubbles: true, detail: { ...detail, name } }));
}

export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Focuses a node that will exist after the next drawing. */
export const focusSoon = (within, selector) => setTimeout(() => requestAnimationFrame(() => {
  const node = within?.querySelector(selector);
  node?.focus();
  if (node?.nodeName === 'INPUT' && node.type === 'text') node.select();
}));

/** Returns the scroll behaviour: immediate for people who prefer reduced motion. */
export const scrolling = () => (matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth');

export const inTextField = (target) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) && target.type !== 'range' && target.type !== 'radio';

/**
 * Reports whether a key sends: Enter without Shift, and not while an input method is composing, where Enter
 * accepts a word (229 marks it in Safari).
 */
export const sendsOnEnter = (event) => event.key === 'Enter' && !event.shiftKey && !event.isComposing && event.keyCode !== 229;
