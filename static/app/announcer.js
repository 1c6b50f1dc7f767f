// What a screen reader is told, and what the tab's title says: words of the
// agent and its end politely, a question at once. The rest can be read in the
// transcript; telling every click would drown what matters.

import { shortTitle, statusWord, taskTitle } from '../shared/text/format.js';
import { line } from '../chat/entry_text.js';
import { questionTitle } from '../question/question_text.js';
import { wordsOf } from '../plan/plan.js';
import { isActive } from '../shared/run_status.js';
import { noTasks, reduceTasks } from '../background_tasks/tasks.js';
import { ownOrigin } from '../transport/service.js';

/** What the talk would have a line for. */
const ENTRIES = {
  plan: ({ data }) => ({ kind: 'plan', n: (data.items ?? []).length }),
  task: (fact) => ({ kind: 'task', task: Object.values(reduceTasks(noTasks, fact))[0] }),
  budget: ({ data }) => ({ kind: 'budget', ...data }),
};

export class Announcer {
  #polite;
  #urgent;
  #plans = new Map(); // run id -> what its plan says
  #asked = null; // reference of the question that was said last

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

  /** Facts of one task; `other`: its title, where another one is open. */
  tell(facts, t, other = null) {
    const of = (text) => (other ? `${shortTitle(other, ownOrigin(), t)}: ${text}` : text);
    this.#tellItems(facts, t, of);
    this.#tellBackground(facts, t, of);
    for (const fact of facts) {
      if (fact.type === 'agent_question') this.#ask(fact.reference, of(`${t(`asked.${fact.kind}`)}: ${questionTitle(fact, t)}`));
      // Whoever comes to it later must not be asked again.
      if (fact.type === 'question_resolved' && fact.reference === this.#asked) this.#ask(null, '');
      // Of a called agent its call tells.
      const isOwn = (fact.root_run_id ?? fact.run_id) === fact.run_id;
      if (fact.type === 'agent_message' && isOwn) this.say(of(fact.text));
      if (fact.type === 'run_ended' && isOwn) this.say(of(t(`ended.${fact.outcome}`)));
    }
  }

  #ask(reference, text) {
    [this.#asked, this.#urgent.textContent] = [reference, text];
  }

  // What goes on in the background: its beginning and its end. How far it is in between is there to be asked
  // for. Of a plan, that it is another; of a budget, that little is left.
  #tellBackground(facts, t, of) {
    const said = [];
    for (const fact of facts.filter(({ event }) => event in ENTRIES)) {
      const again = this.#plans.has(fact.run_id);
      if (this.#isNews(fact)) said.push(line({ ...ENTRIES[fact.event](fact), again }, t));
    }
    if (said.length) this.say(of(said.join('; ')));
  }

  #isNews({ event, data, run_id: runId }) {
    if (event === 'task') return !isActive(data.status) || !(data.progress > 0);
    if (event !== 'plan') return true;
    const [said, before] = [wordsOf(data.items ?? []), this.#plans.get(runId)];
    this.#plans.set(runId, said);
    return said !== before;
  }

  // Several at once are one sentence; that something waits its turn is no news.
  #tellItems(facts, t, of) {
    const items = facts.filter((fact) => fact.event === 'item' && fact.data?.status !== 'waiting');
    const said = items.map(({ data }) => `${t.agent(data.agent ?? '')}: ${t(`item.state.${data.status}`)}`);
    if (said.length) this.say(of(said.join('; ')));
  }

  title({ t, route, liveRun, question, questionReadonly, waitingCount, editing, form, title }) {
    const waiting = waitingCount > 0 ? `(${waitingCount}) ` : '';
    if (question && !questionReadonly) return `${waitingCount > 1 ? waiting : ''}● ${t('title.question')} · Askfirst`;
    if (route === 'run' && liveRun && title) {
      const busy = isActive(liveRun.status) ? '▸ ' : '';
      return `${waiting}${busy}${statusWord(liveRun.status, t)}: ${taskTitle(title, ownOrigin())} · Askfirst`;
    }
    const page = { permissions: 'grants.title', agents: 'agents.title', browsers: 'browsers.title', model: 'model.title' }[route];
    const agent = route === 'editor' ? editing.name : route === 'form' ? form?.name : null;
    return page || agent ? `${waiting}${agent ?? t(page)} · Askfirst` : `${waiting}Askfirst`;
  }
}
