// Escape key: closes the topmost layer or stops the open task. Remembers recent presses with another meaning.

import { escapeMeans } from './key_meanings.js';
import { isActive } from '../shared/run_status.js';
import { inTextField } from '../shared/ui/dom.js';

export class Escape {
  #view = null;
  #backAt = -Infinity; // time of the last hand-back
  #hintAt = -Infinity; // time of the hint that a second press stops the task

  /** `does`: { drawer(), instead(), hint(), stop() }; `question` is the element with the card. */
  constructor(question, does) {
    this.question = question;
    this.does = does;
    // Keys on the live page are not passed on, so this listener comes first.
    addEventListener('keydown', (event) => this.#letsGo(event), true);
    document.addEventListener('keydown', (event) => this.#pressed(event));
  }

  /** Forgets presses meant for the previous task. */
  leave() {
    this.#hintAt = -Infinity;
  }

  update(view) {
    if (this.#view?.lease.mine && !view.lease.mine) this.#backAt = performance.now();
    this.#view = view;
  }

  #letsGo(event) {
    if (event.key === 'Escape' && event.shiftKey) this.#backAt = performance.now();
  }

  #pressed(event) {
    if (event.key !== 'Escape' || event.shiftKey || event.repeat || event.defaultPrevented || !this.#view) return;
    const { drawerOpen, route, liveRun, lease } = this.#view;
    const now = performance.now();
    const means = escapeMeans({
      drawer: drawerOpen, instead: Boolean(this.question.instead), composing: event.isComposing,
      written: inTextField(event.target) && event.target.value.trim() !== '',
      active: route === 'run' && Boolean(liveRun) && isActive(liveRun.status),
      inControl: lease.mine,
      sinceBack: now - this.#backAt, sinceHint: now - this.#hintAt,
    });
    if (means === null) return;
    this.#hintAt = means === 'hint' ? now : -Infinity;
    this.does[means]();
  }
}
