// The few HTTP calls of the UI. A failed one throws an `ApiError` with the
// code and sentence of the server's problem document.

export class ApiError extends Error {
  constructor(code, message, status) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

async function call(path, options = {}) {
  let response;
  try {
    response = await fetch(path, { headers: { accept: 'application/json' }, ...options });
  } catch {
    throw new ApiError('offline', '', 0);
  }
  if (response.status === 204) return null;
  const body = await response.json().catch(() => null);
  if (!response.ok) throw new ApiError(body?.code ?? 'internal', body?.detail ?? body?.title ?? '', response.status);
  return body;
}

export const settings = () => call('/api/settings');

export const words = (locale) => call(`/static/locales/${locale}.json`);

export function runs({ cursor, limit = 30 } = {}) {
  const query = new URLSearchParams({ limit: String(limit) });
  if (cursor) query.set('cursor', cursor);
  return call(`/api/runs?${query}`);
}

export const fileUrl = (runId, name) => `/api/runs/${encodeURIComponent(runId)}/files/${encodeURIComponent(name)}`;

export const files = (runId) => call(`/api/runs/${encodeURIComponent(runId)}/files`);

export const giveFile = (runId, file) => call(fileUrl(runId, file.name), { method: 'POST', body: file, headers: { accept: 'application/json', 'content-type': 'application/octet-stream' } });

export const grants = () => call('/api/grants');

export const revokeGrant = (id) => call(`/api/grants/${encodeURIComponent(id)}`, { method: 'DELETE' });

export const browsers = () => call('/api/browsers');

export const closeBrowser = (id) => call(`/api/browsers/${encodeURIComponent(id)}`, { method: 'DELETE' });
