// Agent document in the editor: a spec (board) and a text (YAML). The last edited form leads; the other is
// updated from the reply of the service.
//
//   lead      'board' or 'yaml'
//   behind    the other form has not been updated yet
//   readable  the text is a valid spec; otherwise the board shows the last valid one

import { sameSpec } from '../spec/spec.js';

export const docOf = ({ spec, yaml }) => ({ spec, yaml, lead: spec ? 'board' : 'yaml', behind: yaml === null, readable: spec !== null });

export const withSpec = (doc, spec) => (spec === doc.spec ? doc : { ...doc, spec, lead: 'board', behind: true, readable: true });

export const withText = (doc, yaml) => (yaml === doc.yaml ? doc : { ...doc, yaml, lead: 'yaml', behind: true });

/** Returns the leading form, as the service checks and saves it. */
export const requestBody = (doc) => (doc.lead === 'yaml' ? { yaml: doc.yaml } : { spec: doc.spec });

/** Updates the other form from the reply of the service. */
export function withReply(doc, { spec, yaml }) {
  if (doc.lead === 'board') return { ...doc, yaml: yaml ?? doc.yaml, behind: false };
  return { ...doc, spec: spec ?? doc.spec, readable: Boolean(spec), behind: false };
}

/** Reports whether the document differs from the file `base`: { spec, yaml, etag }, or null without a file. */
export function isDirty(doc, base) {
  if (base === null) return true;
  return doc.lead === 'yaml' ? doc.yaml !== base.yaml : !sameSpec(doc.spec, base.spec);
}

/** Reports whether the text has comments, which the board would lose. */
export const hasComments = (yaml) => /(^|\s)#/m.test(yaml ?? '');
