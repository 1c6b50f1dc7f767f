// Page of one agent: board or form, YAML, faults and notes. All parts are drawn from one state.

import { h, icon, inTextField, intent, scrolling } from '../../shared/ui/dom.js';
import { morph } from '../../shared/ui/morph.js';
import { aboutForm, wholeForm } from './form/agent_form.js';
import { editorHead, editorNotes } from './editor_head.js';
import { faultBar } from './fault_bar.js';
import { palette } from './board/palette.js';

class EditorPage extends HTMLElement {
  #last = {};
  #tab = 'board'; // tab of a narrow window; beside the board, a wide one shows 'about' or 'yaml'
  #side = 'yaml';

  connectedCallback() {
    addEventListener('keydown', (event) => this.#keys(event));
  }

  update({ t, editing, agents, route }) {
    this.hidden = route !== 'editor';
    if (this.hidden || (this.#last.t === t && this.#last.editing === editing && this.#last.agents === agents)) return;
    if (this.#last.editing?.name !== editing.name) [this.#tab, this.#side] = ['board', 'yaml'];
    this.#last = { t, editing, agents };
    this.#render();
  }

  redraw() {
    this.#render();
  }

  #render() {
    const { t, editing } = this.#last;
    if (editing.phase !== 'ready') {
      morph(this, ...this.#other(t, editing));
      return;
    }
    const { doc, faults } = editing;
    const spec = doc.spec;
    const parts = { t, spec, faults, agents: this.#last.agents.items, edit: (op, args, key) => intent(this, 'edit', { op, args, key }) };
    const isBoard = Boolean(spec?.graph);
    const tab = spec ? this.#tab : 'yaml';
    this.dataset.tab = tab;
    this.dataset.side = this.#side;
    this.dataset.kind = isBoard ? 'lanes' : 'form';
    morph(this,
      editorHead(this, t, editing),
      editorNotes(this, t, editing),
      this.#tabs(t, isBoard, tab, Boolean(spec)),
      h('div', { class: 'ed-body', data: { key: 'body' } },
        isBoard && palette(this, parts, (agent) => this.querySelector('af-board').add(agent, Math.max(0, spec.graph.lanes.length - 1))),
        h('div', { class: 'ed-main', inert: !doc.readable, data: { key: 'main' } }, isBoard ? h('af-board', { tabindex: '-1', data: { own: '', key: 'board' } }) : spec ? wholeForm(parts) : null),
        h('aside', { class: 'ed-side', data: { key: 'side' }, 'aria-label': t(`tab.${this.#side}`) },
          isBoard && h('div', { class: 'ed-about', data: { key: 'about' } }, aboutForm(parts)),
          h('af-yaml', { data: { own: '', key: 'yaml' } }))),
      faultBar(this, t, editing, (fault) => this.#goTo(fault)));
    this.querySelector('af-board')?.update(parts);
    this.querySelector('af-yaml').update({ t, text: doc.yaml ?? '', faults, busy: false, state: doc.yaml === null || (doc.behind && doc.lead === 'board') ? 'behind' : doc.lead === 'yaml' && !doc.readable ? (isBoard ? 'unreadable' : 'unreadable.form') : isBoard ? 'step' : 'step.form' });
  }

  #other(t, { name, phase, error }) {
    const back = h('a', { class: 'back', href: '#/agents', data: { key: 'back' } }, icon('prev'), t('agents.title'));
    const head = h('h1', { tabindex: '-1' }, name ?? '');
    if (phase === 'missing') return [back, h('div', { class: 'empty', data: { key: 'missing' } }, icon('question'), head, h('p', {}, t('editor.missing')), h('button', { class: 'primary', onclick: () => intent(this, 'ask', { question: { kind: 'new' } }) }, icon('plus'), t('agents.new')))];
    if (phase === 'failed') return [back, h('div', { class: 'empty', data: { key: 'failed' } }, icon('alert'), head, h('p', {}, error.message || t('error.offline')), h('button', { class: 'small', onclick: () => intent(this, 'reopen') }, t('retry')))];
    return [back, h('p', { class: 'empty', data: { key: 'loading' } }, t('loading'))];
  }

  // A wide window shows the board permanently, so its tab is hidden.
  #tabs(t, isBoard, tab, hasSpec) {
    const tabs = [...(hasSpec ? ['board'] : []), ...(isBoard ? ['about'] : []), 'yaml'];
    const one = (name) => h('button', { class: 'tab', 'aria-pressed': String(tab === name), data: { tab: name, side: String(this.#side === name), testid: `tab-${name}` }, onclick: () => this.#show(name) },
      icon({ board: isBoard ? 'lanes' : 'pencil', about: 'info', yaml: 'code' }[name]), t(name === 'board' && !isBoard ? 'tab.form' : `tab.${name}`));
    return h('div', { class: 'ed-tabs', role: 'group', 'aria-label': t('tab.views'), data: { key: 'tabs' } }, tabs.map(one));
  }

  #show(tab) {
    this.#tab = tab;
    if (tab !== 'board') this.#side = this.#side === tab && this.#isWide() ? 'none' : tab;
    this.#render();
  }

  #isWide() {
    return matchMedia('(min-width: 1101px)').matches;
  }

  // Leads to the card or field of a fault, otherwise to its line in the YAML.
  #goTo({ item, group, index, field, line }) {
    const place = item ? `[data-item="${CSS.escape(item)}"] .grip` : group ? `[data-group="${group}"] .var-row[data-key="${index}"] input` : field ? `#about-${CSS.escape(field)}, [data-testid="${CSS.escape(field)}"]` : null;
    const node = place && this.querySelector(place);
    this.#tab = node ? (node.closest('.ed-about') ? 'about' : 'board') : 'yaml';
    if (!node || node.closest('.ed-about')) this.#side = node ? 'about' : 'yaml';
    this.#render();
    if (!node) return line && this.querySelector('af-yaml').goTo(line);
    (node.closest('.item') ?? node).scrollIntoView({ block: 'nearest', inline: 'center', behavior: scrolling() });
    return node.focus({ preventScroll: true });
  }

  #keys(event) {
    if (this.hidden || !(event.ctrlKey || event.metaKey) || event.altKey || this.#last.editing?.phase !== 'ready') return;
    const letter = event.code === 'KeyS' ? 's' : event.code === 'KeyZ' ? 'z' : event.code === 'KeyY' ? 'y' : null;
    // In a text field the browser's own undo applies, which is finer.
    if (letter === null || (letter !== 's' && inTextField(event.target))) return;
    event.preventDefault();
    if (letter === 's' && inTextField(event.target)) event.target.dispatchEvent(new Event('change', { bubbles: true }));
    intent(this, letter === 's' ? 'save' : letter === 'y' || event.shiftKey ? 'redo' : 'undo');
  }
}

customElements.define('af-editor', EditorPage);
