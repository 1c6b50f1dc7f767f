// The condition of an item, edited in place on its card.

import { h } from '../../../shared/ui/dom.js';
import { area, choice } from '../../../shared/ui/fields.js';
import * as when from '../../spec/condition.js';
import { numberOf } from '../../spec/executor_fields.js';

/**
 * `variables`: [{ name, type }] that a condition can test; `change(when, key)` receives each new condition;
 * `id`: id of the item.
 */
export function whenField(t, condition, variables, id, change) {
  const operator = when.operatorOf(condition);
  const expr = operator === 'expr';
  return h('div', { class: 'when', role: 'group', 'aria-label': t('when.title') },
    !expr && variable(t, condition, variables, id, change),
    choice({
      class: 'tight', value: operator, 'aria-label': t('when.operator'), data: { key: `${id}-operator`, testid: 'when-operator' },
      options: when.OPERATORS.map((value) => ({ value, label: t(`when.${value}`) })),
      onchange: (event) => change(when.withOperator(condition, event.target.value)),
    }),
    operand(t, condition, operator, id, change));
}

function variable(t, condition, variables, id, change) {
  const known = variables.some(({ name }) => name === condition.var);
  const options = [
    ...(condition.var ? [] : [{ value: '', label: t('when.pick'), disabled: true }]),
    ...variables.map(({ name }) => ({ value: name, label: name })),
    ...(known || !condition.var ? [] : [{ value: condition.var, label: `${condition.var} (${t('when.unknown')})` }]),
  ];
  const type = (name) => variables.find((one) => one.name === name)?.type ?? null;
  return choice({ class: 'tight mono', value: condition.var ?? '', options, 'aria-label': t('when.var'), data: { key: `${id}-var`, testid: 'when-var' }, onchange: (event) => change(when.withVariable(condition, event.target.value, type(event.target.value))) });
}

function operand(t, condition, operator, id, change) {
  if (operator === 'expr') {
    return area({ class: 'tight mono', value: condition.expr, 'aria-label': t('when.expr'), placeholder: 'score > 3 and not done', data: { key: `${id}-expr` }, oninput: (event) => change({ expr: event.target.value.replaceAll('\n', ' ') }, `${id}.expr`) });
  }
  if (operator === 'in') {
    return area({ class: 'tight mono', rows: 2, value: when.listToLines(when.operandOf(condition)), 'aria-label': t('when.list'), placeholder: t('when.list'), data: { key: `${id}-in`, loose: '' }, oninput: (event) => change(when.withOperand(condition, when.linesToList(event.target.value)), `${id}.in`) });
  }
  if (operator === 'exists' || operator === 'absent') return null;
  const value = when.operandOf(condition);
  const kind = when.kindOfValue(value);
  return h('div', { class: 'when-value' },
    choice({ class: 'tight', value: kind, 'aria-label': t('when.kind'), data: { key: `${id}-kind`, testid: 'when-kind' }, options: when.KINDS.map((one) => ({ value: one, label: t(`when.kind.${one}`) })), onchange: (event) => change(when.withOperand(condition, when.cast(value, event.target.value))) }),
    valueField(t, condition, value, kind, id, change));
}

function valueField(t, condition, value, kind, id, change) {
  const props = { 'aria-label': t('when.value'), data: { key: `${id}-value`, testid: 'when-value' } };
  if (kind === 'null') return null;
  if (kind === 'boolean') {
    return choice({ class: 'tight', ...props, value: String(value), options: ['true', 'false'].map((one) => ({ value: one, label: t(`when.${one}`) })), onchange: (event) => change(when.withOperand(condition, event.target.value === 'true')) });
  }
  const read = kind === 'number' ? numberOf : (text) => text;
  return h('input', { type: 'text', ...(kind === 'number' ? { inputmode: 'decimal' } : {}), ...props, data: { ...props.data, ...(kind === 'number' ? { loose: '' } : {}) }, autocomplete: 'off', value: String(value), oninput: (event) => change(when.withOperand(condition, read(event.target.value)), `${id}.value`) });
}
