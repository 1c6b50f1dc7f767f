// Form fields: label, control, faults and hint.

import { h, icon } from './dom.js';
import { inline } from './service_text.js';
import { faultWords } from '../text/fault_text.js';

/** Drop-down; `options` are { value, label } or { label, options }. */
export function choice({ value, options, ...props }) {
  const one = (option) => h('option', { value: option.value, selected: option.value === value, disabled: option.disabled }, option.label);
  const select = h('select', props, options.map((option) => (option.options ? h('optgroup', { label: option.label }, option.options.map(one)) : one(option))));
  select.value = value;
  return select;
}

/** Text area as high as its text; without `rows`, at least one line. */
export function area({ value, rows = 1, most = 16, ...props }) {
  const lines = String(value ?? '').split('\n').length;
  return h('textarea', { rows: String(Math.min(most, Math.max(rows, lines))), spellcheck: 'false', ...props, value: value ?? '' });
}

export function check({ checked, label, ...props }) {
  const box = h('input', { type: 'checkbox', ...props, checked });
  box.checked = Boolean(checked);
  return h('label', { class: 'check' }, box, h('span', {}, label));
}

/** Fault list; `faults` are { message, hint, severity }. Cards have no room for hints. */
export function faultList(faults, t, { id = null, isBrief = false } = {}) {
  if (!faults?.length) return null;
  return h('ul', { class: 'faults', id }, faults.map((fault) => ({ ...fault, ...faultWords(fault, t) })).map(({ message, hint, severity }) => h('li', { data: { severity: severity ?? 'error' } },
    icon(severity === 'warning' ? 'info' : 'alert'), h('span', { title: isBrief ? hint : null }, message, !isBrief && hint && h('span', { class: 'fault-hint' }, ` ${hint}`)))));
}

/** Labelled field: `control` receives its id and its description. */
export function field(t, { id, label, note = null, faults = [], isRequired = false, class: kind = '' }, control) {
  const [fault, hint] = [faults.length ? `${id}-fault` : null, note ? `${id}-note` : null];
  control.id = id;
  if (fault || hint) control.setAttribute('aria-describedby', [fault, hint].filter(Boolean).join(' '));
  if (fault) control.setAttribute('aria-invalid', 'true');
  if (isRequired) control.setAttribute('aria-required', 'true');
  return h('div', { class: `field ${kind}`, data: { faulty: faults.length ? '' : undefined } },
    h('label', { for: id }, label, isRequired && h('span', { class: 'req', 'aria-hidden': 'true' }, ' *')),
    control, faultList(faults, t, { id: fault }), note && h('p', { class: 'field-note', id: hint }, note));
}

/** Formats place and message of a fault: "line 3, inputs[0].name: … advice". */
export function faultText(fault, t) {
  const { message, hint } = faultWords(fault, t);
  const where = [fault.line && t('fault.line', { n: fault.line }), fault.path].filter(Boolean).join(', ');
  return [...inline(where ? `${where}: ${message}` : message), hint && h('span', { class: 'fault-hint' }, ' ', inline(hint))];
}
