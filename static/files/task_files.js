// The files of each task: what the person gave and what the agent downloaded.

import { TaskScope } from '../transport/task_scope.js';
import * as api from '../transport/api.js';

export class TaskFiles {
  #lists = {}; // root id → [{ name, size }]

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

  /** Gives files that the page of a task asks for; answers with the names under which they are kept: all, or none where one was refused. */
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

  /** Reads the list again when something was downloaded. */
  hear(facts, rootOf) {
    const changed = facts.filter((fact) => fact.event === 'action_finished' && fact.data?.files?.length);
    for (const rootId of new Set(changed.map(rootOf))) this.load(rootId);
  }
}
