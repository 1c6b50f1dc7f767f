// Undo history: past, present and future states. Successive changes with the same `key` are one step.

const TOGETHER_MS = 1500;
const MOST = 200;

export const begin = (present) => ({ past: [], present, future: [], key: null, at: -Infinity });

export function commit(history, present, key = null, at = 0) {
  if (present === history.present) return history;
  const together = key !== null && key === history.key && at - history.at < TOGETHER_MS;
  const past = together ? history.past : [...history.past, history.present].slice(-MOST);
  return { past, present, future: [], key, at };
}

/** Replaces the present without a step of its own. */
export const replacePresent = (history, present) => ({ ...history, present });

export function undo(history) {
  if (history.past.length === 0) return history;
  return { past: history.past.slice(0, -1), present: history.past.at(-1), future: [history.present, ...history.future], key: null, at: -Infinity };
}

export function redo(history) {
  if (history.future.length === 0) return history;
  return { past: [...history.past, history.present], present: history.future[0], future: history.future.slice(1), key: null, at: -Infinity };
}
