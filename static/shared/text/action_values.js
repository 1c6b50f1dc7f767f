// Values of an action that its line does not tell: what was filled into which field, arguments of a page's tool, columns
// of rows. Secrets arrive masked.
//
//   actionValues(entry, t) -> [{ name, value }]

import { cut } from './format.js';
import { visibleLine, wordsOf } from './visible.js';
import { targetName } from './action_text.js';

const MOST = 40; // values shown of one action
const LONG = 300; // characters of a value

export function actionValues({ action, params, target }, t) {
  const rows = VALUES[action]?.(params ?? {}, target, t) ?? [];
  const shown = rows.slice(0, MOST).map(({ name, value }) => ({ name: cut(visibleLine(name), 80) || '—', value: cut(visibleLine(value), LONG) || t('value.empty') }));
  return rows.length > MOST ? [...shown, { name: '…', value: t('value.more', { n: rows.length - MOST }) }] : shown;
}

const VALUES = {
  fill: ({ fields, submit }, target, t) => [
    ...listOf(fields).map((field) => ({ name: fieldName(field, target, t), value: fieldValue(field, t) })),
    ...(submit ? [{ name: t('value.then'), value: t('value.enter') }] : []),
  ],
  page_tool: ({ arguments: given }) => Object.entries(objectOf(given)).map(([name, value]) => ({ name, value: wordsOf(value) })),
  find: ({ role }, _, t) => (role ? [{ name: t('value.role'), value: t.has(`role.${role}`) ? t(`role.${role}`) : role }] : []),
  extract: ({ schema, as, pages }, _, t) => [
    ...(schema ? [{ name: t('value.columns'), value: columnsOf(objectOf(schema)).join(', ') }] : []),
    ...(pages ? [{ name: t('value.pages'), value: [pages].flat().join(', ') }] : []),
    ...(as ? [{ name: t('value.as'), value: t.has(`value.as.${as}`) ? t(`value.as.${as}`) : as }] : []),
  ],
  upload: ({ file }) => ([file ?? []].flat().length > 1 ? [file].flat().map((name, at) => ({ name: `${at + 1}`, value: name })) : []),
  dialog: ({ text }, _, t) => (text ? [{ name: t('value.answer'), value: text }] : []),
};

const listOf = (value) => (Array.isArray(value) ? value : Array.isArray(parsed(value)) ? parsed(value) : []).filter((one) => one !== null && typeof one === 'object');

/** Returns an object that may have been written as JSON. */
function objectOf(value) {
  const found = typeof value === 'string' ? parsed(value) : value;
  return found !== null && typeof found === 'object' && !Array.isArray(found) ? found : {};
}

function parsed(value) {
  try { return JSON.parse(value); } catch { return null; }
}

function fieldName({ eid }, target, t) {
  const number = Number(String(eid).replace(/[[\]]/g, ''));
  const named = [target, ...(target?.others ?? [])].find((one) => one?.eid === number);
  return named?.name || targetName(named, t, eid);
}

function fieldValue({ text, option, options, checked }, t) {
  if (text !== undefined && text !== null) return text;
  if (typeof checked === 'boolean') return t(checked ? 'value.on' : 'value.off');
  return [option ?? options ?? []].flat().join(', ');
}

/** Returns the names of the columns that a JSON Schema of rows describes. */
function columnsOf(schema) {
  let at = schema;
  for (let depth = 0; at && depth < 8; depth++) {
    if (at.items) at = at.items;
    else {
      const inner = Object.values(at.properties ?? {}).find((one) => one?.items?.properties);
      if (!inner) break;
      at = inner;
    }
  }
  return Object.keys(at?.properties ?? {});
}
