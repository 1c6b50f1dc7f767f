// Words for a file that has arrived, whose facts the service sends as the values `file`, `type` and `size`.

import { fileSize } from '../../shared/text/format.js';
import { visible } from '../../shared/text/visible.js';

const ROWS = new Set(['file', 'type', 'size']);

/** Kinds of files as the service names them (`src/files/runnable.rs`). */
const KINDS = {
  'Windows program': 'windows', 'Linux program': 'linux', script: 'script', shortcut: 'shortcut',
  'archive with macros or code': 'archive', 'document with macros': 'document', program: 'program',
};

/** Reports whether the question is about a file that has arrived. */
export const isArrived = ({ effect_class: effect, layer }) => effect === 'download' && layer === 'wire';

/** Returns the name of a value of such a question. */
export const downloadName = (name, t) => (ROWS.has(name) ? t(`download.${name}`) : null);

/** Returns a value of such a question; several files have theirs joined by "; ". */
export function downloadValue(name, value, { request } = {}, t) {
  if (typeof value !== 'string') return value;
  if (name === 'type') return value.split('; ').map((kind) => (KINDS[kind] ? t(`download.kind.${KINDS[kind]}`) : kind)).join('; ');
  if (name === 'size' && !value.includes('; ') && Number.isFinite(request?.size)) return fileSize(request.size, t);
  return visible(value);
}
