// Rows to edit inputs, locals and outputs of the agent in place.

import { focusSoon, h, icon } from '../../../shared/ui/dom.js';
import { area, choice, faultList } from '../../../shared/ui/fields.js';
import { TYPES, descriptionOf } from '../../spec/spec.js';
import { localText, localValue } from '../../spec/variables.js';
import { ofVariable } from '../../spec/faults.js';

/**
 * `parts`: { t, spec, faults, edit(op, args, key) }; `port(variable, group)` returns the drag port of a row, if
 * it has one.
 */
export function variableRows(parts, group, port = () => null) {
  const { t, spec, edit } = parts;
  const list = spec[group] ?? [];
  const row = group === 'locals' ? localRow : typedRow;
  return h('section', { class: 'vars', data: { key: group, group } },
    h('h3', {}, t(`vars.${group}`)),
    list.length === 0 && h('p', { class: 'vars-none', data: { key: 'none' } }, t(`vars.${group}.none`)),
    h('ul', { data: { key: 'rows' } }, list.map((variable, at) => h('li', { class: 'var-row', data: { key: String(at), faulty: ofVariable(parts.faults, group, at).length ? '' : undefined } }, row(parts, group, variable, at, port), faultList(ofVariable(parts.faults, group, at), t, { isBrief: true })))),
    h('button', { class: 'link', data: { key: 'add', testid: `add-${group}` }, onclick: (event) => { edit('addVariable', [group]); focusSoon(event.target.closest('.vars'), '.var-row:last-child input'); } }, icon('plus'), t(`vars.${group}.add`)));
}

// Applies a name when the field is left, because every change of a name is carried into bindings.
function nameField({ t, edit }, group, { name }, at) {
  return h('input', { type: 'text', class: 'tight mono', value: name, autocomplete: 'off', spellcheck: 'false', 'aria-label': t(`vars.${group}.name`), data: { loose: '', testid: `${group}-name-${at}` },
    onchange: (event) => edit('setVariable', [group, at, { name: event.target.value.trim() }]),
    onkeydown: (event) => { if (event.key === 'Enter' && !event.isComposing) event.target.blur(); } });
}

const remover = ({ t, edit }, group, { name }, at) =>
  h('button', { class: 'quiet bare', 'aria-label': t('vars.remove', { name }), title: t('vars.remove.short'), onclick: (event) => { const rows = event.target.closest('.vars'); edit('removeVariable', [group, at]); focusSoon(rows, `.var-row[data-key="${at}"] input, .var-row:last-child[data-key="${at - 1}"] input, [data-testid="add-${group}"]`); } }, icon('cross'));

function localRow(parts, group, local, at, port) {
  const { t, edit } = parts;
  return [
    h('div', { class: 'var-line' }, nameField(parts, group, local, at), remover(parts, group, local, at), port(local, group)),
    area({ class: 'tight', value: localText(local.value), most: 6, 'aria-label': t('vars.value', { name: local.name }), placeholder: t('vars.value.empty'), data: { testid: `locals-value-${at}` }, oninput: (event) => edit('setVariable', [group, at, { value: localValue(event.target.value, local.value) }], `locals.${at}.value`) }),
  ];
}

function typedRow(parts, group, variable, at, port) {
  const { t, edit } = parts;
  const set = (fields, key) => edit('setVariable', [group, at, fields], key);
  const type = choice({ class: 'tight', value: variable.type ?? 'any', 'aria-label': t('vars.type', { name: variable.name }), data: { testid: `${group}-type-${at}` }, options: TYPES.map((one) => ({ value: one, label: t(`type.${one}`) })), onchange: (event) => set({ type: event.target.value === 'any' ? undefined : event.target.value }) });
  const more = descriptionOf(variable, t.locale) || t('vars.more');
  return [
    h('div', { class: 'var-line' }, nameField(parts, group, variable, at), type, remover(parts, group, variable, at), port(variable, group)),
    h('details', { class: 'var-more', data: { key: 'more' } },
      h('summary', { 'aria-label': `${more}: ${variable.name}` }, more),
      ['description', 'description_ua'].map((word) => area({ class: 'tight', value: variable[word] ?? '', 'aria-label': t(`vars.${word}`, { name: variable.name }), placeholder: t(`vars.${word}.short`), data: { key: word }, oninput: (event) => set({ [word]: event.target.value || undefined }, `${group}.${at}.${word}`) })),
      group === 'inputs' && h('label', {}, h('span', {}, t('vars.default')), defaultField(t, variable, set, at)),
      group === 'inputs' && variable.default === undefined && h('label', { class: 'check' }, h('input', { type: 'checkbox', checked: variable.required !== false, onchange: (event) => set({ required: event.target.checked ? undefined : false }) }), h('span', {}, t('vars.required')))),
  ];
}

// An empty field means no default. Text is taken as it is; other types are parsed as JSON.
function defaultField(t, variable, set, at) {
  const isText = variable.type === 'string';
  const shown = variable.default === undefined ? '' : localText(variable.default);
  const read = (text) => (text === '' ? undefined : isText ? text : localValue(text, 0));
  return h('input', { type: 'text', class: 'tight mono', value: shown, autocomplete: 'off', 'aria-label': t('vars.default.of', { name: variable.name }), data: { loose: '' }, oninput: (event) => set({ default: read(event.target.value) }, `inputs.${at}.default`) });
}
