// An agent that is being edited: as a spec on the board and as text beside it. The
// one that was changed last leads; the other follows when the service has read it.
//
//   lead      'board' or 'yaml'
//   behind    the one that follows has not caught up yet
//   readable  the text could be read as a spec; else the board shows the last one that could

import { sameSpec } from '../spec/spec.js';

export const docOf = ({ spec, yaml }) => ({ spec, yaml, lead: spec ? 'board' : 'yaml', behind: yaml === null, readable: spec !== null });

export const withSpec = (doc, spec) => (spec === doc.spec ? doc : { ...doc, spec, lead: 'board', behind: true, readable: true });

export const withText = (doc, yaml) => (yaml === doc.yaml ? doc : { ...doc, yaml, lead: 'yaml', behind: true });

/** What the service is given to check or to save. */
export const written = (doc) => (doc.lead === 'yaml' ? { yaml: doc.yaml } : { spec: doc.spec });

/** The one that follows catches up with what the service answered. */
export function followed(doc, { spec, yaml }) {
  if (doc.lead === 'board') return { ...doc, yaml: yaml ?? doc.yaml, behind: false };
  return { ...doc, spec: spec ?? doc.spec, readable: Boolean(spec), behind: false };
}

/** `base` is the file: { spec, yaml, etag }, or null where there is none. */
export function isDirty(doc, base) {
  if (base === null) return true;
  return doc.lead === 'yaml' ? doc.yaml !== base.yaml : !sameSpec(doc.spec, base.spec);
}

/** Whether the text has remarks that the board knows nothing of. */
export const hasComments = (yaml) => /(^|\s)#/m.test(yaml ?? '');
