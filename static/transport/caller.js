// Identity of this window for the service: an id that survives reloads, and the name of the browser. It marks
// answers as this window's own.

const KEY = 'askfirst.window';
const WAIT_MS = 500; // a reloading window releases its id within this time

let own = stored() ?? fresh();
let release = () => {};

function stored() {
  try { return sessionStorage.getItem(KEY); } catch { return null; } // storage may be forbidden
}

function fresh() {
  const id = globalThis.crypto?.randomUUID?.() ?? `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
  try { sessionStorage.setItem(KEY, id); } catch { /* then it lives until the next reload */ }
  return id;
}

/** Makes the id unique to this window: a duplicated tab begins with the id of its original. */
export async function claimWindow(locks = globalThis.navigator?.locks) {
  if (!locks) return;
  if (!(await held(locks))) {
    own = fresh();
    await held(locks);
  }
}

function held(locks) {
  return new Promise((done) => {
    locks.request(`${KEY}.${own}`, { signal: AbortSignal.timeout(WAIT_MS) }, () => {
      done(true);
      return new Promise((let_go) => { release = let_go; });
    }).catch(() => done(false));
  });
}

// A page in the back/forward cache must hold nothing.
globalThis.addEventListener?.('pagehide', () => release());
globalThis.addEventListener?.('pageshow', (event) => { if (event.persisted) claimWindow(); });

/** Names browser and system, such as `Chrome, Linux`. */
export function browserName(agent = globalThis.navigator?.userAgent ?? '') {
  const browser = [['Edg/', 'Edge'], ['OPR/', 'Opera'], ['Firefox/', 'Firefox'], ['Chrome/', 'Chrome'], ['Safari/', 'Safari']].find(([mark]) => agent.includes(mark))?.[1];
  const system = [['Android', 'Android'], ['iPhone', 'iPhone'], ['iPad', 'iPad'], ['Windows', 'Windows'], ['Mac OS', 'macOS'], ['Linux', 'Linux']].find(([mark]) => agent.includes(mark))?.[1];
  return [browser, system].filter(Boolean).join(', ');
}

/** Returns the identity for `hello`. */
export const caller = () => ({ id: own, kind: 'page', name: browserName() || null });

/** Returns the identity as a header of HTTP requests. */
export const callerHeader = () => ({ 'x-askfirst-client': `page/${own} ${browserName()}`.trim() });
