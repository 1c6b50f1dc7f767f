// Differences between a second question and the approval, field by field, told by words and marks too.

import { h, icon } from '../../shared/ui/dom.js';
import { visible, wordsOf } from '../../shared/text/visible.js';
import { longText, valueName } from './values.js';

/** @typedef {{ name: string, approved: string, actual: string }} Change */

export const isChanged = ({ changed }) => Array.isArray(changed) && changed.length > 0;

/** Section with the differences, if this is a second question. */
export function difference({ changed }, t) {
  if (!isChanged({ changed })) return null;
  return h('section', { class: 'card-changed', 'aria-labelledby': 'card-changed', data: { testid: 'changed' } },
    h('h3', { id: 'card-changed' }, icon('alert'), t('changed.title')),
    h('dl', {}, changed.map((change) => h('div', {},
      h('dt', { dir: 'auto' }, valueName(change?.name, t)),
      side('approved', change?.approved, change?.actual, t),
      side('actual', change?.actual, change?.approved, t)))));
}

function side(which, value, other, t) {
  const text = visible(value);
  const mark = which === 'approved' ? 'del' : 'ins';
  const words = text === '' ? t('changed.none') : text.length > MARKED ? longText(text, t) : marked(text, visible(other));
  return h('dd', { data: { side: which } }, h('span', { class: 'changed-side' }, t(`changed.${which}`)), h(text === '' ? 'span' : mark, { class: text === '' ? 'changed-none' : null, dir: 'auto' }, words));
}

const MARKED = 180; // longest text in which the differing part is marked
const ALIKE = 0.5; // part of a text that both must share for a mark to help
const SHORT = 10; // shorter texts are read at once

/** Marks the part that differs within texts that are mostly alike, such as account numbers. */
function marked(text, other) {
  const [from, to] = differingPart([...text], [...wordsOf(other)]);
  const letters = [...text];
  if (letters.length < SHORT || to === from || to - from > letters.length * (1 - ALIKE)) return text;
  return [letters.slice(0, from).join(''), h('mark', {}, letters.slice(from, to).join('')), letters.slice(to).join('')].filter((part) => part !== '');
}

/** Returns the range of the first text between its common beginning and end with the second. */
export function differingPart(one, other) {
  let from = 0;
  while (from < one.length && from < other.length && one[from] === other[from]) from += 1;
  let [to, end] = [one.length, other.length];
  while (to > from && end > from && one[to - 1] === other[end - 1]) [to, end] = [to - 1, end - 1];
  return [from, to];
}
