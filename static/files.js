// The files of each task: what the person attached and what the agent
// downloaded. A file for a task that has not begun is given to the service at
// once and waits there; it stays attached here until the task has it.

import { TaskScope } from './models/scope.js';
import * as api from './transport/api.js';

const NONE = [];

export class Files {
  #lists = {}; // root id → [{ name, size }]
  #attached = []; // { key, of, file, id, state: 'sending' | 'ready' | 'failed', error }; `of`: the task's root, null: a new one
  #byTask = new Map(); // `of` → its entries, replaced as a whole
  #sent = new Set(); // keys of those that went with an order that has not begun
  #uploads = new Map(); // key → promise
  #key = 0;

  /** `scope`: the open task's, as the list is read for it alone. */
  constructor(changed, refused, scope = new TaskScope()) {
    this.changed = changed;
    this.refused = refused;
    this.scope = scope;
  }

  of(rootId) {
    return this.#lists[rootId] ?? [];
  }

  /** Of a task that is not open nothing is read; it is when it is opened. */
  async load(rootId) {
    if (rootId !== this.scope.key) return undefined;
    // A run that is gone, or a lost connection: both are told elsewhere.
    return this.scope.read((signal) => api.files(rootId, signal), ({ items }) => { this.#lists[rootId] = items; this.changed(); });
  }

  // ------------------------------------------------- with the next message

  /** Those that go with the next message to this task; null: to a new one. */
  attachedTo(of) {
    return this.#byTask.get(of) ?? NONE;
  }

  /** Those of a task that has not begun are given at once. */
  attach(files, of) {
    const entries = [...files].map((file) => ({ key: ++this.#key, of, file, id: null, state: 'ready', error: null }));
    this.#replace([...this.#attached, ...entries]);
    if (of === null) for (const { key } of entries) this.#stage(key);
  }

  detach(key) {
    const entry = this.#entry(key);
    this.#replace(this.#attached.filter((one) => one.key !== key));
    if (entry?.id) api.unstageFile(entry.id).catch(() => {}); // it is gone after a day in any case
  }

  /** Waits until the service has all that go with a new task; their ids, or null if it did not take one. */
  async ahead() {
    for (const { key, id, state } of this.attachedTo(null)) if (!id && state !== 'sending') this.#stage(key);
    await Promise.all(this.#uploads.values());
    const entries = this.attachedTo(null);
    if (entries.some((entry) => !entry.id)) return null;
    this.#sent = new Set(entries.map((entry) => entry.key));
    return entries.map((entry) => entry.id);
  }

  /** The task has begun and has them; those that were attached meanwhile are for it, too. */
  started(rootId) {
    const had = this.#sent.size > 0;
    const rest = this.#attached.filter((entry) => !this.#sent.has(entry.key));
    this.#replace(rest.map((entry) => (entry.of === null ? { ...entry, of: rootId } : entry)));
    this.#sent = new Set();
    if (had) this.load(rootId);
  }

  /** Nobody knows whether the service still has them: they are given once more. */
  notStarted() {
    const again = [...this.#sent];
    this.#sent = new Set();
    for (const key of again) this.#stage(key);
  }

  /** Gives all that are attached to a task; true when it has them. What it has is not attached any more. */
  async give(rootId) {
    const entries = this.attachedTo(rootId);
    try {
      for (const { key, file } of entries) {
        await api.giveFile(rootId, file);
        this.detach(key);
      }
      return true;
    } catch (error) {
      this.refused(error);
      return false;
    } finally {
      if (entries.length) this.load(rootId);
    }
  }

  /** Gives them, and answers with the names under which they are kept: all, or none where one was refused. */
  async giveToPage(rootId, files) {
    const names = [];
    try {
      for (const file of files) names.push((await api.giveFile(rootId, file)).name);
      return names;
    } catch (error) {
      this.refused(error);
      return [];
    } finally {
      if (files.length) this.load(rootId);
    }
  }

  #entry(key) {
    return this.#attached.find((entry) => entry.key === key);
  }

  #stage(key) {
    const upload = this.#upload(key).finally(() => this.#uploads.delete(key));
    this.#uploads.set(key, upload);
  }

  async #upload(key) {
    this.#change(key, { id: null, state: 'sending', error: null });
    try {
      const { id } = await api.stageFile(this.#entry(key).file);
      if (!this.#entry(key)) api.unstageFile(id).catch(() => {}); // taken back meanwhile
      this.#change(key, { id, state: 'ready' });
    } catch (error) {
      this.#change(key, { state: 'failed', error });
      this.refused(error);
    }
  }

  #change(key, fields) {
    this.#replace(this.#attached.map((entry) => (entry.key === key ? { ...entry, ...fields } : entry)));
  }

  #replace(attached) {
    this.#attached = attached;
    this.#byTask = new Map();
    for (const entry of attached) this.#byTask.set(entry.of, [...this.attachedTo(entry.of), entry]);
    this.changed();
  }

  /** Reads the list again when something was downloaded. */
  hear(facts, rootOf) {
    const changed = facts.filter((fact) => fact.event === 'action_finished' && fact.data?.files?.length);
    for (const rootId of new Set(changed.map(rootOf))) this.load(rootId);
  }
}
