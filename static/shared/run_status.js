// Statuses of a run. The last eight are outcomes: the run has ended.

const ACTIVE = new Set(['queued', 'running', 'waiting', 'paused', 'resting']);

export const isActive = (status) => ACTIVE.has(status);

/** Reports whether a run waits for its children and asks nobody; it still accepts messages. */
export const isResting = (status, asks) => status === 'waiting' && !asks;

/** Returns tasks as a person sees them: a task with a waiting child is waiting. */
export function withWaiting(roots, waiting) {
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

/** Returns an icon, so that status does not depend on colour. */
export const stateIcon = (status) => ICONS[status] ?? 'dot';

/** Reports whether nothing works on a run, although its last event says that it is under way. */
export const standsStill = (why) => why?.reason === 'no_service';
