// Form of a model connection: known servers, request bodies, filter of the model list.

/** Servers that speak the protocol, with their usual addresses. */
export const PRESETS = [
  { name: 'OpenAI', url: 'https://api.openai.com/v1', key: true },
  { name: 'OpenRouter', url: 'https://openrouter.ai/api/v1', key: true },
  { name: 'Ollama', url: 'http://127.0.0.1:11434/v1', key: false },
  { name: 'LM Studio', url: 'http://127.0.0.1:1234/v1', key: false },
  { name: 'vLLM', url: 'http://127.0.0.1:8000/v1', key: false },
  { name: 'llama.cpp', url: 'http://127.0.0.1:8080/v1', key: false },
];

const bare = (url) => (url ?? '').trim().replace(/\/+$/, '');

/** Reports whether two addresses are equal. */
export const sameAddress = (one, other) => bare(one) === bare(other);

/** Reports whether results for one form apply to another. */
export const isSameModel = (one, other) => sameAddress(one.base_url, other.base_url) && one.model.trim() === other.model.trim();

/** Reports whether the latest test of the current form failed; a key typed since has not been tested. */
export const lastFailed = (report, fields) => Boolean(report) && !report.ok && isSameModel(report.of, fields)
  && [fields.key, fields.key_env].every((typed) => !typed || [report.of.key, report.of.key_env].includes(typed));

/** Reports whether the stored key is kept. It stays with its address unless a new one is typed. */
export function keepsKey(fields, state) {
  return Boolean(state?.key && state.key !== 'none' && !fields.key && !fields.key_env && !fields.forget && sameAddress(fields.base_url, state.base_url));
}

/** Returns the body of a call, without empty fields. */
export function bodyOf(fields, state) {
  const body = { base_url: fields.base_url.trim() };
  if (fields.model.trim()) body.model = fields.model.trim();
  if (fields.key_env?.trim()) body.key_env = fields.key_env.trim();
  else if (fields.key) body.key = fields.key.trim();
  else if (fields.forget || !keepsKey(fields, state)) body.key = null;
  return body;
}

/** Returns names that contain all words of the filter, those that begin with it first; at most `most`. */
export function filterNames(names, filter, most = 200) {
  const words = filter.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const found = names.filter((name) => words.every((word) => name.toLowerCase().includes(word)));
  const begins = (name) => (words[0] && name.toLowerCase().startsWith(words[0]) ? 0 : 1);
  return found.sort((a, b) => begins(a) - begins(b)).slice(0, most);
}
