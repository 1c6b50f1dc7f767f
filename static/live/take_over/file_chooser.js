// File chooser of the held page, as a card over the picture: files of the person are added to the task and then
// passed to the page. Escape closes it.

import { h, icon, intent } from '../../shared/ui/dom.js';

class Chooser extends HTMLElement {
  #number = null;
  #t = null;

  connectedCallback() {
    this.addEventListener('keydown', (event) => {
      event.stopPropagation();
      if (event.key !== 'Escape' || event.isComposing) return;
      event.preventDefault();
      this.#give([]);
    });
  }

  update(t, chooser) {
    this.hidden = chooser === null;
    if (chooser?.number === this.#number && t === this.#t) return;
    this.#t = t;
    this.#number = chooser?.number ?? null;
    this.replaceChildren(...(chooser ? [this.#card(t, chooser)] : []));
    this.querySelector('input')?.focus({ preventScroll: true });
  }

  #card(t, { multiple }) {
    const field = h('input', { type: 'file', multiple, 'aria-labelledby': 'chooser-title', data: { testid: 'chooser-file' }, onchange: () => field.files.length && this.#give([...field.files]) });
    return h('div', { class: 'page-dialog', role: 'dialog', 'aria-modal': 'true', 'aria-labelledby': 'chooser-title' },
      h('h2', { id: 'chooser-title' }, icon('clip'), t(multiple ? 'chooser.files' : 'chooser.file')),
      h('p', {}, t('chooser.how')),
      field,
      h('div', { class: 'page-dialog-actions' }, h('button', { type: 'button', data: { testid: 'chooser-no' }, onclick: () => this.#give([]) }, t('chooser.none'))));
  }

  #give(files) {
    if (this.#number === null) return;
    for (const control of this.querySelectorAll('button, input')) control.disabled = true;
    intent(this, 'choose', { number: this.#number, files });
  }
}

customElements.define('af-chooser', Chooser);
