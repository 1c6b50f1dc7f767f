// Forms of the agent's titles and executor section: beside the board, or alone for an agent without lanes.

import { h } from '../../../shared/ui/dom.js';
import { area, check, choice, field } from '../../../shared/ui/fields.js';
import { variableRows } from './variable_rows.js';
import { numberField } from './number_field.js';
import { fieldText, fieldValue, otherKeys, SECTIONS } from '../../spec/executor_fields.js';
import { EXECUTORS } from '../../spec/spec.js';
import { faultWords } from '../../../shared/text/fault_text.js';
import { ofField } from '../../spec/faults.js';

/** `parts`: { t, spec, faults, edit(op, args, key) } */
export function aboutForm(parts) {
  const { t, spec, faults, edit } = parts;
  const set = (fields, key) => edit('setFields', [fields], key);
  const text = (name, kind) => {
    const props = { value: spec[name] ?? '', data: { testid: `about-${name}` }, oninput: (event) => set({ [name]: event.target.value === '' && name !== 'title_ua' ? undefined : event.target.value }, name) };
    return field(t, { id: `about-${name}`, label: t(`about.${name}`), faults: ofField(faults, name) }, kind === 'line' ? h('input', { type: 'text', autocomplete: 'off', ...props }) : area({ rows: 2, spellcheck: 'true', ...props }));
  };
  const pairs = [['title_ua', 'line'], ['title_en', 'line'], ['description_ua', 'area'], ['description_en', 'area']].map(([name, kind]) => text(name, kind));
  return h('section', { class: 'form-part', data: { key: 'about' } },
    h('h2', {}, t('about.title')), ofField(faults, 'name').length > 0 && h('p', { class: 'card-status' }, ofField(faults, 'name').map((fault) => faultWords(fault, t).message).join(' ')), ...pairs,
    spec.graph && field(t, { id: 'about-parallel', label: t('about.parallel'), note: t('about.parallel.note'), faults: ofField(faults, 'graph.max_parallel') },
      numberField(spec.graph.max_parallel, (value) => edit('setGraph', [{ max_parallel: value }], 'max_parallel'), { class: '', placeholder: '4' })));
}

/** Executor section of an atomic agent. */
export function sectionForm(parts) {
  const { t, spec, faults } = parts;
  const word = EXECUTORS.find((one) => spec[one]);
  if (!word) return null;
  const others = otherKeys(spec[word], word);
  return h('section', { class: 'form-part', data: { key: word, testid: `section-${word}` } },
    h('h2', {}, t(`kind.${word}`)),
    SECTIONS[word].map((one) => sectionField(parts, word, one)),
    SECTIONS[word].some((one) => one.isTemplate) && (spec.inputs ?? []).length > 0 && h('p', { class: 'field-note' }, t('section.template', { example: `{{ ${spec.inputs[0].name} }}` })),
    others.length > 0 && h('p', { class: 'field-note' }, t('section.others', { keys: others.join(', ') })),
    ofField(faults, word).filter(({ field: path }) => path === word).map((fault) => h('p', { class: 'card-status' }, faultWords(fault, t).message)));
}

function sectionField({ t, spec, faults, edit }, word, one) {
  const { name, kind, isRequired } = one;
  const path = `${word}.${name}`;
  const id = `field-${word}-${name}`;
  const shown = fieldText(spec[word][name], kind);
  const set = (entered) => edit('setFields', [{ [word]: withField(spec[word], name, fieldValue(entered, one)) }], path);
  const label = t(`section.${path}`);
  const note = t.has(`section.${path}.note`) ? t(`section.${path}.note`) : null;
  const props = { value: shown, autocomplete: 'off', data: { testid: path, ...(kind === 'lines' || kind === 'number' ? { loose: '' } : {}) }, oninput: (event) => set(event.target.value) };
  if (kind === 'check') return h('div', { class: 'field', data: { key: path } }, check({ checked: shown, label, data: { testid: path }, onchange: (event) => set(event.target.checked) }), note && h('p', { class: 'field-note' }, note));
  const control = kind === 'mode' ? choice({ id, value: shown, options: one.options.map((value) => ({ value, label: t(`section.${path}.${value}`) })), data: { testid: path }, onchange: (event) => set(event.target.value) })
    : kind === 'line' || kind === 'number' ? h('input', { type: 'text', ...(kind === 'number' ? { inputmode: 'decimal' } : {}), ...props })
    : area({ ...props, rows: { long: 4, code: 10, lines: 2 }[kind], most: 28, class: kind === 'long' ? '' : 'mono', ...(kind === 'code' ? { wrap: 'off' } : {}) });
  return h('div', { data: { key: path } }, field(t, { id, label, note, isRequired, faults: ofField(faults, path) }, control));
}

function withField(section, name, value) {
  const next = { ...section, [name]: value };
  if (value === undefined) delete next[name];
  return next;
}

/** All forms of an agent without lanes, in one column. */
export const wholeForm = (parts) => h('div', { class: 'whole-form', data: { key: 'form' } },
  aboutForm(parts),
  h('section', { class: 'form-part', data: { key: 'vars' } }, variableRows(parts, 'inputs'), variableRows(parts, 'outputs'), variableRows(parts, 'locals')),
  sectionForm(parts));
