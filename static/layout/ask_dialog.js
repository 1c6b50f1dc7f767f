// Modal questions of the page: new agent, copy, deletion, loss of comments. The native dialog keeps the focus
// and returns it.

import { h, intent } from '../shared/ui/dom.js';
import { choice, field } from '../shared/ui/fields.js';
import { EXECUTORS, freeName, isName, nameFor } from '../agents/spec/spec.js';

class Ask extends HTMLElement {
  #question = null;
  #t = null;
  #taken = [];

  update({ t, dialogQuestion, agents, drafts, editing, route }) {
    const question = dialogQuestion ?? (route === 'editor' ? editing.dialogQuestion : null) ?? null;
    this.#taken = [...(agents.items ?? []), ...drafts].map(({ name }) => name);
    const same = question?.kind === this.#question?.kind && question?.agent === this.#question?.agent && question?.run === this.#question?.run && t === this.#t;
    if (same && question?.busy !== this.#question?.busy) this.#progress(question);
    this.#question = question;
    if (same) return;
    this.#t = t;
    this.querySelector('dialog')?.close();
    this.replaceChildren();
    if (question) this.#open(t, question);
  }

  #open(t, question) {
    const { title, body, actions, submit, danger, lasting = danger, waits } = KINDS[question.kind](t, question, () => this.#taken, this);
    const close = () => this.#close();
    const form = h('form', { class: 'ask', novalidate: true, oninput: () => tell(form, ''), onsubmit: (event) => { event.preventDefault(); const refused = submit(form); tell(form, refused ?? ''); if (!refused && !waits) this.#done(); } },
      h('h2', { id: 'ask-title' }, title), body,
      h('div', { class: 'ask-actions' }, h('button', { type: 'submit', class: danger ? 'danger' : 'primary', data: { testid: 'ask-yes' } }, actions[0]),
        actions.slice(1).map(({ label, does }) => h('button', { type: 'button', onclick: () => { does(); this.#done(); } }, label)),
        h('button', { type: 'button', onclick: close, data: { testid: 'ask-no' } }, t('cancel'))));
    const dialog = h('dialog', { 'aria-labelledby': 'ask-title', data: { testid: 'ask', kind: question.kind }, oncancel: (event) => { event.preventDefault(); close(); }, onclick: (event) => event.target === dialog && close() }, form);
    this.append(dialog);
    dialog.showModal();
    // An accidental Enter must not do anything permanent.
    form.querySelector(lasting ? '[data-testid=ask-no]' : '[data-first]')?.focus();
  }

  // Shows that the service is at work, or the reason of its refusal below the name.
  #progress({ busy = false, refused = null }) {
    const form = this.querySelector('form');
    if (!form) return;
    form.querySelector('[type=submit]').disabled = busy;
    if (refused) tell(form, refused);
  }

  #close() {
    intent(this, 'ask', { question: null });
    intent(this, 'settle', { patch: { dialogQuestion: null } });
  }

  // Closes after the answer, unless the answer leads to another page first.
  #done() {
    this.querySelector('dialog')?.close();
    this.#close();
  }
}

const value = (form, name) => form.elements.namedItem(name)?.value.trim() ?? '';

/** Returns what is wrong with a file name, as text, or null. */
function wrongName(t, name, taken, own = null) {
  if (!isName(name)) return t('ask.name.bad');
  return name !== own && taken().includes(name) ? t('ask.name.taken', { name }) : null;
}

function nameField(t, start, props = {}) {
  const input = h('input', { type: 'text', name: 'name', value: start, autocomplete: 'off', spellcheck: 'false', class: 'mono', maxlength: '64', ...props });
  const labelled = field(t, { id: 'ask-name', label: t('ask.name'), note: t('ask.name.note'), isRequired: true }, input);
  input.setAttribute('aria-describedby', 'ask-refused ask-name-note');
  labelled.append(h('p', { class: 'card-status ask-refused', id: 'ask-refused', role: 'alert' }));
  return labelled;
}

/** Shows the refusal of a name until the name is changed. */
function tell(form, refused) {
  const [input, status] = [form.elements.namedItem('name'), form.querySelector('.ask-refused')];
  if (!status) return;
  status.textContent = refused;
  if (refused) input.setAttribute('aria-invalid', 'true');
  else input.removeAttribute('aria-invalid');
  if (refused) input.focus();
}

/** Fields for titles in both languages and for the name, which follows the title until the person edits it. */
function nameFields(t, taken, { start = '', titles = {}, follows = true } = {}) {
  let own = !follows;
  const follow = ({ target }) => {
    const other = target.form.elements.namedItem(target.name === 'title_ua' ? 'title_en' : 'title_ua');
    if (!own && (target.name === 'title_en' || other.value.trim() === '')) target.form.elements.namedItem('name').value = nameFor(target.value, taken()) || start;
  };
  const order = t.locale === 'uk' ? ['title_ua', 'title_en'] : ['title_en', 'title_ua'];
  const title = (name, at) => field(t, { id: `ask-${name}`, label: t(`about.${name}`) }, h('input', { type: 'text', name, value: titles[name] ?? '', autocomplete: 'off', oninput: follow, data: at === 0 ? { first: '' } : {} }));
  return [...order.map(title), nameField(t, start, { oninput: () => { own = true; } })];
}

// `taken()` returns the names that exist at that moment; the list may change while the question is open.
const KINDS = {
  new(t, _, taken, host) {
    return {
      title: t('ask.new'),
      body: [...nameFields(t, taken), kindField(t)],
      actions: [t('ask.new.yes')],
      submit(form) {
        const name = value(form, 'name');
        const wrong = wrongName(t, name, taken);
        if (wrong) return wrong;
        intent(host, 'newAgent', { fields: { name, titleUa: value(form, 'title_ua'), titleEn: value(form, 'title_en'), kind: value(form, 'kind') } });
        return null;
      },
    };
  },
  copy(t, { agent, title }, taken, host) {
    return {
      title: t('ask.copy', { name: title }),
      body: [nameField(t, freeName(agent, taken()), { data: { first: '' } })],
      actions: [t('ask.copy.yes')],
      submit(form) {
        const as = value(form, 'name');
        const wrong = wrongName(t, as, taken);
        if (!wrong) intent(host, 'copyAgent', { from: agent, as });
        return wrong;
      },
    };
  },
  delete(t, { agent, title, isNew, users = [] }, _, host) {
    return {
      title: t('ask.delete', { name: title }), danger: true,
      body: [h('p', {}, t(isNew ? 'ask.delete.draft' : 'ask.delete.lead', { name: agent })), users.length > 0 && h('p', { role: 'status' }, h('strong', {}, t('ask.delete.users', { names: users.join(', ') })))],
      actions: [t('ask.delete.yes')],
      submit() { intent(host, 'deleteAgent', { agent }); },
    };
  },
  runs(t, { ids, title, agent, active }, _, host) {
    return {
      title: t('ask.runs', { n: ids.length }), danger: true,
      body: [h('p', {}, ids.length === 1 ? t('ask.runs.lead.one', { title: t.titled(title, agent) || t('runs.untitled') }) : t('ask.runs.lead')), active > 0 && h('p', { role: 'status' }, h('strong', {}, t('ask.runs.active', { n: active })))],
      actions: [t('ask.runs.yes')],
      submit() { intent(host, 'deleteTasks', { ids }); },
    };
  },
  keep(t, { run, offer }, taken, host) {
    const own = offer.exists ? offer.name : null; // an edited script may be overwritten
    return {
      title: t('keep.title'), lasting: own !== null,
      body: [
        h('p', {}, t(own ? 'keep.lead.own' : 'keep.lead')),
        ...nameFields(t, taken, { start: offer.name, titles: offer.spec, follows: own === null }),
        inputsOf(t, offer.spec.inputs ?? []),
        changes(t, 'keep.mended', offer.mended.map(({ step, was, now }) => t('keep.step', { n: step, was: stepName(was), now: now.map(stepName).join(', ') }))),
        changes(t, 'keep.left', offer.left_out.filter(({ why }) => t.has(`keep.why.${why}`)).map(({ action, why }) => `${action}: ${t(`keep.why.${why}`)}`)),
        h('details', { class: 'ask-more' }, h('summary', {}, t('keep.file')), h('pre', { class: 'ask-file', tabindex: '0' }, offer.yaml)),
      ],
      actions: [t(own ? 'keep.yes.own' : 'keep.yes')],
      waits: true,
      submit(form) {
        const name = value(form, 'name');
        const wrong = wrongName(t, name, taken, own);
        if (!wrong) intent(host, 'keepRun', { run, fields: { name, title_ua: value(form, 'title_ua') || null, title_en: value(form, 'title_en') || null, overwrite: name === own, defaults: defaultsOf(form, offer.spec.inputs ?? []) } });
        return wrong;
      },
    };
  },
  comments(t, { lines }, _taken, host) {
    return {
      title: t('ask.comments'), lasting: true,
      body: [h('p', {}, t('ask.comments.lead', { n: lines.length, lines: lines.join(', ') }))],
      actions: [t('ask.comments.yes')],
      submit() { intent(host, 'save', { drops: true }); },
    };
  },
};

const hasField = (input) => !input.secret && (input.default === undefined || typeof input.default === 'string') && ['string', 'any', undefined].includes(input.type);

/** Fields for the inputs of each later run. The values of this run are editable defaults. */
function inputsOf(t, inputs) {
  const shown = (input) => (input.secret ? t('keep.inputs.secret') : input.default === undefined ? '—' : JSON.stringify(input.default));
  const one = (input) => (hasField(input)
    ? field(t, { id: `ask-default-${input.name}`, label: label(input) }, h('input', { type: 'text', name: `default.${input.name}`, value: input.default ?? '', autocomplete: 'off', class: 'tight' }))
    : h('p', { class: 'ask-input' }, h('span', {}, label(input)), h('span', { class: 'field-note' }, shown(input))));
  const label = ({ name, description }) => (description && description !== name ? `${description} (${name})` : name);
  return h('fieldset', { class: 'ask-inputs', data: { testid: 'keep-inputs' } }, h('legend', {}, t('keep.inputs')),
    inputs.length === 0 ? h('p', { class: 'field-note' }, t('keep.inputs.none')) : [h('p', { class: 'field-note' }, t('keep.inputs.lead')), ...inputs.map(one)]);
}

/** Returns the edited defaults; an input without one becomes required. */
const defaultsOf = (form, inputs) => Object.fromEntries(inputs.filter(hasField)
  .map((input) => [input, form.elements.namedItem(`default.${input.name}`).value])
  .filter(([input, text]) => text !== (input.default ?? '')).map(([{ name }, text]) => [name, text === '' ? null : text]));

const changes = (t, key, lines) => lines.length > 0 && h('div', { class: 'ask-more' }, h('p', {}, t(key)), h('ul', {}, lines.map((line) => h('li', {}, line))));

/** Returns a short name of a step: the element that it acts on, otherwise its action. */
const stepName = ({ target, note, action }) => target?.name || note || action || '—';

const kindField = (t) => field(t, { id: 'ask-kind', label: t('ask.kind') }, choice({
  name: 'kind', value: 'lanes', options: ['lanes', ...EXECUTORS].map((kind) => ({ value: kind, label: `${t(`kind.${kind}`)}: ${t(`kind.${kind}.lead`)}` })),
}));

customElements.define('af-ask', Ask);
