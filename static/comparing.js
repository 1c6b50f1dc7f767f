// Two runs beside each other: which they can be, and what was found of them.

import * as api from './transport/api.js';

export class Comparing {
  comparison = { id: null, other: null, found: null, error: null };
  #changed;

  constructor(changed) {
    this.#changed = changed;
  }

  async open(id, other) {
    if (this.#isOf(id, other) && this.comparison.found) return;
    this.comparison = { id, other, found: null, error: null };
    this.#changed();
    try {
      const [found, runs] = await Promise.all([api.compare(id, other), Promise.all([api.run(id), api.run(other)])]);
      if (this.#isOf(id, other)) this.comparison = { id, other, found, runs, error: null };
    } catch (error) {
      if (this.#isOf(id, other)) this.comparison = { id, other, found: null, error };
    }
    this.#changed();
  }

  #isOf(id, other) {
    return this.comparison.id === id && this.comparison.other === other;
  }
}

/** What a run can be compared with: runs of the same agent first. */
export async function comparable(run, id) {
  const [same, all] = await Promise.all([api.runsOf(run.agent), api.runs({ limit: 20 })]);
  const known = new Set([id]);
  return [...same.items, ...all.items].filter((one) => !known.has(one.run_id) && known.add(one.run_id));
}
