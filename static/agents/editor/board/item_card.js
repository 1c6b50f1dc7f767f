// Editable card of an item on the board: agent, inputs, outputs, condition, and effect of its failure.

import { focusSoon, h, icon } from '../../../shared/ui/dom.js';
import { choice, faultList } from '../../../shared/ui/fields.js';
import { whenField } from './condition_field.js';
import { whenLine } from '../../spec/condition.js';
import { CONTEXT, find } from '../../spec/lanes.js';
import { calleeOf, inputsOf, isRequired, outputsOf, shortId, sourcesFor, variablesAt } from '../../spec/ports.js';
import { descriptionOf, kindOf, titleOf, KIND_ICON } from '../../spec/spec.js';
import { ofCard, ofInput } from '../../spec/faults.js';
import { numberField } from '../form/number_field.js';

/** `board`: { t, spec, agents, faults, edit(op, args, key), opened (Set), open(id), keys(event, id) } */
export function itemCard(board, item, lane) {
  const { t, spec, agents, faults } = board;
  const inputs = inputsOf(spec, agents, item);
  const called = calleeOf(spec, agents, item);
  const own = ofCard(faults, item.id, inputs);
  const title = titleOf(called, t.locale) || item.agent;
  return h('article', { class: 'item', 'aria-label': t('board.item', { title, lane: lane + 1 }), data: { key: item.id, item: item.id, testid: `item-${item.agent}`, faulty: own.some(({ severity }) => severity !== 'warning') ? '' : undefined } },
    h('header', { class: 'item-head', data: { drag: 'item', item: item.id } },
      h('button', { class: 'grip', 'aria-label': t('board.grip', { title }), title: t('board.grip.how'), 'aria-keyshortcuts': 'ArrowLeft ArrowRight ArrowUp ArrowDown Delete', data: { drag: 'item', item: item.id, focus: `grip:${item.id}`, testid: `grip-${item.agent}` }, onkeydown: (event) => board.keys(event, item.id) }, icon('grip')),
      h('div', { class: 'item-name' }, h('h3', {}, h('span', { class: 'item-kind' }, icon(called ? KIND_ICON[kindOf(called)] ?? 'file' : 'alert')), title), h('p', {}, h('code', {}, item.agent), h('span', { class: 'item-id', title: item.id }, `#${shortId(item.id)}`))),
      h('button', { class: 'quiet bare', 'aria-label': t('board.remove', { title }), title: t('board.remove.short'), onclick: () => board.remove(item.id) }, icon('cross'))),
    faultList(own, t, { isBrief: true }),
    condition(board, item, lane, title),
    h('div', { class: 'ports' },
      h('ul', { class: 'ins', 'aria-label': t('board.ins') }, inputs.map((input) => inputRow(board, item, input, title))),
      h('ul', { class: 'outs', 'aria-label': t('board.outs') }, outputsOf(spec, agents, item).map((output) => outPort(t, item.id, output, title)))),
    settings(board, item, title));
}

/** Port of an output that can be dragged onto an input. Keyboards use the drop-down of the input. */
export function outPort(t, from, { name, type }, title) {
  return h('li', { class: 'out', data: { drag: 'out', from, name, testid: `out-${name}` }, title: type ? `${name}: ${t(`type.${type}`)}` : name },
    h('span', { class: 'var' }, name),
    h('button', { class: 'port', tabindex: '-1', 'aria-label': t('board.out', { name, title }), data: { port: `out ${from} ${name}` } }));
}

function inputRow(board, item, input, title) {
  const { t, spec, faults } = board;
  const found = ofInput(faults, item.id, input.name);
  const id = `in-${item.id}-${input.name}`;
  const needed = input.isKnown && isRequired(input);
  return h('li', { class: 'in', data: { key: input.name, into: item.id, name: input.name, bound: input.from ? '' : undefined, faulty: found.length || !input.isKnown ? '' : undefined } },
    h('button', { class: 'port', tabindex: '-1', 'aria-label': t('board.in', { name: input.name, title }), data: { drag: 'in', port: `in ${item.id} ${input.name}`, into: item.id, name: input.name, testid: `in-${input.name}` } }),
    h('label', { for: id, title: [descriptionOf(input, t.locale), input.type && t(`type.${input.type}`)].filter(Boolean).join(' · ') || null }, h('span', { class: 'var' }, input.name), needed && h('span', { class: 'req', 'aria-hidden': 'true', title: t('board.needed') }, '*')),
    sourceChoice(board, item, input, id, title),
    faultList(found, t, { isBrief: true }));
}

const key = ({ item, name }) => `${item} ${name}`;

function sourceChoice(board, item, input, id, title) {
  const { t, spec, agents, edit } = board;
  const sources = sourcesFor(spec, agents, item.id);
  const known = input.from && sources.some((source) => source.item === input.from.item && source.names.includes(input.from.name));
  const lane = find(spec, item.id)?.lane ?? 0;
  const label = (source) => (source.item === CONTEXT ? t('board.context') : `${titleOf(source.agent, t.locale)} #${shortId(source.item)}`);
  const options = [
    { value: '', label: input.default !== undefined ? t('board.default', { value: JSON.stringify(input.default) }) : t('board.unbound') },
    ...(input.from && !known ? [{ value: key(input.from), label: strayLabel(t, board, input.from, lane) }] : []),
    ...sources.map((source) => ({ label: label(source), options: source.names.map((name) => ({ value: key({ item: source.item, name }), label: source.item === CONTEXT ? name : `${name} ← ${shortId(source.item)}` })) })),
  ];
  const pick = (event) => {
    const [from, ...name] = event.target.value.split(' ');
    if (event.target.value === '') edit('unbind', [{ item: item.id, name: input.name }]);
    else edit('bind', [{ item: from, name: name.join(' ') }, { item: item.id, name: input.name }]);
  };
  return choice({ id, class: 'tight source', 'aria-label': t('board.from', { name: input.name, title }), 'aria-required': input.isKnown && isRequired(input) ? 'true' : null, value: input.from ? key(input.from) : '', options, data: { testid: `source-${input.name}` }, onchange: pick });
}

// Labels a source that cannot be bound: missing, or too late. Outputs of earlier lanes are in the context.
function strayLabel(t, { spec, agents }, { item, name }, lane) {
  if (item === CONTEXT && (name.includes('.') || variablesAt(spec, agents, lane).some((one) => one.name === name))) return name;
  return item === CONTEXT || find(spec, item) ? `${name} ⚠` : t('board.stray', { name });
}

function condition(board, item, lane, title) {
  const { t, spec, agents, edit, opened, open } = board;
  const isOpen = opened.has(item.id);
  if (!item.when) {
    return h('button', { class: 'link add-when', 'aria-label': t('when.add.of', { title }), data: { testid: 'add-when' }, onclick: (event) => { focusSoon(event.target.closest('.item'), '.condition select'); open(item.id, true); edit('setItem', [item.id, { when: { var: '', equals: '' } }]); } }, icon('branch'), t('when.add'));
  }
  const change = (when, at) => edit('setItem', [item.id, { when }], at);
  return h('div', { class: 'condition', data: { key: 'when' } },
    h('div', { class: 'condition-head' },
      h('button', { class: 'chip', 'aria-expanded': String(isOpen), data: { testid: 'when' }, title: t('when.edit'), onclick: () => open(item.id, !isOpen) }, icon('branch'), h('span', {}, `${t('when.if')} ${whenLine(item.when, t)}`)),
      h('button', { class: 'quiet bare', 'aria-label': t('when.remove', { title }), title: t('when.remove.short'), onclick: (event) => { focusSoon(event.target.closest('.item'), '.add-when'); open(item.id, false); edit('setItem', [item.id, { when: undefined }]); } }, icon('cross'))),
    isOpen && whenField(t, item.when, variablesAt(spec, agents, lane), item.id, change));
}

const failure = (onError) => (onError?.retry ? 'retry' : onError ?? 'fail');

function settings({ t, edit }, item, title) {
  const word = failure(item.on_error);
  const set = (fields, at) => edit('setItem', [item.id, fields], at);
  const notes = [word !== 'fail' && (word === 'retry' ? t('item.retries', { n: item.on_error.retry.max }) : t('item.continue')), item.timeout_s && t('item.seconds', { n: Number(item.timeout_s) || 0 })].filter(Boolean);
  const shown = notes.length ? notes.join(' · ') : t('item.more');
  const onFailure = (value) => set({ on_error: { fail: undefined, continue: 'continue', retry: { retry: { max: item.on_error?.retry?.max ?? 2 } } }[value] });
  return h('details', { class: 'item-more', data: { key: 'more' } },
    h('summary', { 'aria-label': t('item.more.of', { title, text: shown }) }, shown),
    h('label', {}, h('span', {}, t('item.on_error')), choice({ class: 'tight', value: word, options: ['fail', 'continue', 'retry'].map((value) => ({ value, label: t(`item.on_error.${value}`) })), onchange: (event) => onFailure(event.target.value) })),
    word === 'retry' && h('label', {}, h('span', {}, t('item.max')), numberField(item.on_error.retry.max, (max) => set({ on_error: { retry: { max: max ?? 1 } } }, `${item.id}.max`))),
    h('label', {}, h('span', {}, t('item.timeout')), numberField(item.timeout_s, (seconds) => set({ timeout_s: seconds }, `${item.id}.timeout`))));
}
