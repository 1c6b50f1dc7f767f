// First use: what this is, the demo in one click, example orders, and what is
// missing said kindly. The composer sits in the slot between them.

import { h, icon, intent } from './dom.js';
import { taskTitle } from '../models/format.js';

class Welcome extends HTMLElement {
  #last = {};

  /** Where app.js puts the composer while no run is open. */
  get slotForComposer() {
    return this.querySelector('.welcome-composer');
  }

  update({ t, settings, runs, starting, connection, route }) {
    this.hidden = route !== 'welcome';
    const waiting = (runs.items ?? []).filter((run) => run.status === 'waiting');
    const key = [t, settings, waiting.map((run) => run.run_id).join(), starting, connection.state];
    if (this.#last.key && key.every((part, i) => part === this.#last.key[i])) return;
    this.#last.key = key;
    if (this.#last.t !== t) this.#frame(t);
    const ready = connection.state === 'open' && !starting;
    this.querySelector('.welcome-waiting').replaceChildren(...waiting.slice(0, 3).map((run) => waitingRow(t, run)));
    this.querySelector('.welcome-starters').replaceChildren(this.#demo(t, ready, starting), this.#examples(t, settings), ...modelNote(t, settings));
  }

  #frame(t) {
    this.#last.t = t;
    const slot = this.slotForComposer ?? h('div', { class: 'welcome-composer' });
    this.replaceChildren(
      h('header', { class: 'welcome-head' }, h('h1', {}, t('welcome.title')), h('p', {}, t('welcome.lead'))),
      h('div', { class: 'welcome-waiting' }),
      slot,
      h('div', { class: 'welcome-starters' }),
    );
  }

  #demo(t, ready, starting) {
    const button = h('button', { class: 'primary', data: { testid: 'demo' }, disabled: !ready, onclick: () => intent(this, 'demo') }, icon('play'), t(starting ? 'demo.starting' : 'demo.start'));
    return h('section', { class: 'demo-card', 'aria-labelledby': 'demo-title' },
      h('div', { class: 'demo-text' }, h('h2', { id: 'demo-title' }, t('demo.title')), h('p', {}, t('demo.lead'))),
      button,
      h('ol', { class: 'demo-steps' }, t.list('demo.steps').map((step, i) => h('li', {}, h('span', { class: 'n', 'aria-hidden': 'true' }, String(i + 1)), step))));
  }

  #examples(t, settings) {
    const examples = t.list(settings?.planner === 'model' ? 'examples.goals' : 'examples.orders');
    return h('section', { class: 'examples', 'aria-labelledby': 'examples-title' },
      h('h2', { id: 'examples-title' }, t('examples.title')),
      h('ul', {}, examples.map((text) => h('li', {}, h('button', { class: 'example', onclick: () => intent(this, 'draft', { text: text.replaceAll('{origin}', location.origin) }) }, text.replaceAll('{origin}', location.origin))))));
  }
}

function waitingRow(t, run) {
  return h('a', { class: 'waiting-row', href: `#/runs/${run.run_id}` }, icon('hand'), h('span', {}, h('strong', {}, t('welcome.waiting')), ' ', taskTitle(run.title, location.origin)), icon('next'));
}

function modelNote(t, settings) {
  if (!settings || settings.planner === 'model') return [];
  const steps = h('details', { class: 'model-note' }, h('summary', {}, h('strong', {}, t('nomodel.title')), ' ', t('nomodel.lead')),
    h('p', {}, t('nomodel.how')), h('pre', {}, h('code', {}, 'export OPENAI_API_KEY=…')), h('p', {}, t('nomodel.local')), h('pre', {}, h('code', {}, 'export ASKFIRST_MODEL__BASE_URL=http://127.0.0.1:11434/v1')));
  return [steps];
}

customElements.define('af-welcome', Welcome);
