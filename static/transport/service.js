// Location of this service as its page sees it: base path, its address for its own browsers, and the CSRF
// token. The server writes the last two into the page.

const here = new URL('../..', import.meta.url); // relative to static/transport/service.js

/** Base path: '' or '/askfirst'. */
export const basePath = here.protocol.startsWith('http') ? here.pathname.slice(0, -1) : '';

/** Returns the URL path for a path of the service, such as '/api/runs'. */
export const urlOf = (path) => (path?.startsWith('/') && !path.startsWith('//') ? basePath + path : path);

/** Returns the URL of the socket. */
export const socketUrl = () => `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${urlOf('/ws')}`;

/**
 * Returns the address of the service for the browsers that it drives, which may not know the host name of this
 * page.
 */
export const ownOrigin = () => metaContent('origin') || location.origin;

/** Returns the CSRF token, sent beside the cookie with every changing call; '' if nobody is signed in. */
export const csrf = () => metaContent('csrf');

export function keepCsrf(token) {
  const meta = document.querySelector('meta[name="askfirst-csrf"]');
  if (meta) meta.content = token ?? '';
}

/** Reports whether this browser has signed in, so that it can sign out. */
export const signedIn = () => csrf() !== '';

/** Opens the sign-in page, which returns to the current page. */
export function toSignIn() {
  const next = `${location.pathname}${location.search}${location.hash}`;
  location.assign(`${urlOf('/sign-in')}?next=${encodeURIComponent(next)}`);
}

function metaContent(name) {
  if (typeof document === 'undefined') return '';
  return document.querySelector?.(`meta[name="askfirst-${name}"]`)?.content ?? '';
}
