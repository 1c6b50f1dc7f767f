// Text as the service writes it in sentences: what stands between fences or backticks is code.

import { h } from './dom.js';

export const prose = (text) => text.split(/^```.*$/m).map((part) => part.trim())
  .map((part, at) => part && h('span', { class: at % 2 ? 'code-block' : 'pre' }, at % 2 ? part : inline(part)));

/** Of one line: `name` as code. */
export const inline = (text) => text.split(/`([^`\n]+)`/).map((part, at) => (at % 2 ? h('code', {}, part) : part)).filter((part) => part !== '');
