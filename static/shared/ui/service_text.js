// Text of the service: parts between fences or backticks are code.

import { h, icon } from './dom.js';

export const prose = (text) => text.split(/^```.*$/m).map((part) => part.trim())
  .map((part, at) => part && h('span', { class: at % 2 ? 'code-block' : 'pre' }, at % 2 ? part : inline(part)));

/** Formats one line, with backticks as code. */
export const inline = (text) => text.split(/`([^`\n]+)`/).flatMap((part, at) => (at % 2 ? h('code', {}, part) : isolated(part)));

const RTL = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/**
 * Parts of a line as nodes: a name written from right to left keeps to its quotation marks or to its side of a
 * separator, and does not turn what stands around it.
 */
export const isolated = (text) => (RTL.test(text) ? text.split(/([«»“”„]| · )/) : [text])
  .map((part) => (RTL.test(part) ? h('bdi', {}, part) : part)).filter((part) => part !== '');

/**
 * Explains a failure. If the final message of the run is shown below, it is the explanation, and the rest
 * unfolds.
 */
export function failureText(t, words, response) {
  const [first, ...rest] = (response ?? '').trim().split(/\n\s*\n/);
  if (rest.length === 0 || !response.includes(words)) return prose(words);
  return [h('span', {}, inline(first)), h('details', { class: 'behind broke', data: { testid: 'broke' } }, h('summary', {}, t('call.details'), icon('next')), h('div', { class: 'behind-block' }, prose(rest.join('\n\n'))))];
}
