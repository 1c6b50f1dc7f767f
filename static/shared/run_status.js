// The status words of a run (the last eight are outcomes: it has ended).

const ACTIVE = new Set(['queued', 'running', 'waiting', 'paused', 'resting']);

export const isActive = (status) => ACTIVE.has(status);

/** A run that waits for what it has begun, and asks nobody: one can go on writing. */
export const isResting = (status, asks) => status === 'waiting' && !asks;

/** Tasks as a person sees them: whichever has a child that waits for them, waits for them. */
export function withAsked(roots, waiting) {
  const asked = new Set((waiting ?? []).filter((run) => run.question !== null).map((run) => run.root_run_id));
  return roots.map((run) => {
    if (run.status === 'running' && asked.has(run.run_id)) return { ...run, status: 'waiting' };
    return isResting(run.status, run.question || asked.has(run.run_id)) ? { ...run, status: 'resting' } : run;
  });
}

const ICONS = {
  idle: 'dot', unreached: 'dot', waiting: 'clock', queued: 'clock', running: 'spinner', asks: 'hand', paused: 'pause', succeeded: 'check', partial: 'check',
  skipped: 'skip', failed: 'cross', denied: 'shield', blocked: 'alert', exhausted: 'alert', cancelled: 'stop',
};

/** An icon for each state: colours alone say nothing to some. */
export const stateIcon = (status) => ICONS[status] ?? 'dot';
