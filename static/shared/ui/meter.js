// Bar that shows a used part, labelled for screen readers.

import { h } from './dom.js';

/** `part`: 0 to 1. */
export const meter = ({ part, warns = false }, label) =>
  h('span', { class: 'meter', role: 'meter', 'aria-label': label, 'aria-valuemin': '0', 'aria-valuemax': '100', 'aria-valuenow': String(Math.round(part * 100)), 'aria-valuetext': label, data: { warns: warns ? '' : undefined } },
    h('i', { style: `inline-size: ${(part * 100).toFixed(1)}%` }));
