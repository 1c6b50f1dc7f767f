// Words for what a remembered approval covers: `covers: { origin, method, path, fields, role }`.

import { hostOf, visibleLine } from '../../shared/text/visible.js';

const MOST_FIELDS = 5; // names of fields in a line

/** @typedef {{ origin: string, method: string, path: string, fields: string[], role: string }} Covers */

/** Reports whether the approval is bound to a form or request. Older ones are not. */
export const isBound = (covers) => Boolean(covers?.origin);

/** Returns "POST shop.example/cart/*". */
export function coveredPlace({ origin, method, path }) {
  return [visibleLine(method), `${hostOf(origin)}${visibleLine(path)}`].filter(Boolean).join(' ');
}

/** Returns "fields a, b and 3 more"; an empty text without fields. Fields with a label are named by it. */
export function coveredFields({ fields }, t, most = MOST_FIELDS, labels = null) {
  const names = (Array.isArray(fields) ? fields : []).map((name) => visibleLine(labels?.[name] ?? name)).filter(Boolean);
  if (names.length === 0) return '';
  const shown = names.slice(0, most).join(', ');
  return names.length > most ? t('covers.fields.more', { n: names.length - most, fields: shown }) : t('covers.fields', { n: names.length, fields: shown });
}

/** Returns 'by the button "Add to cart"'; the service writes role and name as "button Add to cart". */
export function coveredRole({ role }, t) {
  const [kind = '', ...name] = visibleLine(role).split(' ');
  const word = t.has(`role.${kind}`) ? t(`role.${kind}`) : '';
  if (!kind) return '';
  if (!word) return t('covers.control', { name: [kind, ...name].join(' ') });
  return name.length > 0 ? t('covers.role', { role: word, name: name.join(' ') }) : t('covers.kind', { role: word });
}

/** Returns what any choice but "once" covers: "POST shop.example/cart/*, fields a, b". */
function coversLine({ covers, labels }, t) {
  const what = t(covers.method ? 'covers.form' : 'covers.control.only', { place: coveredPlace(covers) });
  return [what, coveredFields(covers, t, MOST_FIELDS, labels), coveredRole(covers, t)].filter(Boolean).join(', ');
}

/** Returns what one choice of "remember" covers and how long it lasts; `payload` is the question's. */
export function choiceLine(payload, choice, t) {
  if (choice === 'once') return t('covers.once');
  if (choice === 'action') return t('covers.action', { host: hostOf(payload.covers.origin) });
  return [coversLine(payload, t), t.has(`covers.lasts.${choice}`) && t(`covers.lasts.${choice}`)].filter(Boolean).join('; ');
}
