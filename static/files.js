// The files of each task: what the person attached and what the agent
// downloaded. A file for a task that has not begun is given to the service at
// once and waits there; it stays attached here until the task has it.

import * as api from './transport/api.js';

export class Files {
  attached = []; // { key, file, id, state: 'sending' | 'ready' | 'failed', error }, replaced as a whole
  #lists = {}; // root id → [{ name, size }]
  #sent = new Set(); // keys of those that went with an order that has not begun
  #uploads = new Map(); // key → promise
  #key = 0;

  constructor(changed, refused) {
    this.changed = changed;
    this.refused = refused;
  }

  of(rootId) {
    return this.#lists[rootId] ?? [];
  }

  async load(rootId) {
    try {
      this.#lists[rootId] = (await api.files(rootId)).items;
    } catch {
      return; // a run that is gone, or a lost connection: both are told elsewhere
    }
    this.changed();
  }

  // ------------------------------------------------- with the next message

  /** `ahead`: the task has not begun, so they are given at once. */
  attach(files, ahead) {
    const entries = [...files].map((file) => ({ key: ++this.#key, file, id: null, state: 'ready', error: null }));
    this.#replace([...this.attached, ...entries]);
    if (ahead) for (const { key } of entries) this.#stage(key);
  }

  detach(key) {
    const entry = this.#entry(key);
    this.#replace(this.attached.filter((one) => one.key !== key));
    if (entry?.id) api.unstageFile(entry.id).catch(() => {}); // it is gone after a day in any case
  }

  /** Waits until the service has them all; their ids, or null if it did not take one. */
  async ahead() {
    for (const { key, id, state } of this.attached) if (!id && state !== 'sending') this.#stage(key);
    await Promise.all(this.#uploads.values());
    if (this.attached.some((entry) => !entry.id)) return null;
    this.#sent = new Set(this.attached.map((entry) => entry.key));
    return this.attached.map((entry) => entry.id);
  }

  /** The task has begun and has them. */
  started(rootId) {
    const had = this.#sent.size > 0;
    this.#replace(this.attached.filter((entry) => !this.#sent.has(entry.key)));
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
    const had = this.attached.length > 0;
    try {
      for (const { key, file } of this.attached) {
        await api.giveFile(rootId, file);
        this.detach(key);
      }
      return true;
    } catch (error) {
      this.refused(error);
      return false;
    } finally {
      if (had) this.load(rootId);
    }
  }

  #entry(key) {
    return this.attached.find((entry) => entry.key === key);
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
    this.#replace(this.attached.map((entry) => (entry.key === key ? { ...entry, ...fields } : entry)));
  }

  #replace(attached) {
    this.attached = attached;
    this.changed();
  }

  /** Reads the list again when something was downloaded. */
  hear(facts, rootOf) {
    const changed = facts.filter((fact) => fact.event === 'action_finished' && fact.data?.files?.length);
    for (const rootId of new Set(changed.map(rootOf))) this.load(rootId);
  }
}
