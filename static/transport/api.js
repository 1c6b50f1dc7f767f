// The few HTTP calls of the UI. A failed one throws an `ApiError` with the
// code and sentence of the server's problem document, and the faults it names.

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
  let response;
  try {
    response = await fetch(path, { ...options, headers: { accept: 'application/json', ...options.headers } });
  } catch {
    throw new ApiError('offline', '', 0);
  }
  const etag = response.headers.get('etag');
  if (response.status === 204) return { body: null, etag };
  const body = json || !response.ok ? await response.json().catch(() => null) : await response.text();
  if (!response.ok) throw new ApiError(body?.code ?? 'internal', body?.detail ?? body?.title ?? '', response.status, body);
  return { body, etag };
}

const call = async (path, options) => (await whole(path, options)).body;

const sent = (method, body, type = 'application/json') => ({ method, body: type === 'application/json' ? JSON.stringify(body) : body, headers: { 'content-type': type } });

export const settings = () => call('/api/settings');

export const words = (locale) => call(`/static/locales/${locale}.json`);

export function runs({ cursor, limit = 30 } = {}) {
  const query = new URLSearchParams({ limit: String(limit), roots: 'true' });
  if (cursor) query.set('cursor', cursor);
  return call(`/api/runs?${query}`);
}

/** The last ones of an agent, children of others too. */
export const runsOf = (agent) => call(`/api/runs?limit=12&agent=${encodeURIComponent(agent)}`);

/** Those that ask a person something, children of others too. */
export const waitingRuns = () => call('/api/runs?status=waiting&limit=100');

export const run = (id) => call(`/api/runs/${encodeURIComponent(id)}`);

export const startRun = (agent, input) => call('/api/runs', sent('POST', { agent, input }));

/** What a finished run could be saved as: { name, exists, spec, yaml, mended, left_out }. */
export const agentOfRun = (id) => call(`/api/runs/${encodeURIComponent(id)}/agent`);

export const saveRun = (id, fields) => call(`/api/runs/${encodeURIComponent(id)}/agent`, sent('POST', fields));

/** The plan of a run: { items, version }. */
export const plan = (id) => call(`/api/runs/${encodeURIComponent(id)}/plan`);

/** Written over the version that was read only. */
export function savePlan(id, items, version) {
  const options = sent('PUT', { items });
  return call(`/api/runs/${encodeURIComponent(id)}/plan`, { ...options, headers: { ...options.headers, 'if-match': `"${version}"` } });
}

/** Ends what goes on in the background. */
export const cancelTask = (id) => call(`/api/tasks/${encodeURIComponent(id)}/cancel`, { method: 'POST' });

export const fileUrl = (runId, name) => `/api/runs/${encodeURIComponent(runId)}/files/${encodeURIComponent(name)}`;

export const files = (runId) => call(`/api/runs/${encodeURIComponent(runId)}/files`);

export const giveFile = (runId, file) => call(fileUrl(runId, file.name), sent('POST', file, 'application/octet-stream'));

export const grants = () => call('/api/grants');

export const revokeGrant = (id) => call(`/api/grants/${encodeURIComponent(id)}`, { method: 'DELETE' });

/** Gives a file before its task begins: { id, name, size }. */
export const stageFile = (file) => call(`/api/files/${encodeURIComponent(file.name)}`, sent('POST', file, 'application/octet-stream'));

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
export const timeline = (id, cursor = null) => call(`${runUrl(id)}/timeline${cursor ? `?cursor=${encodeURIComponent(cursor)}` : ''}`);


export const step = (id, n) => call(`${runUrl(id)}/steps/${n}`);

export const effect = (id, n) => call(`${runUrl(id)}/effects/${n}`);

/** What a model was asked and answered. */
export const modelCall = (id, n) => call(`${runUrl(id)}/calls/${n}`);

/** Why a run stands as it does, and what would move it: { because, moves }. */
export const why = (id, locale) => call(`${runUrl(id)}/why?locale=${locale}`);

export const compare = (a, b) => call(`${runUrl(a)}/compare/${encodeURIComponent(b)}`);

export const exportUrl = (id) => `${runUrl(id)}/export`;
