// An agent file as JSON: what it is called, what carries it out, and new ones.
// Nothing here changes a spec that it was given.

export const TYPES = ['any', 'string', 'boolean', 'integer', 'number', 'object', 'list'];
export const EXECUTORS = ['llm', 'python', 'shell', 'browser'];

const given = (text) => (typeof text === 'string' && text.trim() !== '' ? text : null);

/** The title in the page's language; the other one, or the name, where that is empty. */
export function titleOf(agent, locale) {
  const [uk, en] = [given(agent?.title_ua), given(agent?.title_en)];
  return (locale === 'uk' ? uk : en ?? uk) ?? agent?.name ?? '';
}

/** A task's title that begins with its agent's in whatever language it was started in, in this one; words of a talk stay. Without one, the agent's. */
export function retitled(title, agent, locale) {
  if (title === undefined) return titleOf(agent, locale);
  if (!title || !agent || agent.converses) return title;
  const was = [agent.title_en, agent.title_ua, agent.name].find((one) => one && (title === one || title.startsWith(`${one}: `)));
  return was ? titleOf(agent, locale) + title.slice(was.length) : title;
}

/** What an agent, or a variable, is for. */
export function descriptionOf(one, locale) {
  const [uk, en] = [given(one?.description_ua), given(one?.description_en) ?? given(one?.description)];
  return (locale === 'uk' ? uk ?? en : en ?? uk) ?? '';
}

/** 'lanes' for a composite; else the word of its executor. */
export function kindOf(agent) {
  if (agent?.executor === 'orchestration') return 'orchestration'; // the service's own, without a file
  if (agent?.kind === 'composite') return 'lanes';
  return agent?.executor ?? EXECUTORS.find((word) => agent?.[word]) ?? null;
}

/** The icon of each kind. */
export const KIND_ICON = { lanes: 'lanes', orchestration: 'branch', mcp: 'plug', llm: 'thought', python: 'code', shell: 'terminal', browser: 'window' };

export const isName = (name) => /^[a-z][a-z0-9_]{0,63}$/.test(name);

const LATIN = {
  а: 'a', б: 'b', в: 'v', г: 'h', ґ: 'g', д: 'd', е: 'e', є: 'ie', ж: 'zh', з: 'z', и: 'y', і: 'i', ї: 'i', й: 'i', к: 'k', л: 'l', м: 'm', н: 'n', о: 'o',
  п: 'p', р: 'r', с: 's', т: 't', у: 'u', ф: 'f', х: 'kh', ц: 'ts', ч: 'ch', ш: 'sh', щ: 'shch', ь: '', ю: 'iu', я: 'ia', '’': '', "'": '', 'ʼ': '',
};

/** A name for a title that a person wrote, not one of `taken`. */
export function nameFor(title, taken = []) {
  const latin = [...title.toLowerCase()].map((c) => LATIN[c] ?? c).join('');
  const plain = latin.replace(/[^a-z0-9]+/g, '_').replace(/^[_0-9]+|_+$/g, '').slice(0, 60);
  return plain === '' ? '' : free(plain, taken);
}

/** `name`, or the first of name_2, name_3, … that is not taken. */
export function free(name, taken) {
  if (!taken.includes(name)) return name;
  for (let n = 2; ; n += 1) if (!taken.includes(`${name}_${n}`)) return `${name}_${n}`;
}

const SECTION = {
  llm: { prompt: '' },
  python: { code: '' },
  shell: { command: '' },
  browser: { goal: '' },
};

/** A spec to begin with; `kind` is 'lanes' or an executor's word. */
export function newSpec({ name, titleUa = '', titleEn = '', kind }) {
  const titles = { name, title_ua: titleUa, ...(titleEn ? { title_en: titleEn } : {}) };
  if (kind === 'lanes') return { ...titles, kind: 'composite', inputs: [], locals: [], outputs: [], graph: { lanes: [{ items: [] }] } };
  const inputs = kind === 'browser' ? [{ name: 'text', type: 'string' }] : [];
  return { ...titles, kind: 'atomic', inputs, locals: [], outputs: [], [kind]: { ...SECTION[kind] } };
}

const COPY = { title_ua: 'копія', title_en: 'copy' }; // each title in its own language

/** The same agent under another name; what calls itself calls the new one. */
export function copyOf(spec, name) {
  const titles = Object.fromEntries(Object.keys(COPY).filter((key) => given(spec[key])).map((key) => [key, `${spec[key]} (${COPY[key]})`]));
  const copy = { ...spec, ...titles, name };
  if (!spec.graph) return copy;
  const own = (item) => (item.agent === spec.name ? { ...item, agent: name } : item);
  return { ...copy, graph: { ...spec.graph, lanes: spec.graph.lanes.map((lane) => ({ ...lane, items: lane.items.map(own) })) } };
}

/** `spec` with `fields` set; `undefined` takes one away. */
export function withFields(spec, fields) {
  const next = { ...spec, ...fields };
  for (const [key, value] of Object.entries(fields)) if (value === undefined) delete next[key];
  return next;
}

const isEmpty = (value) => value === undefined || (Array.isArray(value) && value.length === 0);

/** Whether two specs say the same: what is absent is as good as an empty list, and order of keys is nobody's concern. */
export const sameSpec = (a, b) => plain(a) === plain(b);

function plain(value) {
  return JSON.stringify(value, (_, part) => {
    if (part === null || typeof part !== 'object' || Array.isArray(part)) return part;
    return Object.fromEntries(Object.keys(part).filter((key) => !isEmpty(part[key])).sort().map((key) => [key, part[key]]));
  });
}
