// Announcements for screen readers, and the tab's title: the agent's messages and the end of a run politely, a
// question at once. Single actions are not announced; the transcript has them.

import { shortTitle, statusWord, taskTitle } from '../shared/text/format.js';
import { line } from '../chat/entry_text.js';
import { questionTitle } from '../question/question_text.js';
import { wordsOf } from '../plan/plan.js';
import { isActive } from '../shared/run_status.js';
import { noTasks, reduceTasks } from '../background_tasks/tasks.js';
import { ownOrigin } from '../transport/service.js';

/** Transcript entries by event. */
const ENTRIES = {
  plan: ({ data }) => ({ kind: 'plan', n: (data.items ?? []).length }),
  task: (fact) => ({ kind: 'task', task: Object.values(reduceTasks(noTasks, fact))[0] }),
  budget: ({ data }) => ({ kind: 'budget', ...data }),
};

export class Announcer {
  #polite;
  #urgent;
  #plans = new Map(); // run id -> text of its plan
  #asked = null; // reference of the last announced question

  constructor(polite, urgent) {
    this.#polite = polite;
    this.#urgent = urgent;
  }

  say(text) {
    this.#polite.textContent = text;
  }

  hush() {
    for (const region of [this.#polite, this.#urgent]) region.textContent = '';
  }

  /** Announces facts of one task; `other`: its title, if another task is open. */
  tell(facts, t, other = null) {
    const of = (text) => (other ? `${shortTitle(other, ownOrigin(), t)}: ${text}` : text);
    this.#tellItems(facts, t, of);
    this.#tellBackground(facts, t, of);
    for (const fact of facts) {
      if (fact.type === 'agent_question') this.#ask(fact.reference, of(`${t(`asked.${fact.kind}`)}: ${questionTitle(fact, t)}`));
      // An answered question must not be announced again when its task is opened.
      if (fact.type === 'question_resolved' && fact.reference === this.#asked) this.#ask(null, '');
      // Facts of a called agent are announced with its call.
      const isOwn = (fact.root_run_id ?? fact.run_id) === fact.run_id;
      if (fact.type === 'agent_message' && isOwn) this.say(of(fact.text));
      if (fact.type === 'run_ended' && isOwn) this.say(of(t(`ended.${fact.outcome}`)));
    }
  }

  #ask(reference, text) {
    [this.#asked, this.#urgent.textContent] = [reference, text];
  }

  // Announces beginning and end of background tasks, changed plans, and a nearly used budget. Progress between
  // them can be read on demand.
  #tellBackground(facts, t, of) {
    const lines = [];
    for (const fact of facts.filter(({ event }) => event in ENTRIES)) {
      const again = this.#plans.has(fact.run_id);
      if (this.#isNews(fact)) lines.push(line({ ...ENTRIES[fact.event](fact), again }, t));
    }
    if (lines.length) this.say(of(lines.join('; ')));
  }

  #isNews({ event, data, run_id: runId }) {
    if (event === 'task') return !isActive(data.status) || !(data.progress > 0);
    if (event !== 'plan') return true;
    const [text, before] = [wordsOf(data.items ?? []), this.#plans.get(runId)];
    this.#plans.set(runId, text);
    return text !== before;
  }

  // Joins several items into one sentence, and omits queued ones.
  #tellItems(facts, t, of) {
    const items = facts.filter((fact) => fact.event === 'item' && fact.data?.status !== 'waiting');
    const lines = items.map(({ data }) => `${t.agent(data.agent ?? '')}: ${t(`item.state.${data.status}`)}`);
    if (lines.length) this.say(of(lines.join('; ')));
  }

  title({ t, route, liveRun, question, questionReadonly, waitingCount, editing, form, title, loading }) {
    const waiting = waitingCount > 0 ? `(${waitingCount}) ` : '';
    if (question && !questionReadonly) return `${waitingCount > 1 ? waiting : ''}● ${t('title.question')} · Askfirst`;
    if (route === 'run' && liveRun && title) {
      const isUnknown = loading && liveRun.startedAt === null; // nothing has been read of the task yet
      const busy = !isUnknown && isActive(liveRun.status) ? '▸ ' : '';
      return `${waiting}${busy}${isUnknown ? t('loading') : statusWord(liveRun.status, t)}: ${taskTitle(title, ownOrigin())} · Askfirst`;
    }
    const page = { permissions: 'grants.title', agents: 'agents.title', browsers: 'browsers.title', model: 'model.title' }[route];
    const agent = route === 'editor' ? editing.name : route === 'form' ? form?.name : null;
    return page || agent ? `${waiting}${agent ?? t(page)} · Askfirst` : `${waiting}Askfirst`;
  }
}
