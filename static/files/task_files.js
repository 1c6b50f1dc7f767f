// Files by task: given by the person or downloaded by the agent.

import { TaskScope } from '../transport/task_scope.js';
import * as api from '../transport/api.js';

export class TaskFiles {
  #lists = {}; // root id → [{ name, size }]

  /** `scope`: scope of the open task, the only one whose list is read. */
  constructor(changed, refused, scope = new TaskScope()) {
    this.changed = changed;
    this.refused = refused;
    this.scope = scope;
  }

  of(rootId) {
    return this.#lists[rootId] ?? [];
  }

  /** Reads the list of the open task; other tasks are read when they are opened. */
  async load(rootId) {
    if (rootId !== this.scope.key) return undefined;
    // Errors are ignored: a deleted run and a lost connection are shown elsewhere.
    return this.scope.read((signal) => api.files(rootId, signal), ({ items }) => { this.#lists[rootId] = items; this.changed(); });
  }

  /** Uploads files that the page of a task asks for; returns their stored names: all, or none if one was refused. */
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

  /** Reads the list again after a download. */
  hear(facts, rootOf) {
    const changed = facts.filter((fact) => fact.event === 'action_finished' && fact.data?.files?.length);
    for (const rootId of new Set(changed.map(rootOf))) this.load(rootId);
  }
}
