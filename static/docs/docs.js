// Shows /api/openapi.json as a page: calls by group, with parameters and responses. All content is inserted as
// text.

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

function make(name, { text, className, ...rest } = {}, ...children) {
  const element = Object.assign(document.createElement(name), rest);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  element.append(...children.filter(Boolean));
  return element;
}

// Text with `code` spans, as nodes.
function prose(name, words = '', className = '') {
  const parts = words.split('`').map((part, n) => (n % 2 ? make('code', { text: part }) : document.createTextNode(part)));
  return make(name, { className }, ...parts);
}

// Example of a schema in the form of JSON, with types and texts as values.
function shape(api, schema, depth = 0, seen = []) {
  if (!schema) return 'any';
  if (schema.$ref) {
    const name = schema.$ref.split('/').pop();
    if (seen.includes(name)) return name;
    return shape(api, api.components.schemas[name], depth, [...seen, name]);
  }
  const choices = (schema.oneOf ?? schema.anyOf)?.filter((one) => one.type !== 'null');
  if (choices) return choices.map((one) => shape(api, one, depth, seen)).join(' | ');
  const pad = '  '.repeat(depth + 1);
  const parts = [schema, ...(schema.allOf ?? []).map((part) => resolve(api, part))];
  const fields = parts.flatMap((part) => Object.entries(part.properties ?? {}).map(([name, field]) => {
    const optional = (part.required ?? []).includes(name) ? '' : '?';
    const note = field.description ? `  // ${field.description}` : '';
    return `${pad}${name}${optional}: ${shape(api, field, depth + 1, seen)}${note}`;
  }));
  if (fields.length) return `{\n${fields.join('\n')}\n${'  '.repeat(depth)}}`;
  if (schema.items) return `[${shape(api, schema.items, depth, seen)}]`;
  return [schema.type ?? 'any'].flat().join(' or ');
}

const resolve = (api, part) => (part.$ref ? api.components.schemas[part.$ref.split('/').pop()] : part);

function parameters(operation) {
  if (!operation.parameters?.length) return null;
  const list = make('dl');
  for (const one of operation.parameters) {
    const kind = [one.schema?.type ?? 'string'].flat().filter((word) => word !== 'null').join(' or ');
    list.append(make('dt', { text: one.name }), prose('dd', [kind, one.in, one.description].filter(Boolean).join(' · ')));
  }
  return make('div', {}, make('h3', { text: 'Parameters' }), list);
}

function contents(api, title, content) {
  return Object.entries(content ?? {}).map(([type, { schema }]) => {
    const plain = type === 'application/json' ? shape(api, schema) : type;
    return make('div', {}, title && make('h3', { text: title }), make('pre', { text: plain }));
  });
}

function answers(api, operation) {
  return Object.entries(operation.responses).map(([status, answer]) => {
    const words = [status, answer.description].filter(Boolean).join(' · ');
    const fault = Number(status) >= 400;
    return make('div', {}, prose('h3', words), ...(fault ? [] : contents(api, '', answer.content)));
  });
}

function call(api, method, path, operation) {
  const summary = make('summary', {},
    make('span', { text: method.toUpperCase(), className: `method ${method}` }),
    make('code', { text: path }),
    prose('span', operation.summary));
  const body = make('div', { className: 'body' },
    operation.description && prose('p', operation.description),
    parameters(operation),
    ...contents(api, 'Body', operation.requestBody?.content),
    ...answers(api, operation));
  const details = make('details', {}, summary, body);
  details.dataset.words = `${method} ${path} ${operation.summary ?? ''}`.toLowerCase();
  return details;
}

function groups(api) {
  const found = new Map(api.tags.map((tag) => [tag.name, { tag, calls: [] }]));
  for (const [path, item] of Object.entries(api.paths)) {
    for (const method of METHODS.filter((name) => item[name])) {
      found.get(item[method].tags[0])?.calls.push(call(api, method, path, item[method]));
    }
  }
  return [...found.values()].map(({ tag, calls }) =>
    make('section', {}, make('h2', { text: tag.name }), make('p', { text: tag.description ?? '' }), ...calls));
}

function find(main, words) {
  for (const section of main.querySelectorAll('section')) {
    let some = false;
    for (const details of section.querySelectorAll('details')) {
      details.hidden = !words.every((word) => details.dataset.words.includes(word));
      some ||= !details.hidden;
    }
    section.hidden = !some;
  }
}

async function start() {
  const main = document.getElementById('calls');
  try {
    const answer = await fetch('openapi.json');
    if (!answer.ok) throw new Error(`the service answered ${answer.status}`);
    const api = await answer.json();
    document.getElementById('about').textContent = `${api.info.description} Version ${api.info.version}.`;
    main.replaceChildren(...groups(api));
    main.append(make('section', {}, make('h2', { text: 'Errors' }),
      make('p', { text: 'Every error is application/problem+json (RFC 9457); programs may rely on its code.' }),
      make('pre', { text: shape(api, api.components.schemas.Fault) })));
    const field = document.getElementById('find');
    field.addEventListener('input', () => find(main, field.value.toLowerCase().split(/\s+/).filter(Boolean)));
  } catch (fault) {
    main.replaceChildren(make('p', { text: `The description could not be read: ${fault.message}. Reload the page.` }));
  }
}

start();
