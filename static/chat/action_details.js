// Values and effects of an action as nodes beneath its line; the same in the transcript and the timeline.

import { h } from '../shared/ui/dom.js';
import { actionValues } from '../shared/text/action_values.js';

/** Table of the values that an action was given, or null. */
export function valueList(entry, t) {
  const rows = actionValues(entry, t);
  return rows.length > 0 && h('dl', { class: 'entry-values', data: { testid: 'action-values' } },
    rows.map(({ name, value }) => h('div', {}, h('dt', { dir: 'auto' }, name), h('dd', { dir: 'auto' }, value))));
}

/** Line about what an action did. `summary` of the fact is for planners, in English, and is not shown. */
export function effectLine({ summaryTexts }, t) {
  const text = summaryTexts?.[t.locale];
  return text && h('p', { class: 'entry-sub', data: { testid: 'action-summary' } }, text);
}
