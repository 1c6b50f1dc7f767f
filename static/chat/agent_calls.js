// Calls of agents in a transcript. Everything that a called agent did and said is within one entry, the call,
// so that only messages of the transcript's own run read as an answer to the person.
//
// Call: { key, kind: 'call', runId, agent, seq, at, state, outcome, response, result, error, thoughts, files, inner }

const PERSONAL = new Set(['question', 'user']); // kinds that belong to the person, in any run

/**
 * Makes a function of (entries, runs, own) that groups entries into calls. An unchanged call stays the same
 * object.
 */
export function callsOf() {
  let before = new Map();
  return (entries, runs, own) => {
    const calls = new Map();
    const shown = nested(entries, runs, own, calls);
    if (calls.size === 0) return entries;
    const kept = new Map();
    const same = (entry) => (entry.kind === 'call' ? keep(settled(entry, runs[own]), before, kept, same) : entry);
    const out = shown.map(same);
    before = kept;
    return out;
  };
}

function nested(entries, runs, own, calls) {
  const out = [];
  const placeOf = (id) => (id === own ? out : calls.get(id)?.inner ?? out);
  for (const entry of entries) {
    const call = calls.get(entry.runId);
    if (entry.kind === 'child' && entry.runId !== own) begin(entry, runs, calls, placeOf(runs[entry.runId]?.parent));
    else if (!call || PERSONAL.has(entry.kind)) out.push(entry);
    else if (entry.kind === 'childended') Object.assign(call, { outcome: entry.outcome, response: entry.response });
    else call.inner.push(entry);
  }
  return out;
}

// Begins a call, in the place of the action that calls the agent.
function begin({ runId, agent, seq, at }, runs, calls, among) {
  const { parent, input } = runs[runId] ?? {};
  const candidates = among.filter((one) => one.kind === 'action' && one.runId === parent && one.action === agent);
  const action = candidates.findLast((one) => Object.entries(one.params).every(([name, value]) => JSON.stringify(value) === JSON.stringify(input?.[name]))) ?? candidates.at(-1);
  const before = among.findLast((one) => one.kind === 'call' && one.action !== null && one.agent === agent && runs[one.runId]?.parent === parent);
  if (!action && before) return addRetry(before, { runId, agent, seq, at }, calls);
  const call = { key: `call:${runId}`, kind: 'call', runId, agent, seq, at, outcome: null, response: null, action: action ?? null, inner: [] };
  calls.set(runId, call);
  if (action) among.splice(among.indexOf(action), 1, call);
  else among.push(call);
}

// Adds a retry of the same action to its call.
function addRetry(call, { runId, agent, seq, at }, calls) {
  Object.assign(call, { outcome: null, response: null });
  call.inner.push({ key: `child:${seq}`, kind: 'child', runId, agent, seq, at });
  calls.set(runId, call);
}

const GOOD = new Set(['succeeded', 'partial']);

// Adds the result. The caller's record counts if the called run has no end of its own, as after a crash.
function settled({ action, ...call }, own) {
  const byAction = { ok: 'succeeded', failed: 'failed', stopped: 'cancelled' }[action?.state];
  const outcome = call.outcome ?? byAction ?? (own?.outcome ? 'cancelled' : null);
  const state = outcome === null ? 'running' : GOOD.has(outcome) ? 'ok' : outcome === 'cancelled' ? 'stopped' : 'failed';
  return { ...call, outcome, state, thoughts: action?.thoughts ?? [], result: action?.result ?? null, error: action?.error ?? null, files: action?.files ?? [] };
}

function keep(call, before, kept, same) {
  const now = { ...call, inner: call.inner.map(same) };
  const old = before.get(now.key);
  const found = old && isSame(old, now) ? old : now;
  kept.set(now.key, found);
  return found;
}

const isSame = ({ inner: one, ...old }, { inner: other, ...now }) =>
  one.length === other.length && one.every((entry, at) => entry === other[at]) && Object.keys(now).every((key) => now[key] === old[key] || isEmpty(now[key], old[key]));

const isEmpty = (...lists) => lists.every((list) => Array.isArray(list) && list.length === 0);

/** Returns the final message of the agent: { html, text }, or null. */
export const answerOf = ({ inner }) => inner.findLast((entry) => entry.kind === 'message' && entry.final) ?? null;

/** Returns the last entry that shows what the call is doing. */
export const underWay = ({ inner }) => inner.findLast((entry) => entry.kind !== 'thoughts' && entry.kind !== 'budget') ?? null;
