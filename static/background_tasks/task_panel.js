// Background tasks above the composer, while they last: a progress bar or a status line for each, as the agent
// requests, with a button to cancel.

import { h, icon, intent } from '../shared/ui/dom.js';
import { morph } from '../shared/ui/morph.js';
import { percent } from '../shared/text/format.js';
import { duration } from '../shared/text/locale.js';
import { displayOf, labelOf, activeTasks, progressOf, secondsToGo } from './tasks.js';

const TICK_MS = 500; // the estimate moves the bars between facts

class Tasks extends HTMLElement {
  #last = [];
  #view = null;
  #list = h('ul', { class: 'task-list', data: { own: '' } });
  #timer = null;

  leave() {
    this.#last = [];
    this.#list.replaceChildren();
  }

  update(view) {
    const { t, route, run, isReplay, ending, connection, lease } = view;
    const tasks = route === 'run' && run ? activeTasks(run.tasks) : [];
    this.hidden = tasks.length === 0 || lease.mine;
    this.#view = { ...view, tasks };
    this.#follow(!this.hidden && !isReplay && tasks.some((task) => task.display?.estimated_duration_seconds > 0));
    if (this.hidden) return;
    const state = [t, run.tasks, ending, connection.state, isReplay];
    if (state.every((part, at) => part === this.#last[at])) return;
    this.#last = state;
    this.#draw();
  }

  #follow(on) {
    if (on && this.#timer === null) this.#timer = setInterval(() => document.hidden || this.#draw(), TICK_MS);
    if (!on) { clearInterval(this.#timer); this.#timer = null; }
  }

  #draw() {
    const { t, tasks, ending, connection, isReplay } = this.#view;
    this.setAttribute('aria-label', t('task.title'));
    if (!this.#list.parentNode) this.append(this.#list);
    morph(this.#list, tasks.map((task) => this.#row(t, task, { isReplay, busy: ending.has(task.taskId), online: connection.state === 'open' })));
  }

  #row(t, task, { isReplay, busy, online }) {
    const now = isReplay ? Date.parse(task.toldAt) : Date.now();
    const label = labelOf(task, t);
    const bar = displayOf(task) === 'progress_bar';
    const part = progressOf(task, now);
    const left = isReplay || !bar ? null : secondsToGo(task, now);
    const words = busy ? t('task.cancelling') : task.status !== 'running' ? t(`task.${task.status}`) : left !== null ? t('task.left', { time: duration(left) }) : bar && part !== null ? '' : t('task.running');
    return h('li', { class: 'task', data: { key: task.taskId, status: task.status, display: bar ? 'bar' : 'line', testid: 'task' } },
      h('span', { class: 'task-mark' }, icon(task.status === 'running' ? 'spinner' : task.status === 'waiting' ? 'hand' : 'clock')),
      h('span', { class: 'task-label' }, label),
      h('span', { class: 'task-words' }, words),
      bar && part !== null && h('span', { class: 'task-part', 'aria-hidden': 'true' }, percent(part)),
      bar && h('span', { class: 'task-bar', role: 'progressbar', 'aria-label': label, ...(part === null ? {} : { 'aria-valuemin': '0', 'aria-valuemax': '100', 'aria-valuenow': String(Math.floor(part * 100)) }), data: { unknown: part === null ? '' : undefined, testid: 'task-bar' } }, h('i', { style: part === null ? null : `inline-size: ${(part * 100).toFixed(1)}%` })),
      !isReplay && h('button', { class: 'quiet square task-end', 'aria-label': t('task.cancel', { label }), title: t('task.cancel', { label }), disabled: busy || !online, data: { testid: 'task-cancel' }, onclick: () => intent(this, 'endTask', { id: task.taskId }) }, icon('cross')));
  }
}

customElements.define('af-tasks', Tasks);
