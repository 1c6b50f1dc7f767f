// Form fields of executor sections. Keys without a field are edited in the YAML and kept as they are.

/** kind: long (text), code, line, lines (a list, one a line), check, mode (one of options, of which the first is none), number */
export const SECTIONS = {
  llm: [
    { name: 'prompt', kind: 'long', isRequired: true, isTemplate: true },
    { name: 'system', kind: 'long', isTemplate: true },
    { name: 'parse_json', kind: 'check' },
    { name: 'model', kind: 'line' },
    { name: 'temperature', kind: 'number' },
  ],
  python: [
    { name: 'code', kind: 'code', isRequired: true },
    { name: 'timeout_s', kind: 'number' },
    { name: 'files', kind: 'check' },
  ],
  shell: [
    { name: 'command', kind: 'line', isRequired: true, isTemplate: true },
    { name: 'args', kind: 'lines', isTemplate: true },
    { name: 'cwd', kind: 'line' },
    { name: 'timeout_s', kind: 'number' },
    { name: 'env', kind: 'lines' },
    { name: 'allow_failure', kind: 'check' },
    { name: 'files', kind: 'check' },
  ],
  browser: [
    { name: 'goal', kind: 'long', isTemplate: true },
    { name: 'start_url', kind: 'line', isTemplate: true },
    { name: 'allowed_hosts', kind: 'lines' },
    { name: 'profile', kind: 'line' },
    { name: 'vision', kind: 'mode', options: ['off', 'auto', 'always'] },
  ],
};

/** Returns the keys of a section that the form does not show. */
export const otherKeys = (section, word) => Object.keys(section ?? {}).filter((key) => !SECTIONS[word].some(({ name }) => name === key));

/** Returns the text that a field shows for a value. */
export function fieldText(value, kind) {
  if (kind === 'check') return value === true;
  if (kind === 'mode') return value === true ? 'always' : value === false ? 'off' : String(value ?? 'off');
  if (kind === 'lines') return (value ?? []).join('\n');
  return value === undefined || value === null ? '' : String(value);
}

/** Returns the value of the file for a field's entry; undefined for an empty one. */
export function fieldValue(entered, { kind, isRequired, options }) {
  if (kind === 'check') return entered ? true : undefined;
  if (kind === 'mode') return entered === options[0] ? undefined : entered;
  if (kind === 'lines') {
    const lines = entered.split('\n').map((line) => line.trimEnd());
    const some = lines.some((line) => line !== '');
    return some ? lines.filter((line, at) => line !== '' || at < lines.length - 1) : undefined;
  }
  if (kind === 'number') return entered.trim() === '' ? undefined : numberOf(entered);
  return entered === '' && !isRequired ? undefined : entered;
}

// A text that is no number stays text, and the check reports it.
export const numberOf = (text) => (Number.isFinite(Number(text.replace(',', '.'))) ? Number(text.replace(',', '.')) : text);
