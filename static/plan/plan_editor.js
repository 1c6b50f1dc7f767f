// Plan editor: texts, order, new and removed items. All changes can be made with the keyboard; completed items
// are fixed.

import { focusSoon, h, icon } from '../shared/ui/dom.js';
import { isDone } from './plan.js';
import { mayNeed } from './plan_edit.js';

/** `editing`: { draft, busy, changed, faults, approves }; `tell(name, detail)` receives intents. */
export function planEditor(t, { draft, busy, changed, faults, approves }, now, tell) {
  const change = (op, ...args) => tell('changePlan', { op, args });
  // Items completed meanwhile, which the service would not change.
  const done = new Set(draft.items.filter((item) => item.done || now.some((one) => one.position === item.position && isDone(one))).map(({ id }) => id));
  return h('form', { class: 'plan-form', data: { key: 'form', testid: 'plan-form' }, onsubmit: (event) => { event.preventDefault(); tell('savePlan'); focusSoon(event.target, '[aria-invalid]'); } },
    changed && h('p', { class: 'plan-note', role: 'alert', data: { key: 'changed', testid: 'plan-changed' } }, icon('alert'), h('span', {}, t('plan.edit.changed'))),
    h('ol', { class: 'plan-rows', data: { key: 'rows' } }, draft.items.map((item, at) => (done.has(item.id) ? fixed(t, item) : editable(t, draft, item, at, { busy, fault: faults[item.id], change })))),
    h('button', { type: 'button', class: 'small plan-add', disabled: busy, data: { key: 'add', testid: 'plan-add' }, onclick: (event) => { change('add'); focusSoon(event.target.closest('form'), '.plan-row-edit:last-child .plan-field'); } }, icon('plus'), t('plan.edit.add')),
    h('div', { class: 'plan-foot', data: { key: 'foot' } },
      h('button', { type: 'submit', class: 'small primary', disabled: busy, data: { testid: 'plan-save' } }, icon('check'), t(busy ? 'plan.edit.busy' : approves ? 'plan.edit.approve' : 'plan.edit.save')),
      h('button', { type: 'button', class: 'small', disabled: busy, data: { testid: 'plan-cancel' }, onclick: () => tell('dropPlan') }, t('plan.edit.cancel')),
      h('p', { class: 'plan-keys' }, t('plan.edit.keys'))));
}

const fixed = (t, item) => h('li', { class: 'plan-row-edit', data: { key: item.id, id: item.id, fixed: '' } }, h('span', { class: 'plan-mark' }, icon('check')), h('p', { class: 'plan-words' }, item.description, h('span', { class: 'sr' }, ` ${t('plan.edit.done')}`)));

function editable(t, draft, item, at, { busy, fault, change }) {
  const n = at + 1;
  const text = (name, props) => h('textarea', { rows: '1', class: 'plan-field', disabled: busy, ...props, oninput: ({ target }) => change('reword', item.id, { [name]: target.value }) });
  const button = (symbol, key, onclick, extra = {}) => h('button', { type: 'button', class: 'quiet bare', disabled: busy, 'aria-label': t(key, { n }), title: t(key, { n }), onclick, ...extra }, icon(symbol));
  const others = draft.items.filter((other) => other.id !== item.id);
  return h('li', { class: 'plan-row-edit', data: { key: item.id, id: item.id, faulty: fault ? '' : undefined } },
    h('span', { class: 'plan-grip grip', data: { grip: '' }, title: t('plan.edit.drag', { n }) }, icon('grip')),
    h('div', { class: 'plan-fields' },
      text('description', { value: item.description, 'aria-label': t('plan.edit.text', { n }), placeholder: t('plan.edit.text.hint'), 'aria-invalid': fault ? 'true' : null, 'aria-describedby': fault ? `fault-${item.id}` : null, data: { key: 'text', testid: 'plan-text' } }),
      fault && h('p', { class: 'plan-fault', id: `fault-${item.id}`, role: 'alert', data: { key: 'fault' } }, t(`plan.edit.${fault}`)),
      text('criteria', { value: item.criteria, class: 'plan-field plan-criteria', 'aria-label': t('plan.edit.criteria', { n }), placeholder: t('plan.edit.criteria.hint'), data: { key: 'criteria' } }),
      others.length > 0 && needs(t, draft, item, n, { busy, change })),
    h('div', { class: 'plan-tools' },
      button('prev', 'plan.edit.up', () => change('moveBy', item.id, -1), { class: 'quiet bare up', disabled: busy || at === 0 }),
      button('next', 'plan.edit.down', () => change('moveBy', item.id, 1), { class: 'quiet bare down', disabled: busy || n === draft.items.length }),
      button('trash', 'plan.edit.remove', (event) => { const form = event.target.closest('form'); change('remove', item.id); focusSoon(form, '.plan-add'); })));
}

function needs(t, draft, item, n, { busy, change }) {
  return h('div', { class: 'plan-needs', role: 'group', 'aria-label': t('plan.edit.needs', { n }), data: { key: 'needs' } }, h('span', {}, t('plan.edit.needs.short')),
    draft.items.map((other, place) => other.id !== item.id && h('button', {
      type: 'button', class: 'plan-need', 'aria-pressed': String(item.needs.includes(other.id)), disabled: busy || !mayNeed(draft, item.id, other.id),
      'aria-label': t('plan.needs.items', { n: 1, list: place + 1 }), title: other.description, onclick: () => change('toggleNeed', item.id, other.id),
    }, String(place + 1))));
}

/** Handles keys: Alt with an arrow moves the focused item. Escape neither discards text nor stops the task. */
export function editorKeys(event, change) {
  if (event.key === 'Escape' && event.target.closest?.('.plan-form')) event.preventDefault();
  const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  const id = event.target.closest?.('.plan-row-edit:not([data-fixed])')?.dataset.id;
  if (!by || !event.altKey || event.ctrlKey || event.metaKey || !id) return;
  event.preventDefault();
  change('moveBy', [id, by]);
}
