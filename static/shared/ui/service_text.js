// Text as the service writes it in sentences: what stands between fences or backticks is code.

import { h, icon } from './dom.js';

export const prose = (text) => text.split(/^```.*$/m).map((part) => part.trim())
  .map((part, at) => part && h('span', { class: at % 2 ? 'code-block' : 'pre' }, at % 2 ? part : inline(part)));

/** Of one line: `name` as code. */
export const inline = (text) => text.split(/`([^`\n]+)`/).map((part, at) => (at % 2 ? h('code', {}, part) : part)).filter((part) => part !== '');

/** Why something failed. Where its run ended with a sentence for people that `words` stand below, that is it, and the rest unfolds. */
export function told(t, words, response) {
  const [first, ...rest] = (response ?? '').trim().split(/\n\s*\n/);
  if (rest.length === 0 || !response.includes(words)) return prose(words);
  return [h('span', {}, inline(first)), h('details', { class: 'behind broke', data: { testid: 'broke' } }, h('summary', {}, t('call.details'), icon('next')), h('div', { class: 'behind-block' }, prose(rest.join('\n\n'))))];
}
