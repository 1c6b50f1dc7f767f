// Text of the service: parts between fences or backticks are code.

import { h, icon } from './dom.js';

export const prose = (text) => text.split(/^```.*$/m).map((part) => part.trim())
  .map((part, at) => part && h('span', { class: at % 2 ? 'code-block' : 'pre' }, at % 2 ? part : inline(part)));

/** Formats one line, with backticks as code. */
export const inline = (text) => text.split(/`([^`\n]+)`/).map((part, at) => (at % 2 ? h('code', {}, part) : part)).filter((part) => part !== '');

/**
 * Explains a failure. If the final message of the run is shown below, it is the explanation, and the rest
 * unfolds.
 */
export function failureText(t, words, response) {
  const [first, ...rest] = (response ?? '').trim().split(/\n\s*\n/);
  if (rest.length === 0 || !response.includes(words)) return prose(words);
  return [h('span', {}, inline(first)), h('details', { class: 'behind broke', data: { testid: 'broke' } }, h('summary', {}, t('call.details'), icon('next')), h('div', { class: 'behind-block' }, prose(rest.join('\n\n'))))];
}
