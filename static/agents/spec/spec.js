// Agent file as JSON: titles, kinds, and new specs. No function changes the spec passed to it.

export const TYPES = ['any', 'string', 'boolean', 'integer', 'number', 'object', 'list'];
export const EXECUTORS = ['llm', 'python', 'shell', 'browser'];

const given = (text) => (typeof text === 'string' && text.trim() !== '' ? text : null);

/** Returns the title in the page's language; if it is empty, the other title or the name. */
export function titleOf(agent, locale) {
  const [uk, en] = [given(agent?.title_ua), given(agent?.title_en)];
  return (locale === 'uk' ? uk : en ?? uk) ?? agent?.name ?? '';
}

/**
 * Translates a task's title that begins with its agent's title in either language; returns the agent's title
 * for a task without one. A person's text stays.
 */
export function translateTitle(title, agent, locale) {
  if (title === undefined) return titleOf(agent, locale);
  if (!title || !agent || agent.converses) return title;
  const was = [agent.title_en, agent.title_ua, agent.name].find((one) => one && (title === one || title.startsWith(`${one}: `)));
  return was ? titleOf(agent, locale) + title.slice(was.length) : title;
}

/** Returns the description of an agent or a variable. */
export function descriptionOf(one, locale) {
  const [uk, en] = [given(one?.description_ua), given(one?.description_en) ?? given(one?.description)];
  return (locale === 'uk' ? uk ?? en : en ?? uk) ?? '';
}

/** Returns 'lanes' for a composite agent, otherwise its executor. */
export function kindOf(agent) {
  if (agent?.executor === 'orchestration') return 'orchestration'; // a native agent, without a file
  if (agent?.kind === 'composite') return 'lanes';
  return agent?.executor ?? EXECUTORS.find((word) => agent?.[word]) ?? null;
}

/** Icons by kind. */
export const KIND_ICON = { lanes: 'lanes', orchestration: 'branch', mcp: 'plug', llm: 'thought', python: 'code', shell: 'terminal', browser: 'window' };

export const isName = (name) => /^[a-z][a-z0-9_]{0,63}$/.test(name);

const LATIN = {
  а: 'a', б: 'b', в: 'v', г: 'h', ґ: 'g', д: 'd', е: 'e', є: 'ie', ж: 'zh', з: 'z', и: 'y', і: 'i', ї: 'i', й: 'i', к: 'k', л: 'l', м: 'm', н: 'n', о: 'o',
  п: 'p', р: 'r', с: 's', т: 't', у: 'u', ф: 'f', х: 'kh', ц: 'ts', ч: 'ch', ш: 'sh', щ: 'shch', ь: '', ю: 'iu', я: 'ia', '’': '', "'": '', 'ʼ': '',
};

/** Makes a name, not one of `taken`, from a title. */
export function nameFor(title, taken = []) {
  const latin = [...title.toLowerCase()].map((c) => LATIN[c] ?? c).join('');
  const plain = latin.replace(/[^a-z0-9]+/g, '_').replace(/^[_0-9]+|_+$/g, '').slice(0, 60);
  return plain === '' ? '' : freeName(plain, taken);
}

/** Returns `name`, or the first of name_2, name_3, … that is not taken. */
export function freeName(name, taken) {
  if (!taken.includes(name)) return name;
  for (let n = 2; ; n += 1) if (!taken.includes(`${name}_${n}`)) return `${name}_${n}`;
}

const SECTION = {
  llm: { prompt: '' },
  python: { code: '' },
  shell: { command: '' },
  browser: { goal: '' },
};

/** Makes an initial spec; `kind` is 'lanes' or an executor. */
export function newSpec({ name, titleUa = '', titleEn = '', kind }) {
  const titles = { name, title_ua: titleUa, ...(titleEn ? { title_en: titleEn } : {}) };
  if (kind === 'lanes') return { ...titles, kind: 'composite', inputs: [], locals: [], outputs: [], graph: { lanes: [{ items: [] }] } };
  const inputs = kind === 'browser' ? [{ name: 'text', type: 'string' }] : [];
  return { ...titles, kind: 'atomic', inputs, locals: [], outputs: [], [kind]: { ...SECTION[kind] } };
}

const COPY = { title_ua: 'копія', title_en: 'copy' }; // in the language of each title

/** Copies an agent under another name. Calls of itself become calls of the copy. */
export function copyOf(spec, name) {
  const titles = Object.fromEntries(Object.keys(COPY).filter((key) => given(spec[key])).map((key) => [key, `${spec[key]} (${COPY[key]})`]));
  const copy = { ...spec, ...titles, name };
  if (!spec.graph) return copy;
  const own = (item) => (item.agent === spec.name ? { ...item, agent: name } : item);
  return { ...copy, graph: { ...spec.graph, lanes: spec.graph.lanes.map((lane) => ({ ...lane, items: lane.items.map(own) })) } };
}

/** Returns `spec` with `fields` set; `undefined` removes a field. */
export function withFields(spec, fields) {
  const next = { ...spec, ...fields };
  for (const [key, value] of Object.entries(fields)) if (value === undefined) delete next[key];
  return next;
}

const isEmpty = (value) => value === undefined || (Array.isArray(value) && value.length === 0);

/** Reports whether two specs are equal. An absent list equals an empty one, and the order of keys is ignored. */
export const sameSpec = (a, b) => plain(a) === plain(b);

function plain(value) {
  return JSON.stringify(value, (_, part) => {
    if (part === null || typeof part !== 'object' || Array.isArray(part)) return part;
    return Object.fromEntries(Object.keys(part).filter((key) => !isEmpty(part[key])).sort().map((key) => [key, part[key]]));
  });
}
