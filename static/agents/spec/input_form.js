// Inputs of an agent as a form: a control for each type, and conversion to and from input values.
//
// A form value is the text of its field, or true or false for a checkbox. An
// untouched field is undefined, which means its default.

import { isRequired } from './ports.js';
import { kindOf } from './spec.js';

const CONTROLS = { boolean: 'check', integer: 'number', number: 'number', object: 'json', list: 'json' };

export const controlOf = (variable) => CONTROLS[variable.type] ?? 'text';

/** Adds a control to each input. Maps of an orchestration may be written in YAML, which the service parses. */
export const fieldsOf = (agent) => (agent.inputs ?? []).map((variable) => ({ ...variable, control: controlOf(variable), isRequired: isRequired(variable), isYaml: kindOf(agent) === 'orchestration' && variable.type === 'object' }));

/** Returns the initial value of a field. */
export function firstValue({ control, default: value }) {
  if (control === 'check') return value === true;
  if (value === undefined || value === null) return '';
  if (control === 'json') return JSON.stringify(value, null, 2);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Placeholder of secrets, whose values are never shown. */
const MASK = '••••';

/** Converts an input to form values. */
export function fromInput(fields, input) {
  const shown = (value, { control }) => (control === 'check' || typeof value === 'string' ? value : JSON.stringify(value, null, control === 'json' ? 2 : 0));
  return Object.fromEntries(fields.filter(({ name }) => input?.[name] !== undefined && input[name] !== null && !String(input[name]).includes(MASK)).map((field) => [field.name, shown(input[field.name], field)]));
}

/** Converts form values: { input, faults: { name: message key } }. */
export function toInput(fields, values) {
  const [input, faults] = [{}, {}];
  for (const field of fields) {
    const read = valueOf(field, values[field.name]);
    if (read.fault) faults[field.name] = read.fault;
    else if (read.value !== undefined) input[field.name] = read.value;
  }
  return { input, faults };
}

function valueOf(field, given) {
  if (field.control === 'check') return given === undefined ? { value: field.isRequired ? false : undefined } : { value: given };
  // The service fills in defaults, except of inputs that the file requires.
  if (given === undefined && field.default !== undefined) return field.isRequired ? { value: field.default } : {};
  const text = given ?? '';
  if (text.trim() === '') return field.isRequired ? { fault: 'form.required' } : {};
  const read = READ[field.type ?? 'any']?.(text) ?? READ.any(text);
  return field.isYaml && read.fault === 'form.json' ? { value: text } : read;
}

const json = (text) => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { fault: 'form.json' };
  }
};

const READ = {
  string: (text) => ({ value: text }),
  integer: (text) => (/^\s*[+-]?\d+\s*$/.test(text) && Number.isSafeInteger(Number(text)) ? { value: Number(text) } : { fault: 'form.integer' }),
  number: (text) => (Number.isFinite(Number(text.replace(',', '.'))) ? { value: Number(text.replace(',', '.')) } : { fault: 'form.number' }),
  object(text) {
    const read = json(text);
    return read.fault || (read.value && typeof read.value === 'object' && !Array.isArray(read.value)) ? read : { fault: 'form.object' };
  },
  list(text) {
    const read = json(text);
    return read.fault || Array.isArray(read.value) ? read : { fault: 'form.list' };
  },
  // Text that parses as JSON has that type; any other text is a string.
  any(text) {
    const read = json(text);
    return read.fault ? { value: text } : read;
  },
};

/** Assigns faults of the service to fields, as message keys or in the service's words; '' has those of no field. */
export function assignFaults({ code, faults, message = '' }, fields) {
  if (code === 'bad_input' && !faults?.length) return unfit(message, fields);
  const found = {};
  for (const { path = '', message: text } of faults ?? []) {
    const name = path.replace(/^input[.[]?/, '').replace(/\].*$/, '').replaceAll('"', '');
    const place = fields.some((field) => field.name === name) ? name : '';
    found[place] = found[place] ? `${found[place]} ${text}` : text;
  }
  return found;
}

/** Finds the fields that a message names. The message itself is for programs. */
function unfit(message, fields) {
  const names = [...message.matchAll(/`(\w+)`/g)].map(([, name]) => name).filter((name) => fields.some((field) => field.name === name));
  const isChoice = new Set(names).size > 1;
  return { '': isChoice ? 'form.one_of' : 'error.bad_input', ...Object.fromEntries(names.map((name) => [name, isChoice ? 'form.one_of.field' : fields.find((field) => field.name === name).isYaml && message.includes('must be of type') ? 'form.yaml' : 'form.unfit'])) };
}
