// State of the model connection page: connected endpoint, its models, and the report of the last test.

import * as api from '../transport/api.js';
import { bodyOf, isSameModel } from './model_form.js';

export class ModelConnectionState {
  view = { modelChoice: { names: null }, modelState: null, modelForm: { busy: null, error: null, list: null, report: null, saved: false } };
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
    };
  }

  show({ route }) {
    if (route === 'model') this.load();
  }

  // Reads the models once, when somebody is about to choose; retried after a failure.
  async #names() {
    if (this.view.modelChoice.names) return;
    const asking = { names: [] };
    this.view = { ...this.view, modelChoice: asking };
    const names = await api.models().then((found) => found.models, () => null);
    if (this.view.modelChoice !== asking) return; // another endpoint was connected meanwhile
    this.view = { ...this.view, modelChoice: { names } };
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
    const structured = report && isSameModel(report.of, fields) ? report.structured : null;
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
    this.view = { ...this.view, modelChoice: { names: null } };
    this.#on.connected();
  }

  // Runs one call at a time; the last result stays until there is a newer one.
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
