// HTTP calls of the UI. A failed call throws an `ApiError` with code and message of the server's problem
// document, and its faults. If the person is not signed in any more, the event `signedout` is dispatched on the
// window.

import { csrf, keepCsrf, signedIn, urlOf } from './service.js';
import { callerHeader } from './caller.js';

export class ApiError extends Error {
  constructor(code, message, status, body = null) {
    super(message);
    this.code = code;
    this.status = status;
    this.faults = body?.faults ?? [];
    this.body = body;
  }
}

/** Reads a resource with its version: { body, etag }. */
async function requestWithEtag(path, options = {}) {
  const json = (options.headers?.accept ?? 'application/json') === 'application/json';
  const response = await request(path, options);
  const etag = response.headers.get('etag');
  if (response.status === 204) return { body: null, etag };
  const body = json || !response.ok ? await response.json().catch(() => null) : await response.text();
  if (!response.ok) throw new ApiError(body?.code ?? 'internal', body?.detail ?? body?.title ?? '', response.status, body);
  return { body, etag };
}

/**
 * Sends a request. A call that changes something has the CSRF token, and is repeated with a new one if this
 * browser has signed in again meanwhile.
 */
async function request(path, options, again = true) {
  const changes = (options.method ?? 'GET') !== 'GET';
  const token = changes && signedIn() ? { 'x-askfirst-csrf': csrf() } : {};
  let response;
  try {
    response = await fetch(urlOf(path), { ...options, headers: { accept: 'application/json', ...callerHeader(), ...token, ...options.headers } });
  } catch {
    throw new ApiError('offline', '', 0);
  }
  if (response.status === 401) dispatchEvent(new CustomEvent('signedout'));
  if (!again || !changes || response.status !== 403 || (await response.clone().json().catch(() => null))?.code !== 'forgery') return response;
  keepCsrf((await me()).csrf);
  return request(path, options, false);
}

const call = async (path, options) => (await requestWithEtag(path, options)).body;

const sent = (method, body, type = 'application/json') => ({ method, body: type === 'application/json' ? JSON.stringify(body) : body, headers: { 'content-type': type } });

export const settings = () => call('/api/settings');

/** Reads the identity of this page: { signed_in, token_required, csrf }. */
export const me = () => call('/api/me');

/** Signs this browser out. The response is a redirect; the caller opens the page. */
export async function signOut() {
  const answer = await request('/sign-out', { method: 'POST', redirect: 'manual' });
  if (answer.ok || answer.type === 'opaqueredirect') return;
  const problem = await answer.json().catch(() => null);
  throw new ApiError(problem?.code ?? 'internal', problem?.detail ?? '', answer.status, problem);
}

export const words = (locale) => call(`/static/locales/${locale}.json`);

/** `only`: { query, status, archived } */
export function runs({ cursor, limit = 30, signal, ...only } = {}) {
  const query = new URLSearchParams({ limit: String(limit), roots: 'true', ...only });
  if (cursor) query.set('cursor', cursor);
  return call(`/api/runs?${query}`, { signal });
}

/** `patch`: { title, pinned, archived }. Returns the changed row. */
export const changeRun = (id, patch) => call(`/api/runs/${encodeURIComponent(id)}`, sent('PATCH', patch));

/** Returns { items: [{ run_id, deleted, code, detail }] }. */
export const deleteRuns = (ids) => call('/api/runs/delete', sent('POST', { ids }));

/** Lists the last runs of an agent, including child runs. */
export const runsOf = (agent, signal) => call(`/api/runs?limit=12&agent=${encodeURIComponent(agent)}`, { signal });

/** Lists runs that ask a person, including child runs. */
export const waitingRuns = () => call('/api/runs?status=waiting&limit=100');

/** Lists a page of all open questions: { items, cursor, total }. */
export function questions({ cursor, limit } = {}) {
  const query = new URLSearchParams({ status: 'waiting', limit: String(limit) });
  if (cursor) query.set('cursor', cursor);
  return call(`/api/questions?${query}`);
}

// A `signal` aborts a reading when its task is left.

export const run = (id, signal) => call(`/api/runs/${encodeURIComponent(id)}`, { signal });

/** `files`: ids of staged files. */
export const startRun = (agent, input, files = []) => call('/api/runs', sent('POST', { agent, input, files }));

/** Reads the agent that a finished run could be saved as: { name, exists, spec, yaml, mended, left_out }. */
export const agentOfRun = (id, signal) => call(`/api/runs/${encodeURIComponent(id)}/agent`, { signal });

/** Checks whether saving would be accepted: { savable, code, detail }. */
export const canSaveRun = (id) => call(`/api/runs/${encodeURIComponent(id)}/agent/check`);

export const saveRun = (id, fields) => call(`/api/runs/${encodeURIComponent(id)}/agent`, sent('POST', fields));

/** Reads the plan of a run: { items, version }. */
export const plan = (id, signal) => call(`/api/runs/${encodeURIComponent(id)}/plan`, { signal });

/** Writes a plan over the version that was read, and no other. */
export function savePlan(id, items, version) {
  const options = sent('PUT', { items });
  return call(`/api/runs/${encodeURIComponent(id)}/plan`, { ...options, headers: { ...options.headers, 'if-match': `"${version}"` } });
}

/** Cancels a background task. */
export const cancelTask = (id) => call(`/api/tasks/${encodeURIComponent(id)}/cancel`, { method: 'POST' });

const filePath = (runId, name) => `/api/runs/${encodeURIComponent(runId)}/files/${encodeURIComponent(name)}`;

/** Address of a file, for a link. */
export const fileUrl = (runId, name) => urlOf(filePath(runId, name));

export const files = (runId, signal) => call(`/api/runs/${encodeURIComponent(runId)}/files`, { signal });

export const giveFile = (runId, file, signal) => call(filePath(runId, file.name), { ...sent('POST', file, 'application/octet-stream'), signal });

/** Reads a file under its name, as a File. */
export async function readFile(runId, name) {
  const answer = await request(filePath(runId, name), { headers: { accept: '*/*' } });
  if (!answer.ok) throw new ApiError('not_found', '', answer.status);
  return new File([await answer.blob()], name);
}

export const grants = () => call('/api/grants');

export const revokeGrant = (id) => call(`/api/grants/${encodeURIComponent(id)}`, { method: 'DELETE' });

/** Lists a page of the audit log, newest first: { items, cursor }. */
export const audit = (cursor = null) => call(`/api/audit?limit=50${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`);

/** Uploads a file before its task starts; returns { id, name, size }. */
export const stageFile = (file, signal) => call(`/api/files/${encodeURIComponent(file.name)}`, { ...sent('POST', file, 'application/octet-stream'), signal });

export const unstageFile = (id) => call(`/api/files/${encodeURIComponent(id)}`, { method: 'DELETE' });

/** Reads the model connection: { configured, base_url, model, key, source, key_env, structured }. */
export const model = () => call('/api/model');

export const connectModel = (body) => call('/api/model', sent('PUT', body));

export const removeModel = () => call('/api/model', { method: 'DELETE' });

/** Lists the models of the connected endpoint: { models }. */
export const models = () => call('/api/model/models');

/** Lists the models of an endpoint that is not connected yet: { models }. */
export const modelsOf = (body) => call('/api/model/models', sent('POST', body));

/** Tests a connection: { ok, checks: [{ name, ok, ms, detail }], structured }. */
export const testModel = (body) => call('/api/model/test', sent('POST', body));

export const browsers = () => call('/api/browsers');

export const closeBrowser = (id) => call(`/api/browsers/${encodeURIComponent(id)}`, { method: 'DELETE' });

// ---------------------------------------------------------------- agents

const YAML = 'application/yaml';
const agentUrl = (name) => `/api/agents/${encodeURIComponent(name)}`;

/** Lists agents, including faulty files with their `faults`. */
export const agents = () => call('/api/agents?faulty=true');

/** Reads an agent: { body: spec, etag }; with a version, the file as of that version. */
export const agent = (name, version = null) => requestWithEtag(`${agentUrl(name)}${version ? `?version=${encodeURIComponent(version)}` : ''}`);

/** Reads the file as written, with comments: { body: text, etag }. */
export const agentText = (name) => requestWithEtag(agentUrl(name), { headers: { accept: YAML } });

const agentBody = (method, { spec, yaml }) => (yaml === undefined ? sent(method, spec) : sent(method, yaml, YAML));

/** Checks an agent. `what` is { spec } or { yaml }; returns { ok, faults, spec, yaml }. */
export const checkAgent = (what) => call('/api/agents/validate', agentBody('POST', what));

/** Saves an agent. `etag` is the version to overwrite; null if there is none yet. */
export function saveAgent(name, what, { etag, drops = false }) {
  const options = agentBody('PUT', what);
  const only = etag === null ? { 'if-none-match': '*' } : { 'if-match': etag };
  return requestWithEtag(`${agentUrl(name)}${drops ? '?drop_comments=true' : ''}`, { ...options, headers: { ...options.headers, ...only } });
}

export const deleteAgent = (name) => call(agentUrl(name), { method: 'DELETE' });

/** Reads an agent as spec and text, with its version; null if there is none. A faulty file has text and faults. */
export async function agentFile(name) {
  try {
    const text = await agentText(name);
    const spec = await agent(name).catch((error) => {
      if (error.faults.length) return { body: null, faults: error.faults };
      throw error;
    });
    if (spec.body) delete spec.body.executor; // derived from its section
    return { spec: spec.body, yaml: text.body, etag: text.etag, faults: spec.faults ?? [] };
  } catch (error) {
    if (error.status === 404) return null;
    throw error;
  }
}

// ---------------------------------------------------------- inspection

const runUrl = (id) => `/api/runs/${encodeURIComponent(id)}`;

/** Reads spans: { at, cursor, left_out, spans }; with a cursor, the changes since. */
export const timeline = (id, cursor = null, signal = undefined) => call(`${runUrl(id)}/timeline${cursor ? `?cursor=${encodeURIComponent(cursor)}` : ''}`, { signal });

export const step = (id, n, signal) => call(`${runUrl(id)}/steps/${n}`, { signal });

export const effect = (id, n, signal) => call(`${runUrl(id)}/effects/${n}`, { signal });

/** Reads prompt and answer of a model call. */
export const modelCall = (id, n, signal) => call(`${runUrl(id)}/calls/${n}`, { signal });

/** Reads the reason for a run's status and the moves that would change it: { because, moves }. */
export const why = (id, locale, signal) => call(`${runUrl(id)}/why?locale=${locale}`, { signal });

export const compare = (a, b, signal) => call(`${runUrl(a)}/compare/${encodeURIComponent(b)}`, { signal });

/** Address of the export, for a link. */
export const exportUrl = (id) => urlOf(`${runUrl(id)}/export`);
