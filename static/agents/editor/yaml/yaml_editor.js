// Text editor of the agent file, with line numbers and faults by line.

import { h, icon, intent, setText } from '../../../shared/ui/dom.js';
import { byLine } from '../../spec/faults.js';
import { faultWords } from '../../../shared/text/fault_text.js';

class Yaml extends HTMLElement {
  #last = {};
  #field = null;
  #numbers = null;
  #state = null;

  update({ t, text, faults, state, busy }) {
    if (this.#last.t !== t) this.#draw(t);
    if (this.#field.value !== text) this.#put(text);
    setText(this.#state, t(`yaml.${state}`));
    this.#state.dataset.state = state;
    this.#field.readOnly = busy;
    if (this.#last.faults !== faults || this.#last.text !== text || this.#last.t !== t) this.#number(t, text, byLine(faults));
    this.#last = { t, text, faults };
  }

  #draw(t) {
    this.#field = h('textarea', { class: 'yaml-text mono', spellcheck: 'false', autocapitalize: 'off', wrap: 'off', 'aria-label': t('yaml.label'), 'aria-describedby': 'yaml-state', data: { testid: 'yaml' },
      oninput: (event) => intent(this, 'write', { text: event.target.value }), onscroll: () => { this.#numbers.scrollTop = this.#field.scrollTop; } });
    this.#numbers = h('ol', { class: 'yaml-lines', 'aria-hidden': 'true' });
    this.#state = h('p', { class: 'yaml-state', id: 'yaml-state', role: 'status' });
    this.replaceChildren(this.#state, h('div', { class: 'yaml-box' }, this.#numbers, this.#field));
  }

  // Replaces the text and keeps the caret's position, as far as the new text reaches.
  #put(text) {
    const { selectionStart, selectionEnd, scrollTop } = this.#field;
    const focused = document.activeElement === this.#field;
    this.#field.value = text;
    if (focused) this.#field.setSelectionRange(Math.min(selectionStart, text.length), Math.min(selectionEnd, text.length));
    this.#field.scrollTop = scrollTop;
  }

  #number(t, text, lines) {
    const count = text.split('\n').length;
    while (this.#numbers.childElementCount > count) this.#numbers.lastChild.remove();
    while (this.#numbers.childElementCount < count) this.#numbers.append(h('li'));
    [...this.#numbers.children].forEach((node, at) => {
      const faults = lines.get(at + 1);
      const words = faults?.map((fault) => Object.values(faultWords(fault, t)).filter(Boolean).join(' ')).join('\n') ?? '';
      if (node.title === words && node.firstChild && !faults) return;
      node.title = words;
      const mild = faults?.every(({ severity }) => severity === 'warning');
      if (faults) node.dataset.faulty = mild ? 'warning' : 'error';
      else delete node.dataset.faulty;
      node.replaceChildren(faults ? icon(mild ? 'info' : 'alert') : '', String(at + 1));
    });
  }

  /** Puts the caret into a line. */
  goTo(line) {
    const before = this.#field.value.split('\n').slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
    const end = this.#field.value.indexOf('\n', before);
    this.#field.focus();
    this.#field.setSelectionRange(before, end < 0 ? this.#field.value.length : end);
    this.#field.scrollTop = Math.max(0, (line - 4) * (this.#field.scrollHeight / Math.max(1, this.#field.value.split('\n').length)));
  }
}

customElements.define('af-yaml', Yaml);
