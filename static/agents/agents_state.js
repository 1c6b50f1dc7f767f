// State of agents without their runs: list, run form, editor and open question. Elements send intents and read
// `view`.

import * as api from '../transport/api.js';
import * as lanes from './spec/lanes.js';
import * as variables from './spec/variables.js';
import { draftOf } from './editor/draft_storage.js';
import { Editor } from './editor/editor_state.js';
import { remembered } from '../shared/preferences.js';
import { refusal } from '../shared/text/refusal.js';
import { TaskScope } from '../transport/task_scope.js';
import { copyOf, newSpec, translateTitle, withFields } from './spec/spec.js';
import { fieldsOf, fromInput, assignFaults, toInput } from './spec/input_form.js';

const AGAIN_MS = 5_000; // pause after a failed reading
const FRESH_MS = 15_000; // files are also edited on disk

const OPS = { ...lanes, ...variables, setFields: withFields };

export class AgentsState {
  agents = { items: null, error: null };
  form = null; // { name, agent, values, faults, busy, error }
  dialogQuestion = null; // question over the page: { kind, … }
  #route = {};
  #repeat = null; // agent, values and files of a run to repeat, for the next form
  #specs = new Map(); // specs of agents whose runs are shown; null: cannot be read
  #on;

  #scope;

  /** `on`: { changed(), notice(error), go(hash), words() }; `scope`: scope of the open task. */
  constructor(on, scope = new TaskScope()) {
    this.#on = on;
    this.#scope = scope;
    this.editor = new Editor({ changed: on.changed, refused: on.notice, saved: (name) => this.#saved(name) });
    setInterval(() => document.hidden || this.#route.route !== 'agents' || this.load(), FRESH_MS);
  }

  get view() {
    return { agents: this.agents, drafts: this.#drafts(), form: this.form, dialogQuestion: this.dialogQuestion, editing: this.editor.view };
  }

  #draftList = [];
  // Replaces the list only if an element of it differs, because elements compare by identity.
  #drafts() {
    const names = remembered('draft.').sort();
    if (names.join() !== this.#draftList.map(({ name }) => name).join()) this.#draftList = names.map((name) => ({ name, spec: draftOf(name)?.doc.spec ?? null }));
    return this.#draftList;
  }

  show(route) {
    this.#route = route;
    this.dialogQuestion = null;
    this.load();
    if (route.route === 'editor') this.editor.open(route.name);
    if (route.route === 'form') this.#openForm(route.name);
    else if (this.form) this.form = { ...this.form, faults: {} };
  }

  async load() {
    try {
      const items = await api.agents();
      if (JSON.stringify(items) === JSON.stringify(this.agents.items)) return;
      this.agents = { items, error: null };
    } catch (error) {
      this.agents = this.agents.items ? this.agents : { items: null, error };
    }
    this.#on.changed();
  }

  titleOf(name, locale, title) {
    return translateTitle(title, (this.agents.items ?? []).find((agent) => agent.name === name) ?? { name }, locale);
  }

  #saved(name) {
    this.#specs.delete(name);
    return this.load();
  }

  /** Returns the spec from which a run's lanes are drawn; undefined while it is being read. */
  specOf(name, version = null) {
    const key = version ? `${name}@${version}` : name;
    if (!this.#specs.has(key)) {
      this.#specs.set(key, undefined);
      this.#readSpec(key, name, version);
    }
    return this.#specs.get(key);
  }

  async #readSpec(key, name, version) {
    const spec = await api.agent(name, version).then(({ body }) => body, (error) => {
      // A missing agent stays missing until it is saved; after a lost connection the reading is repeated.
      if (error.status !== 404) setTimeout(() => this.#forgetFailed(key), AGAIN_MS);
      return null;
    });
    this.#specs.set(key, spec);
    this.#on.changed();
  }

  #forgetFailed(key) {
    if (this.#specs.get(key) !== null) return; // saved and read again meanwhile
    this.#specs.delete(key);
    this.#on.changed();
  }

  /** Forgets the specs of runs, any of which may have been saved again. */
  forgetSpecs() {
    this.#specs.clear();
  }

  // ------------------------------------------------------------- the form

  async #openForm(name) {
    if (this.form?.name === name && !this.form.error) return;
    this.form = { name, agent: null, values: {}, faults: {}, busy: false, error: null };
    const given = this.#repeat?.agent === name ? this.#repeat.input : null;
    this.#repeat = null;
    try {
      const { body } = await api.agent(name);
      if (this.form.name === name) this.form = { ...this.form, agent: body, values: fromInput(fieldsOf(body), given) };
    } catch (error) {
      if (this.form.name === name) this.form = { ...this.form, error };
    }
    this.#on.changed();
  }

  async #run() {
    const { agent, values, busy } = this.form;
    if (!agent || busy) return;
    const { input, faults } = toInput(fieldsOf(agent), values);
    this.form = { ...this.form, faults, tried: (this.form.tried ?? 0) + 1 };
    if (Object.keys(faults).length) return;
    input.locale ??= this.#on.words().locale; // the language of the page
    this.form = { ...this.form, busy: true };
    try {
      const { run_id: run } = await api.startRun(agent.name, input);
      if (this.form?.agent !== agent) return; // the form of another agent is open
      this.form = null; // the next run begins with an empty form
      if (this.#route.route !== undefined && this.#route.route !== 'form') return; // another page is open
      this.#on.go(`#/runs/${run}`);
    } catch (error) {
      if (this.form?.agent !== agent) return this.#on.notice(error);
      const found = assignFaults(error, fieldsOf(agent));
      this.form = { ...this.form, busy: false, faults: found, tried: this.form.tried + 1 };
      if (error.code !== 'bad_input' && (!error.faults.length || found[''])) this.#on.notice(error);
    }
  }

  // ------------------------------------------------------------ intents

  async #create(spec) {
    this.editor.openNew(spec);
    this.dialogQuestion = null;
    this.#on.go(`#/agents/${spec.name}`);
  }

  async #copy({ from, as }) {
    const { body } = await api.agent(from);
    return this.#create(copyOf(body, as));
  }

  async #delete(name) {
    this.dialogQuestion = null;
    const isFile = (this.agents.items ?? []).some((agent) => agent.name === name);
    if (isFile) await api.deleteAgent(name);
    this.editor.forget(name);
    await this.load();
    if (this.#route.name === name) this.#on.go('#/agents');
  }

  /** Adds to the question about deleting an agent the agents that call it. */
  async #users(question) {
    const others = (this.agents.items ?? []).filter(({ kind, name }) => kind === 'composite' && name !== question.agent);
    const specs = await Promise.all(others.map(({ name }) => api.agent(name).then(({ body }) => body, () => ({}))));
    const users = specs.filter((spec) => lanes.itemsOf(spec).some(({ item }) => item.agent === question.agent)).map(({ name }) => name);
    if (this.dialogQuestion !== question || !users.length) return;
    this.dialogQuestion = { ...question, users };
    this.#on.changed();
  }

  #offer(run) {
    const take = (offer) => { this.dialogQuestion = { kind: 'keep', run, offer }; this.#on.changed(); };
    return this.#scope.read((signal) => api.agentOfRun(run, signal), take, this.#on.notice);
  }

  /** Saves a run as an agent. The question stays open until the service accepts, and shows what it refuses. */
  async #keep({ run, fields }) {
    const question = { ...this.dialogQuestion, busy: true, refused: null };
    const go = this.#scope.bound(this.#on.go);
    this.dialogQuestion = question;
    try {
      const { name } = await api.saveRun(run, fields);
      if (this.dialogQuestion === question) this.dialogQuestion = null;
      await this.load();
      go(`#/agents/${name}`);
    } catch (error) {
      if (this.dialogQuestion !== question) return this.#on.notice(error);
      const { title, advice } = refusal(error, this.#on.words());
      this.dialogQuestion = { ...question, busy: false, refused: `${title} ${advice}`.trim() };
    }
    return undefined;
  }

  async #runSaved() {
    const { name, dirty } = this.editor.view;
    if (dirty && !(await this.editor.save())) return;
    this.form = null;
    this.#on.go(`#/agents/${name}/run`);
  }

  /** Intents of elements, by name. */
  intents = {
    reloadAgents: () => this.load(),
    fill: ({ field, value }) => { this.form = { ...this.form, values: { ...this.form.values, [field]: value }, faults: { ...this.form.faults, [field]: undefined } }; },
    runForm: () => this.#run(),
    again: ({ agent, input }) => { this.form = null; this.#repeat = { agent, input }; this.#on.go(`#/agents/${agent}/run`); },
    ask: ({ question }) => { this.dialogQuestion = question; if (question?.kind === 'delete') this.#users(question); },
    newAgent: ({ fields }) => this.#create(newSpec(fields)),
    copyAgent: (detail) => this.#copy(detail).catch(this.#on.notice),
    offerAgent: ({ run }) => this.#offer(run),
    keepRun: (detail) => this.#keep(detail),
    deleteAgent: ({ agent }) => this.#delete(agent).catch(this.#on.notice),
    edit: ({ op, args, key }) => this.editor.edit((spec) => OPS[op](spec, ...args), key ?? null),
    write: ({ text }) => this.editor.type(text),
    undo: () => this.editor.undo(),
    redo: () => this.editor.redo(),
    reopen: () => this.editor.open(this.#route.name),
    unread: () => this.editor.restoreReadable(),
    save: (detail) => this.editor.save(detail),
    discard: () => this.editor.discard(),
    settle: ({ patch }) => this.editor.set(patch),
    runSaved: () => this.#runSaved(),
  };
}
