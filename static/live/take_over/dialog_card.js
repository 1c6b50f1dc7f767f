// Dialog of the held page, as a card over the picture. It takes the focus; Enter accepts, Escape declines.

import { h, icon, intent, sendsOnEnter } from '../../shared/ui/dom.js';
import { SEEN_MS, dialogAnswer, dialogMessage, dialogWords } from './page_dialog.js';

class Dialog extends HTMLElement {
  #dialog = null;
  #t = null;
  #field = null;
  #shownAt = 0;

  connectedCallback() {
    this.addEventListener('keydown', (event) => this.#pressed(event));
    // Presses beside the card do not reach the page; the card keeps the focus.
    this.addEventListener('pointerdown', (event) => {
      if (event.target !== this) return;
      event.preventDefault();
      this.#first()?.focus({ preventScroll: true });
    });
  }

  #first() {
    return this.#field ?? this.querySelector('.primary');
  }

  update(t, dialog) {
    this.hidden = dialog === null;
    if (dialog?.number !== this.#dialog?.number || t !== this.#t) this.#draw(t, dialog);
    this.#dialog = dialog;
    for (const control of this.querySelectorAll('button, input')) control.disabled = dialog?.state === 'sent';
  }

  #draw(t, dialog) {
    this.#t = t;
    this.#field = null;
    if (dialog === null) return this.replaceChildren();
    const { title, yes, no } = dialogWords(dialog);
    const message = dialogMessage(dialog, t);
    if (dialog.kind === 'prompt') this.#field = h('input', { type: 'text', value: dialog.text, autocomplete: 'off', 'aria-label': message || t('dialog.text'), data: { testid: 'dialog-text' } });
    const accept = h('button', { type: 'submit', class: 'primary', data: { testid: 'dialog-yes' } }, t(yes));
    const decline = no && h('button', { type: 'button', data: { testid: 'dialog-no' }, onclick: () => this.#answer(false) }, t(no));
    const form = h('form', { class: 'page-dialog', role: 'alertdialog', 'aria-modal': 'true', 'aria-labelledby': 'dialog-title', 'aria-describedby': 'dialog-message', data: { kind: dialog.kind }, onsubmit: (event) => { event.preventDefault(); this.#answer(true); } },
      h('h2', { id: 'dialog-title' }, icon(dialog.kind === 'alert' ? 'info' : 'question'), t(title)),
      h('p', { id: 'dialog-message', tabindex: '0' }, message),
      this.#field,
      h('div', { class: 'page-dialog-actions' }, accept, decline));
    const isNew = dialog.number !== this.#dialog?.number;
    this.replaceChildren(form);
    if (isNew) this.#shownAt = performance.now();
    this.#first()?.focus({ preventScroll: true });
    this.#field?.select();
    return undefined;
  }

  // Keeps all keys in the card, away from shortcuts and from the page.
  #pressed(event) {
    event.stopPropagation();
    if (event.key === 'Escape' && !event.isComposing) {
      event.preventDefault();
      if (!event.repeat) this.#answer(false);
    } else if (event.key === 'Tab') {
      this.#stay(event);
    } else if (event.key === 'Enter' && (event.repeat || !sendsOnEnter(event))) {
      event.preventDefault();
    }
  }

  // Moves the focus from the last control to the first, and back.
  #stay(event) {
    const controls = [...this.querySelectorAll('p, input, button')];
    const [edge, other] = event.shiftKey ? [controls[0], controls.at(-1)] : [controls.at(-1), controls[0]];
    if (event.target !== edge) return;
    event.preventDefault();
    other.focus({ preventScroll: true });
  }

  #answer(accept) {
    if (this.#dialog?.state !== 'open' || performance.now() - this.#shownAt < SEEN_MS) return;
    intent(this, 'input', { fields: dialogAnswer(this.#dialog, accept, this.#field?.value) });
  }
}

customElements.define('af-dialog', Dialog);
