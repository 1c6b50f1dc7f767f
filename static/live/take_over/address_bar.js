// Address bar of the held page: a back button, and a field for another address.

import { h, icon, intent } from '../../shared/ui/dom.js';

class HeldBar extends HTMLElement {
  #t = null;
  #field = null;
  #held = null;
  #url = '';

  update(t, held) {
    if (this.#t !== t) this.#draw(t);
    if (held === this.#held) return;
    const url = held?.url ?? '';
    const untouched = this.#field.value === this.#url;
    // Text being written stays; a submitted address gives way to the actual one.
    if (untouched || document.activeElement !== this.#field) this.#field.value = url;
    this.#held = held;
    this.#url = url;
  }

  #draw(t) {
    const had = this.#field?.value ?? this.#url;
    this.#t = t;
    this.#field = h('input', { type: 'text', inputmode: 'url', autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', enterkeyhint: 'go', 'aria-label': t('held.address'), value: had, data: { testid: 'held-address' }, onfocus: () => this.#field.select(), onkeydown: (event) => this.#pressed(event) });
    const back = h('button', { type: 'button', class: 'quiet square', 'aria-label': t('held.back'), title: t('held.back'), data: { testid: 'held-back' }, onclick: () => intent(this, 'input', { fields: { kind: 'back' } }) }, icon('back'));
    this.replaceChildren(h('form', { class: 'held-bar', onsubmit: (event) => { event.preventDefault(); this.#go(); } }, back, this.#field));
  }

  // Handles keys of the field alone: Escape restores the address and stops no task.
  #pressed(event) {
    event.stopPropagation();
    if (event.key !== 'Escape' || event.isComposing) return;
    event.preventDefault();
    this.#field.value = this.#url;
    this.#field.blur();
  }

  #go() {
    const url = this.#field.value.trim();
    if (url === '') return;
    this.#field.blur();
    intent(this, 'input', { fields: { kind: 'navigate', url } });
  }
}

customElements.define('af-held-bar', HeldBar);
