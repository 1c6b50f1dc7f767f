// Where this service is, as its own page sees it: the path below which it is served, the address by which
// its own browsers reach it, and the token against forgery. The server writes the last two into the page.

const here = new URL('../..', import.meta.url); // this file is static/transport/service.js

/** '' or '/askfirst'. */
export const basePath = here.protocol.startsWith('http') ? here.pathname.slice(0, -1) : '';

/** A path of the service, such as '/api/runs', as this page asks for it. */
export const at = (path) => (path?.startsWith('/') && !path.startsWith('//') ? basePath + path : path);

/** The socket's address. */
export const socketUrl = () => `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${at('/ws')}`;

/** The address of the service for the browsers that it drives: the name in this page's address may mean nothing to them. */
export const ownOrigin = () => written('origin') || location.origin;

/** What goes beside the cookie with every call that changes something; '' where nobody has signed in. */
export const csrf = () => written('csrf');

export function keepCsrf(token) {
  const meta = document.querySelector('meta[name="askfirst-csrf"]');
  if (meta) meta.content = token ?? '';
}

/** Whether this browser has signed in, so that it can sign out. */
export const signedIn = () => csrf() !== '';

/** To the page to sign in at, and from there back to what is open now. */
export function toSignIn() {
  const next = `${location.pathname}${location.search}${location.hash}`;
  location.assign(`${at('/sign-in')}?next=${encodeURIComponent(next)}`);
}

function written(name) {
  if (typeof document === 'undefined') return '';
  return document.querySelector?.(`meta[name="askfirst-${name}"]`)?.content ?? '';
}
