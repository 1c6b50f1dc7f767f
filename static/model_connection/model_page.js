// Page "Model": connects a model by address, key and name, tests it, and lists what works without one. A typed
// key is never shown again.

import { h, icon, intent, scrolling, setText } from '../shared/ui/dom.js';
import { refusal } from '../shared/text/refusal.js';
import { PRESETS, filterNames, keepsKey, lastFailed, sameAddress } from './model_form.js';

const CHECKS = { true: 'check', false: 'cross' };

class Model extends HTMLElement {
  #t = null;
  #state = null;
  #form = null;
  #parts = null;
  #outcome = null; // shown outcome of a test or of saving

  update({ t, route, modelState, modelForm }) {
    this.hidden = route !== 'model';
    if (this.hidden || (this.#t === t && this.#state === modelState && this.#form === modelForm)) return;
    const fresh = this.#t !== t || !this.#parts;
    const saved = modelForm.saved && !this.#form?.saved;
    const removed = this.#state?.configured && !modelState?.configured;
    const loaded = this.#state !== modelState;
    [this.#t, this.#state, this.#form] = [t, modelState, modelForm];
    if (fresh) this.#frame(this.#parts ? this.#fields() : null);
    // Fills the fields with the connected model, until somebody types, and again after a change.
    if (modelState && (((loaded || fresh) && !this.#typed()) || saved || removed)) this.#fill();
    this.#refresh();
  }

  #typed() {
    return this.#parts.url.value !== '' && this.#parts.url.dataset.touched === 'yes';
  }

  #frame(kept) {
    const t = this.#t;
    const field = (id, label, input, ...more) => h('div', { class: 'field' }, h('label', { for: id }, label), input, ...more);
    const touched = () => { this.#parts.url.dataset.touched = 'yes'; this.#refresh(); };
    const input = (id, props) => h('input', { id, type: 'text', autocomplete: 'off', spellcheck: 'false', class: 'mono', oninput: touched, ...props });
    const url = input('model-url', { inputmode: 'url', placeholder: 'https://api.openai.com/v1', data: { testid: 'model-url' } });
    const key = input('model-key', { type: 'password', autocomplete: 'new-password', data: { testid: 'model-key' } });
    const env = input('model-env', { placeholder: 'OPENAI_API_KEY' });
    const forget = h('input', { type: 'checkbox', onchange: touched });
    const model = input('model-name', { role: 'combobox', 'aria-controls': 'model-names', 'aria-expanded': 'false', 'aria-autocomplete': 'list', data: { testid: 'model-name' } });
    const parts = {
      url, key, env, forget, model,
      now: h('div', { class: 'model-now', role: 'status' }),
      keyNote: h('p', { class: 'field-note' }),
      forgetRow: h('label', { class: 'check' }, forget, t('model.forget')),
      names: h('div', { id: 'model-names', class: 'model-names' }),
      report: h('div', { class: 'model-report', 'aria-live': 'polite' }),
      fault: h('div', { role: 'alert' }),
      failing: h('div', { class: 'model-failing', role: 'status', data: { testid: 'model-failing' } }),
      list: h('button', { type: 'button', data: { testid: 'model-list' }, onclick: () => this.#send('listModels') }),
      test: h('button', { type: 'button', data: { testid: 'model-test' }, onclick: () => this.#send('testModel') }),
      save: h('button', { type: 'submit', class: 'primary', data: { testid: 'model-save' } }),
    };
    this.#parts = parts;
    const form = h('form', { class: 'model-form', onsubmit: (event) => { event.preventDefault(); this.#send('saveModel'); } },
      h('div', { class: 'field' }, h('span', { class: 'model-label', id: 'model-presets' }, t('model.presets')), h('div', { class: 'model-presets', role: 'group', 'aria-labelledby': 'model-presets' }, PRESETS.map((preset) => this.#preset(preset)))),
      field('model-url', t('model.url'), url, h('p', { class: 'field-note' }, t('model.url.note'))),
      field('model-key', t('model.key'), key, parts.keyNote, parts.forgetRow,
        h('details', { class: 'model-env' }, h('summary', {}, t('model.env')), h('div', { class: 'field' }, h('label', { for: 'model-env' }, t('model.env.name')), env, h('p', { class: 'field-note' }, t('model.env.note'))))),
      field('model-name', t('model.name'), h('div', { class: 'model-pick' }, model, parts.list), parts.names),
      parts.fault,
      h('div', { class: 'model-actions' }, parts.save, parts.test, parts.failing),
      parts.report);
    this.replaceChildren(
      h('header', { class: 'page-head' }, h('h1', { tabindex: '-1' }, t('model.title')), h('p', {}, t('model.lead'))),
      parts.now, form,
      h('section', { class: 'model-without' }, h('h2', {}, t('model.without')), h('ul', {}, t.list('model.without.list').map((line) => h('li', {}, icon('check'), h('span', {}, line))))));
    if (kept) {
      for (const name of ['url', 'key', 'env', 'model']) parts[name].value = kept[{ url: 'base_url', key: 'key', env: 'key_env', model: 'model' }[name]];
      url.dataset.touched = 'yes';
    }
  }

  #preset({ name, url }) {
    return h('button', { type: 'button', class: 'small', data: { url }, onclick: () => {
      this.#parts.url.value = url;
      this.#parts.url.dataset.touched = 'yes';
      this.#refresh();
      this.#parts[PRESETS.find((preset) => preset.url === url).key ? 'key' : 'model'].focus();
    } }, name);
  }

  #fill() {
    const { url, key, env, forget, model } = this.#parts;
    const state = this.#state;
    url.value = state.base_url ?? '';
    model.value = state.model ?? '';
    env.value = state.key_env ?? '';
    key.value = '';
    forget.checked = false;
    delete url.dataset.touched;
  }

  #fields() {
    const { url, key, env, forget, model } = this.#parts;
    return { base_url: url.value, key: key.value, key_env: env.value, forget: forget.checked, model: model.value };
  }

  #send(name) {
    const fields = this.#fields();
    if (!fields.base_url.trim()) return this.#parts.url.focus();
    if (name !== 'listModels' && !fields.model.trim()) return this.#parts.model.focus();
    return intent(this, name, { fields });
  }

  // Updates everything except the fields, while the person types.
  #refresh() {
    const [t, state, form, parts, fields] = [this.#t, this.#state, this.#form, this.#parts, this.#fields()];
    parts.now.replaceChildren(...(state ? this.#now(t, state) : [t('loading')]));
    const kept = keepsKey(fields, state);
    parts.key.placeholder = kept ? '••••••••' : '';
    setText(parts.keyNote, t(kept ? (state.key === 'env' ? 'model.key.env' : 'model.key.kept') : 'model.key.note'));
    parts.forgetRow.hidden = !(state?.key === 'set' && sameAddress(fields.base_url, state.base_url));
    for (const preset of this.querySelectorAll('.model-presets button')) preset.setAttribute('aria-pressed', String(sameAddress(preset.dataset.url, fields.base_url)));
    for (const [button, busy, word] of [[parts.list, 'list', 'model.list'], [parts.test, 'test', 'model.test'], [parts.save, 'save', 'model.save']]) {
      button.disabled = form.busy !== null;
      button.replaceChildren(...(form.busy === busy ? [icon('spinner'), t(`model.busy.${busy}`)] : [t(word)]));
      button.toggleAttribute('data-busy', form.busy === busy);
    }
    this.#names(t, form.list, fields.model);
    parts.fault.replaceChildren(...(form.error ? [this.#fault(t, form.error)] : []));
    const fails = form.busy !== 'test' && lastFailed(form.report, fields);
    if (fails !== parts.failing.hasChildNodes()) parts.failing.replaceChildren(...(fails ? [icon('alert'), h('p', {}, t('model.save.failing'))] : []));
    parts.report.replaceChildren(...(form.saved ? [h('p', { class: 'model-saved' }, icon('check'), t('model.saved'))] : []), ...(form.report ? this.#report(t, form.report) : []));
    this.#showOutcome(form);
  }

  // The outcome of a test or of saving is below the buttons, perhaps out of sight.
  #showOutcome({ report, saved }) {
    const outcome = saved || report;
    if (outcome && outcome !== this.#outcome) this.#parts.report.scrollIntoView({ block: 'nearest', behavior: scrolling() });
    this.#outcome = outcome;
  }

  #now(t, state) {
    if (!state.configured) return [icon('info'), h('div', {}, h('strong', {}, t('nomodel.title')), h('p', {}, t('model.none')))];
    const remove = state.source === 'page' && h('button', { type: 'button', class: 'small danger', data: { testid: 'model-remove' }, disabled: this.#form.busy !== null, onclick: () => intent(this, 'removeModel') }, t('model.remove'));
    return [icon('plug'), h('div', {}, h('strong', {}, state.model), h('p', {}, `${state.base_url} · ${t(`model.key.is.${state.key}`)} · ${t(`model.source.${state.source}`)}`)), remove || ''];
  }

  #names(t, list, chosen) {
    const { names, model } = this.#parts;
    model.setAttribute('aria-expanded', String(Boolean(list?.length)));
    if (!list) return names.replaceChildren();
    if (list.length === 0) return names.replaceChildren(h('p', { class: 'field-note' }, t('model.list.none')));
    // A picked name is no filter: the other names stay visible.
    const found = filterNames(list, list.includes(chosen.trim()) ? '' : chosen);
    return names.replaceChildren(
      h('p', { class: 'field-note', role: 'status' }, t('model.list.found', { n: found.length, all: list.length })),
      h('ul', {}, found.map((name) => h('li', {}, h('button', { type: 'button', class: 'quiet mono', 'aria-pressed': String(name === chosen.trim()), onclick: () => { model.value = name; this.#refresh(); model.focus(); } }, name)))));
  }

  #fault(t, error) {
    const { title, advice } = refusal(error, t);
    return h('div', { class: 'model-fault' }, icon('alert'), h('div', {}, h('strong', {}, title), advice && h('p', {}, advice)));
  }

  #report(t, report) {
    const line = (check) => h('li', { data: { ok: String(check.ok), check: check.name } }, icon(CHECKS[check.ok]),
      h('div', {}, h('strong', {}, t(`model.check.${check.name}`)), h('p', {}, check.detail)),
      h('span', { class: 'model-ms' }, check.ms ? t('model.ms', { n: check.ms }) : ''));
    return [h('h2', {}, t(report.ok ? 'model.test.good' : 'model.test.bad')), h('ul', {}, report.checks.map(line))];
  }
}

customElements.define('af-model', Model);
