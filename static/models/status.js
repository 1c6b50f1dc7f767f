// The status words of a run (the last eight are outcomes: it has ended).

const ACTIVE = new Set(['queued', 'running', 'waiting', 'paused']);

export const isActive = (status) => ACTIVE.has(status);

/** Tasks as a person sees them: whichever has a child that waits for them, waits for them. */
export function withAsked(roots, waiting) {
  const asked = new Set((waiting ?? []).map((run) => run.root_run_id));
  return roots.map((run) => (run.status === 'running' && asked.has(run.run_id) ? { ...run, status: 'waiting' } : run));
}
