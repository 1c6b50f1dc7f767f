// The connection of a model as the page sets it: what is connected, the models that an endpoint
// offers, and what a trial of it has found.

import * as api from './transport/api.js';
import { bodyOf, fits } from './models/modelform.js';

export class Connecting {
  view = { modelChoice: { names: null, chosen: null }, modelState: null, modelForm: { busy: null, error: null, list: null, report: null, saved: false } };
  #on;

  /** `on`: { changed(), connected(), locale() } */
  constructor(on) {
    this.#on = on;
  }

  get intents() {
    return {
      listModels: ({ fields }) => this.#work('list', async () => ({ list: (await api.modelsOf(bodyOf(fields, this.view.modelState))).models })),
      testModel: ({ fields }) => this.#work('test', async () => ({ report: { ...await api.testModel({ ...bodyOf(fields, this.view.modelState), locale: this.#on.locale() }), of: fields } })),
      saveModel: ({ fields }) => this.#work('save', () => this.#save(fields)),
      removeModel: () => this.#work('remove', () => this.#remove()),
      reloadModel: () => this.load(),
      nameModels: () => this.#names(),
      chooseModel: ({ name }) => this.choose(name),
    };
  }

  show({ route }) {
    if (route === 'model') this.load();
  }

  /** The model of the next task alone; null: the one for all. */
  choose(name) {
    this.view = { ...this.view, modelChoice: { ...this.view.modelChoice, chosen: name || null } };
    this.#on.changed();
  }

  // Asked for once, when somebody is about to choose; without a list there is only the one for all.
  async #names() {
    if (this.view.modelChoice.names) return;
    this.view = { ...this.view, modelChoice: { ...this.view.modelChoice, names: [] } };
    const names = await api.models().then((found) => found.models, () => []);
    this.view = { ...this.view, modelChoice: { ...this.view.modelChoice, names } };
    this.#on.changed();
  }

  async load() {
    try {
      this.#set({}, await api.model());
    } catch (error) {
      this.#set({ error });
    }
  }

  async #save(fields) {
    const { report } = this.view.modelForm;
    const structured = report && fits(report.of, fields) ? report.structured : null;
    this.#set({}, await api.connectModel({ ...bodyOf(fields, this.view.modelState), ...(structured ? { structured } : {}) }));
    this.#connected();
    return { saved: true };
  }

  async #remove() {
    this.#set({ list: null, report: null }, await api.removeModel());
    this.#connected();
    return { saved: false };
  }

  #connected() {
    this.view = { ...this.view, modelChoice: { names: null, chosen: null } };
    this.#on.connected();
  }

  // One at a time; what was found before stays until there is something newer.
  async #work(busy, work) {
    if (this.view.modelForm.busy) return;
    this.#set({ busy, error: null, saved: false });
    try {
      this.#set({ ...await work(), busy: null });
    } catch (error) {
      this.#set({ busy: null, error, ...(busy === 'list' ? { list: null } : {}) });
    }
  }

  #set(form, state = this.view.modelState) {
    this.view = { ...this.view, modelState: state, modelForm: { ...this.view.modelForm, ...form } };
    this.#on.changed();
  }
}
