// This window as the service knows it: an id that lives as long as the window, reloads
// included, and the name of the browser. By it an answer is known as this window's own.

const KEY = 'askfirst.window';
const WAIT_MS = 500; // a window that is being reloaded lets its id go within that

let own = stored() ?? fresh();
let release = () => {};

function stored() {
  try { return sessionStorage.getItem(KEY); } catch { return null; } // storage may be forbidden
}

function fresh() {
  const id = globalThis.crypto?.randomUUID?.() ?? `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
  try { sessionStorage.setItem(KEY, id); } catch { /* as above: then it lives until the next reload */ }
  return id;
}

/** Makes the id this window's alone: a duplicated tab begins with that of the tab it was made from. */
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

// A page that is kept for the way back must hold nothing meanwhile.
globalThis.addEventListener?.('pagehide', () => release());
globalThis.addEventListener?.('pageshow', (event) => { if (event.persisted) claimWindow(); });

/** The browser and the system in a few words, as `Chrome, Linux`. */
export function browserName(agent = globalThis.navigator?.userAgent ?? '') {
  const browser = [['Edg/', 'Edge'], ['OPR/', 'Opera'], ['Firefox/', 'Firefox'], ['Chrome/', 'Chrome'], ['Safari/', 'Safari']].find(([mark]) => agent.includes(mark))?.[1];
  const system = [['Android', 'Android'], ['iPhone', 'iPhone'], ['iPad', 'iPad'], ['Windows', 'Windows'], ['Mac OS', 'macOS'], ['Linux', 'Linux']].find(([mark]) => agent.includes(mark))?.[1];
  return [browser, system].filter(Boolean).join(', ');
}

/** For `hello`. */
export const caller = () => ({ id: own, kind: 'page', name: browserName() || null });

/** For requests over HTTP. */
export const callerHeader = () => ({ 'x-askfirst-client': `page/${own} ${browserName()}`.trim() });
