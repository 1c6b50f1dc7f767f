// Form to run an agent: a field for each input, by type.

import { h, icon, intent } from '../shared/ui/dom.js';
import { morph } from '../shared/ui/morph.js';
import { area, check, field } from '../shared/ui/fields.js';
import { inline } from '../shared/ui/service_text.js';
import { descriptionOf, kindOf, titleOf } from './spec/spec.js';
import { fieldsOf, firstValue } from './spec/input_form.js';

/** Plan of one step that every service can carry out. */
const STEP = `steps:
  - id: say
    agent_id: echo
    with: {text: hello}`;

class RunForm extends HTMLElement {
  #last = {};
  #tried = 0;

  update({ t, form, route, connection }) {
    this.hidden = route !== 'form';
    const online = connection.state === 'open';
    if (this.hidden || (this.#last.t === t && this.#last.form === form && this.#last.online === online)) return;
    this.#last = { t, form, online };
    if (!form) return;
    morph(this, ...this.#body(t, form));
    if ((form.tried ?? 0) !== this.#tried) this.querySelector('[aria-invalid]')?.focus();
    this.#tried = form.tried ?? 0;
  }

  #body(t, { name, agent, error, values, faults, busy }) {
    const back = h('a', { class: 'back', href: '#/agents', data: { key: 'back' } }, icon('prev'), t('agents.title'));
    if (error) return [back, h('div', { class: 'empty', data: { key: 'error' } }, icon('alert'), h('h1', { tabindex: '-1' }, name), h('p', {}, t(error.status === 404 ? 'form.unknown' : error.faults.length ? 'form.faulty' : 'form.error')), h('a', { class: 'button', href: `#/agents/${name}` }, t('form.open')))];
    if (!agent) return [back, h('p', { class: 'empty', data: { key: 'loading' } }, t('loading'))];
    const fields = fieldsOf(agent);
    const about = descriptionOf(agent, t.locale);
    return [
      back,
      h('header', { class: 'page-head', data: { key: 'head' } }, h('h1', { tabindex: '-1' }, titleOf(agent, t.locale)), about && h('p', {}, inline(about))),
      h('form', { class: 'run-form', novalidate: true, data: { key: `form-${name}`, testid: 'run-form' }, onsubmit: (event) => { event.preventDefault(); intent(this, 'runForm'); } },
        fields.length === 0 && h('p', { class: 'field-note' }, t('form.none')),
        fields.map((one) => this.#field(t, one, values[one.name], faults[one.name], kindOf(agent) === 'orchestration')),
        faults[''] && h('p', { class: 'card-status', role: 'alert', data: { testid: 'form-fault' } }, t.has(faults['']) ? t(faults['']) : faults['']),
        h('div', { class: 'form-foot' },
          h('button', { type: 'submit', class: 'primary', disabled: busy, data: { testid: 'run-agent' } }, icon('play'), t(busy ? 'form.starting' : 'form.run')),
          kindOf(agent) !== 'orchestration' && h('a', { class: 'button', href: `#/agents/${name}` }, icon(kindOf(agent) === 'lanes' ? 'lanes' : 'pencil'), t(kindOf(agent) === 'lanes' ? 'agents.board' : 'agents.edit')))),
    ];
  }

  #field(t, one, value, fault, isOrchestration) {
    const id = `in-${one.name}`;
    const shown = value ?? firstValue(one);
    const fill = (given) => intent(this, 'fill', { field: one.name, value: given });
    const label = isOrchestration && t.has(`orch.in.${one.name}`) ? [t(`orch.in.${one.name}`), ' ', h('code', {}, one.name)] : one.name;
    const note = [descriptionOf(one, t.locale), !one.isRequired && one.default === undefined && t('form.optional'), t(one.isYaml ? 'type.yaml' : `type.${one.type ?? 'any'}`)].filter(Boolean).join(' · ');
    const hint = note && inline(note);
    const faults = fault ? [{ message: t.has(fault) ? t(fault) : fault }] : [];
    const props = { id, name: one.name, placeholder: isOrchestration && one.name === 'plan' ? STEP : null, data: { key: one.name, testid: `input-${one.name}` }, oninput: (event) => fill(event.target.value) };
    if (one.control === 'check') {
      const box = check({ checked: shown, label: one.name, ...props, oninput: (event) => fill(event.target.checked) });
      return h('div', { class: 'field', data: { key: `field-${one.name}` } }, box, hint && h('p', { class: 'field-note' }, hint));
    }
    const control = one.secret
      ? h('input', { type: 'password', autocomplete: 'off', ...props, value: shown })
      : one.control === 'number'
      ? h('input', { type: 'text', inputmode: 'decimal', autocomplete: 'off', ...props, value: shown })
      : area({ ...props, value: shown, rows: props.placeholder ? STEP.split('\n').length : one.control === 'json' ? 4 : 2, class: one.control === 'json' ? 'mono' : '', spellcheck: one.control === 'json' ? 'false' : 'true', onkeydown: (event) => this.#key(event) });
    return h('div', { data: { key: `field-${one.name}` } }, field(t, { id, label, note: hint, faults, isRequired: one.isRequired }, control));
  }

  // Enter begins a new line; Ctrl+Enter or ⌘+Enter runs.
  #key(event) {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
    event.preventDefault();
    intent(this, 'runForm');
  }
}

customElements.define('af-run-form', RunForm);
