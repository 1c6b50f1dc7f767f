// The few HTTP calls of the UI. A failed one throws an `ApiError` with the
// code and sentence of the server's problem document, and the faults it names.
// Who is not signed in any more is told by the event `signedout` of the window.

import { at, csrf, keepCsrf, signedIn } from './service.js';
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

/** -> { body, etag } */
async function whole(path, options = {}) {
  const json = (options.headers?.accept ?? 'application/json') === 'application/json';
  const response = await asked(path, options);
  const etag = response.headers.get('etag');
  if (response.status === 204) return { body: null, etag };
  const body = json || !response.ok ? await response.json().catch(() => null) : await response.text();
  if (!response.ok) throw new ApiError(body?.code ?? 'internal', body?.detail ?? body?.title ?? '', response.status, body);
  return { body, etag };
}

/** The answer; a call that changes something bears the token against forgery, and is sent again with a new one where
 * this browser has signed in anew meanwhile. */
async function asked(path, options, again = true) {
  const changes = (options.method ?? 'GET') !== 'GET';
  const token = changes && signedIn() ? { 'x-askfirst-csrf': csrf() } : {};
  let response;
  try {
    response = await fetch(at(path), { ...options, headers: { accept: 'application/json', ...callerHeader(), ...token, ...options.headers } });
  } catch {
    throw new ApiError('offline', '', 0);
  }
  if (response.status === 401) dispatchEvent(new CustomEvent('signedout'));
  if (!again || !changes || response.status !== 403 || (await response.clone().json().catch(() => null))?.code !== 'forgery') return response;
  keepCsrf((await me()).csrf);
  return asked(path, options, false);
}

const call = async (path, options) => (await whole(path, options)).body;

const sent = (method, body, type = 'application/json') => ({ method, body: type === 'application/json' ? JSON.stringify(body) : body, headers: { 'content-type': type } });

export const settings = () => call('/api/settings');

/** Who this page is to the service: { signed_in, token_required, csrf }. */
export const me = () => call('/api/me');

/** Signs this browser out. The answer is a redirect; the caller opens the page. */
export async function signOut() {
  const answer = await asked('/sign-out', { method: 'POST', redirect: 'manual' });
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

/** `patch`: { title, pinned, archived } -> the row as it is now. */
export const changeRun = (id, patch) => call(`/api/runs/${encodeURIComponent(id)}`, sent('PATCH', patch));

/** -> { items: [{ run_id, deleted, code, detail }] } */
export const deleteRuns = (ids) => call('/api/runs/delete', sent('POST', { ids }));

/** The last ones of an agent, children of others too. */
export const runsOf = (agent, signal) => call(`/api/runs?limit=12&agent=${encodeURIComponent(agent)}`, { signal });

/** Those that ask a person something, children of others too. */
export const waitingRuns = () => call('/api/runs?status=waiting&limit=100');

/** A part of all questions that wait for a person: { items, cursor, total }. */
export function questions({ cursor, limit } = {}) {
  const query = new URLSearchParams({ status: 'waiting', limit: String(limit) });
  if (cursor) query.set('cursor', cursor);
  return call(`/api/questions?${query}`);
}

// A `signal` ends a reading when the task that it is for is left.

export const run = (id, signal) => call(`/api/runs/${encodeURIComponent(id)}`, { signal });

/** `files`: ids of staged files. */
export const startRun = (agent, input, files = []) => call('/api/runs', sent('POST', { agent, input, files }));

/** What a finished run could be saved as: { name, exists, spec, yaml, mended, left_out }. */
export const agentOfRun = (id, signal) => call(`/api/runs/${encodeURIComponent(id)}/agent`, { signal });

/** The service's word on whether saving would be accepted: { savable, code, detail }. */
export const canSaveRun = (id) => call(`/api/runs/${encodeURIComponent(id)}/agent/check`);

export const saveRun = (id, fields) => call(`/api/runs/${encodeURIComponent(id)}/agent`, sent('POST', fields));

/** The plan of a run: { items, version }. */
export const plan = (id, signal) => call(`/api/runs/${encodeURIComponent(id)}/plan`, { signal });

/** Written over the version that was read only. */
export function savePlan(id, items, version) {
  const options = sent('PUT', { items });
  return call(`/api/runs/${encodeURIComponent(id)}/plan`, { ...options, headers: { ...options.headers, 'if-match': `"${version}"` } });
}

/** Ends what goes on in the background. */
export const cancelTask = (id) => call(`/api/tasks/${encodeURIComponent(id)}/cancel`, { method: 'POST' });

const filePath = (runId, name) => `/api/runs/${encodeURIComponent(runId)}/files/${encodeURIComponent(name)}`;

/** For a link. */
export const fileUrl = (runId, name) => at(filePath(runId, name));

export const files = (runId, signal) => call(`/api/runs/${encodeURIComponent(runId)}/files`, { signal });

export const giveFile = (runId, file, signal) => call(filePath(runId, file.name), { ...sent('POST', file, 'application/octet-stream'), signal });

/** The file itself, under its name: a File. */
export async function readFile(runId, name) {
  const answer = await asked(filePath(runId, name), { headers: { accept: '*/*' } });
  if (!answer.ok) throw new ApiError('not_found', '', answer.status);
  return new File([await answer.blob()], name);
}

export const grants = () => call('/api/grants');

export const revokeGrant = (id) => call(`/api/grants/${encodeURIComponent(id)}`, { method: 'DELETE' });

/** Gives a file before its task begins, and answers with { id, name, size }. */
export const stageFile = (file, signal) => call(`/api/files/${encodeURIComponent(file.name)}`, { ...sent('POST', file, 'application/octet-stream'), signal });

export const unstageFile = (id) => call(`/api/files/${encodeURIComponent(id)}`, { method: 'DELETE' });

/** The model that plans: { configured, base_url, model, key, source, key_env, structured }. */
export const model = () => call('/api/model');

export const connectModel = (body) => call('/api/model', sent('PUT', body));

export const removeModel = () => call('/api/model', { method: 'DELETE' });

/** The names of the models that the connected endpoint offers: { models }. */
export const models = () => call('/api/model/models');

/** The same of one that is not connected yet: { models }. */
export const modelsOf = (body) => call('/api/model/models', sent('POST', body));

/** What a trial has found: { ok, checks: [{ name, ok, ms, detail }], structured }. */
export const testModel = (body) => call('/api/model/test', sent('POST', body));

export const browsers = () => call('/api/browsers');

export const closeBrowser = (id) => call(`/api/browsers/${encodeURIComponent(id)}`, { method: 'DELETE' });

// ---------------------------------------------------------------- agents

const YAML = 'application/yaml';
const agentUrl = (name) => `/api/agents/${encodeURIComponent(name)}`;

/** Files that are no agents are there, too, each with its `faults`. */
export const agents = () => call('/api/agents?faulty=true');

/** -> { body: spec, etag }; with a version, the file as it was then. */
export const agent = (name, version = null) => whole(`${agentUrl(name)}${version ? `?version=${encodeURIComponent(version)}` : ''}`);

/** The file as it is written, with its comments: { body: text, etag }. */
export const agentText = (name) => whole(agentUrl(name), { headers: { accept: YAML } });

const written = (method, { spec, yaml }) => (yaml === undefined ? sent(method, spec) : sent(method, yaml, YAML));

/** `what` is { spec } or { yaml } -> { ok, faults, spec, yaml } */
export const checkAgent = (what) => call('/api/agents/validate', written('POST', what));

/** `etag` is the version that is written over; null: there is none yet. */
export function saveAgent(name, what, { etag, drops = false }) {
  const options = written('PUT', what);
  const only = etag === null ? { 'if-none-match': '*' } : { 'if-match': etag };
  return whole(`${agentUrl(name)}${drops ? '?drop_comments=true' : ''}`, { ...options, headers: { ...options.headers, ...only } });
}

export const deleteAgent = (name) => call(agentUrl(name), { method: 'DELETE' });

/** The file as a spec and as text, with its version; null if there is none. A faulty one has its text and its faults. */
export async function agentFile(name) {
  try {
    const text = await agentText(name);
    const spec = await agent(name).catch((error) => {
      if (error.faults.length) return { body: null, faults: error.faults };
      throw error;
    });
    if (spec.body) delete spec.body.executor; // its section says it
    return { spec: spec.body, yaml: text.body, etag: text.etag, faults: spec.faults ?? [] };
  } catch (error) {
    if (error.status === 404) return null;
    throw error;
  }
}

// ---------------------------------------------------------- seeing inside

const runUrl = (id) => `/api/runs/${encodeURIComponent(id)}`;

/** What happened when: { at, cursor, left_out, spans }; with a cursor what has changed since. */
export const timeline = (id, cursor = null, signal = undefined) => call(`${runUrl(id)}/timeline${cursor ? `?cursor=${encodeURIComponent(cursor)}` : ''}`, { signal });

export const step = (id, n, signal) => call(`${runUrl(id)}/steps/${n}`, { signal });

export const effect = (id, n, signal) => call(`${runUrl(id)}/effects/${n}`, { signal });

/** What a model was asked and answered. */
export const modelCall = (id, n, signal) => call(`${runUrl(id)}/calls/${n}`, { signal });

/** Why a run stands as it does, and what would move it: { because, moves }. */
export const why = (id, locale, signal) => call(`${runUrl(id)}/why?locale=${locale}`, { signal });

export const compare = (a, b, signal) => call(`${runUrl(a)}/compare/${encodeURIComponent(b)}`, { signal });

/** For a link. */
export const exportUrl = (id) => at(`${runUrl(id)}/export`);
