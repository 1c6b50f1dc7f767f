// Field for a number. A text that is no number is kept as text.

import { h } from '../../../shared/ui/dom.js';
import { numberOf } from '../../spec/executor_fields.js';

export const numberField = (value, change, props = {}) =>
  h('input', { type: 'text', inputmode: 'numeric', autocomplete: 'off', class: 'tight', ...props, data: { loose: '', ...props.data }, value: value ?? '', oninput: ({ target }) => change(target.value.trim() === '' ? undefined : numberOf(target.value)) });
