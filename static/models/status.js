// The status words of a run (the last eight are outcomes: it has ended).

const ACTIVE = new Set(['queued', 'running', 'waiting', 'paused']);

export const isActive = (status) => ACTIVE.has(status);
