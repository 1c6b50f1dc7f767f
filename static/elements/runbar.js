// The head of an open task: title, status, counters, and the person's brakes.

import { h, icon, intent, setText } from './dom.js';
import { statusWord, taskTitle } from '../models/format.js';
import { isActive } from '../models/run.js';
import { totalTokens } from '../models/usage.js';
import { shortNumber } from '../models/locale.js';

class Runbar extends HTMLElement {
  #t = null;
  #parts = null;
  #asked = null; // a brake that was pressed and has not taken hold yet
  #askedOf = '';

  update({ t, run, lease, connection, isReplay, liveRun, current, notices }) {
    if (!run) return;
    if (this.#t !== t) this.#draw(t);
    const p = this.#parts;
    const status = liveRun.status;
    setText(p.title, taskTitle(run.title, location.origin) || t('runs.untitled'));
    p.title.title = run.title;
    p.status.dataset.status = isReplay ? 'replay' : status;
    setText(p.statusText, isReplay ? t('replay.now') : statusWord(status, t));
    setText(p.steps, run.usage.maxSteps ? t('steps.of', { n: run.usage.steps, max: run.usage.maxSteps }) : t('steps', { n: run.usage.steps }));
    setText(p.tokens, t('tokens', { n: shortNumber(totalTokens(run.usage), t.locale) }));
    p.tokens.title = t('tokens.detail', { input: run.usage.inputTokens, cached: run.usage.cachedTokens, output: run.usage.outputTokens, calls: run.usage.calls });
    p.tokens.hidden = totalTokens(run.usage) === 0;
    const newest = notices.at(-1)?.id ?? 0; // a refusal, perhaps
    const moment = [current, status, lease.holder, connection.state, newest].join();
    if (moment !== this.#askedOf) this.#asked = null;
    this.#askedOf = moment;
    this.#buttons(t, status, lease, connection.state === 'open');
  }

  #buttons(t, status, lease, online) {
    const p = this.#parts;
    const active = isActive(status);
    p.stop.hidden = !active;
    p.pause.hidden = !active || status === 'paused';
    p.resume.hidden = status !== 'paused' || lease.mine; // handing back comes first
    p.takeOver.hidden = !(active && lease.possible && lease.holder === null);
    p.handBack.hidden = !(active && lease.mine);
    p.otherHolder.hidden = !(active && lease.holder !== null && !lease.mine);
    for (const button of [p.stop, p.pause, p.resume, p.takeOver, p.handBack]) button.disabled = !online;
    for (const [button, name, label] of [[p.takeOver, 'take_over', 'lease.take'], [p.pause, 'pause', 'pause']]) {
      const waits = this.#asked === name;
      button.disabled ||= waits;
      setText(button.querySelector('span'), t(waits ? 'control.waits' : label));
    }
  }

  // Pausing and taking over wait until the step under way has ended.
  #press(name) {
    this.#asked = name;
    intent(this, 'control', { command: name });
  }

  #draw(t) {
    this.#t = t;
    const command = (name, symbol, label, kind = '') =>
      h('button', { class: `small ${kind}`, hidden: true, data: { testid: name.replace('_', '-') }, onclick: () => this.#press(name) }, icon(symbol), h('span', {}, label));
    const statusText = h('span', {});
    const p = {
      title: h('h1', { class: 'run-name', tabindex: '-1' }),
      statusText,
      status: h('span', { class: 'status-pill', data: { testid: 'status' }, role: 'status' }, h('span', { class: 'state-dot', 'aria-hidden': 'true' }), statusText),
      steps: h('span', { class: 'counter' }),
      tokens: h('span', { class: 'counter' }),
      otherHolder: h('span', { class: 'counter' }, t('lease.other')),
      takeOver: command('take_over', 'hand', t('lease.take')),
      handBack: command('hand_back', 'return', t('lease.give'), 'accent'),
      pause: command('pause', 'pause', t('pause')),
      resume: command('resume', 'play', t('resume'), 'accent'),
      stop: command('stop', 'stop', t('stop'), 'danger'),
    };
    this.#parts = p;
    this.replaceChildren(
      h('div', { class: 'runbar-head' }, p.title, h('div', { class: 'runbar-facts' }, p.status, p.steps, p.tokens, p.otherHolder)),
      h('div', { class: 'runbar-controls', role: 'group', 'aria-label': t('controls') }, p.takeOver, p.handBack, p.pause, p.resume, p.stop),
    );
  }
}

customElements.define('af-runbar', Runbar);
