// Welcome page: introduction, demo, example tasks, and missing parts of the installation. Contains the
// composer.

import { h, icon, intent, setText } from '../shared/ui/dom.js';
import { ownOrigin } from '../transport/service.js';

class Welcome extends HTMLElement {
  #t = null;
  #parts = null;
  #drawn = {}; // part -> state that it was drawn from

  /** Slot for the composer while no run is open. */
  get slotForComposer() {
    return this.querySelector('.welcome-composer');
  }

  // Redraws each part only when its content changes, so that a pressed button still exists on release.
  update({ t, settings, starting, connection, route }) {
    this.hidden = route !== 'welcome';
    if (this.#t !== t) this.#frame(t);
    const examples = settings?.planner === 'model' ? 'examples.goals' : 'examples.orders';
    this.#draw('examples', examples, () => this.#examples(t, examples));
    this.#draw('model', settings?.planner ?? '', () => modelNote(t, settings));
    // A press before the first connection is remembered.
    this.#parts.demo.disabled = starting || (connection.state !== 'open' && (connection.everOpen || connection.tries > 0));
    setText(this.#parts.demoText, t(starting ? 'demo.starting' : 'demo.start'));
  }

  #draw(part, key, make) {
    if (this.#drawn[part] === key) return;
    this.#drawn[part] = key;
    this.#parts[part].replaceChildren(...make());
  }

  #frame(t) {
    this.#t = t;
    this.#drawn = {};
    const slot = this.slotForComposer ?? h('div', { class: 'welcome-composer' });
    const demoText = h('span', {});
    const demo = h('button', { class: 'primary', data: { testid: 'demo' }, onclick: () => intent(this, 'demo') }, icon('play'), demoText);
    this.#parts = { demo, demoText, examples: h('section', { class: 'examples', 'aria-labelledby': 'examples-title' }), model: h('div', { class: 'model-slot' }) };
    this.replaceChildren(
      h('header', { class: 'welcome-head' }, h('h1', {}, t('welcome.title')), h('p', {}, t('welcome.lead'))),
      slot,
      h('div', { class: 'welcome-starters' }, this.#demo(t, demo), this.#parts.examples, this.#parts.model),
    );
  }

  #demo(t, button) {
    return h('section', { class: 'demo-card', 'aria-labelledby': 'demo-title' },
      h('div', { class: 'demo-text' }, h('h2', { id: 'demo-title' }, t('demo.title')), h('p', {}, t('demo.lead'))),
      button,
      h('ol', { class: 'demo-steps' }, t.list('demo.steps').map((step, i) => h('li', {}, h('span', { class: 'n', 'aria-hidden': 'true' }, String(i + 1)), step))));
  }

  #examples(t, key) {
    const texts = t.list(key).map((text) => text.replaceAll('{origin}', ownOrigin()));
    return [
      h('h2', { id: 'examples-title' }, t('examples.title')),
      h('ul', {}, texts.map((text) => h('li', {}, h('button', { class: 'example', onclick: () => intent(this, 'draft', { text }) }, text)))),
    ];
  }
}

function modelNote(t, settings) {
  if (!settings || settings.planner === 'model') return [];
  return [h('section', { class: 'model-note', 'aria-label': t('nomodel.title') },
    h('div', {}, h('strong', {}, t('nomodel.title')), h('p', {}, t('nomodel.lead'))),
    h('a', { class: 'button', href: '#/model', data: { testid: 'connect-model' } }, icon('plug'), t('nomodel.connect')))];
}

customElements.define('af-welcome', Welcome);
