// What a screen reader is told, and what the tab's title says: words of the
// agent and its end politely, a question at once. The rest can be read in the
// transcript; telling every click would drown what matters.

import { questionTitle, statusWord, taskTitle } from './models/format.js';
import { isActive } from './models/status.js';

export class Announcer {
  #polite;
  #urgent;

  constructor(polite, urgent) {
    this.#polite = polite;
    this.#urgent = urgent;
  }

  tell(facts, t) {
    for (const fact of facts) {
      if (fact.type === 'agent_question') this.#urgent.textContent = `${t(`asked.${fact.kind}`)}: ${questionTitle(fact, t)}`;
      if (fact.type === 'question_resolved') this.#urgent.textContent = ''; // whoever comes to it later must not be asked again
      if (fact.type === 'agent_message') this.#polite.textContent = fact.text;
      if (fact.type === 'run_ended') this.#polite.textContent = t(`ended.${fact.outcome}`);
    }
  }

  title({ t, route, liveRun, question, questionReadonly, waitingCount }) {
    if (question && !questionReadonly) return `● ${t('title.question')} · Askfirst`;
    const waiting = waitingCount > 0 ? `(${waitingCount}) ` : '';
    if (route === 'run' && liveRun?.title) {
      const busy = isActive(liveRun.status) ? '▸ ' : '';
      return `${waiting}${busy}${statusWord(liveRun.status, t)}: ${taskTitle(liveRun.title, location.origin)} · Askfirst`;
    }
    return route === 'permissions' ? `${waiting}${t('grants.title')} · Askfirst` : `${waiting}Askfirst`;
  }
}
