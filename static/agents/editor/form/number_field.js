// A field for a number; what is written in it as text stays text.

import { h } from '../../../shared/ui/dom.js';
import { numberOf } from '../../spec/executor_fields.js';

export const numberField = (value, change, props = {}) =>
  h('input', { type: 'text', inputmode: 'numeric', autocomplete: 'off', class: 'tight', ...props, data: { loose: '', ...props.data }, value: value ?? '', oninput: ({ target }) => change(target.value.trim() === '' ? undefined : numberOf(target.value)) });
