// State of the comparison: possible runs, and the result.

import * as api from '../../transport/api.js';
import { TaskScope } from '../../transport/task_scope.js';

export class CompareState {
  comparison = { id: null, other: null, found: null, error: null };
  #changed;
  #scope = new TaskScope();

  constructor(changed) {
    this.#changed = changed;
  }

  async open(id, other) {
    if (this.#isOf(id, other) && this.comparison.found) return;
    this.#scope.enter(`${id}/${other}`);
    this.#show({ id, other, found: null, error: null });
    const work = (signal) => Promise.all([api.compare(id, other, signal), Promise.all([api.run(id, signal), api.run(other, signal)])]);
    await this.#scope.read(work, ([found, runs]) => this.#show({ id, other, found, runs, error: null }), (error) => this.#show({ id, other, found: null, error }));
  }

  #show(comparison) {
    this.comparison = comparison;
    this.#changed();
  }

  #isOf(id, other) {
    return this.comparison.id === id && this.comparison.other === other;
  }
}

/** Returns runs to compare with: those of the same agent first. */
export async function comparable(run, id, signal) {
  const [same, all] = await Promise.all([api.runsOf(run.agent, signal), api.runs({ limit: 20, signal })]);
  const known = new Set([id]);
  return [...same.items, ...all.items].filter((one) => !known.has(one.run_id) && known.add(one.run_id));
}
