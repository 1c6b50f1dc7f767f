// Plan item: a line with its mark; unfolded, its criteria, number of attempts, and the evidence of its
// evaluation.

import { h, icon } from '../shared/ui/dom.js';
import { prose } from '../shared/ui/service_text.js';
import { itemIcon } from './plan.js';
import { cut, resultText, shortUrl } from '../shared/text/format.js';
import { urlOf } from '../transport/service.js';

const LONG = 1200; // characters of the seen text

/** `over`: the run has ended. */
export function planItem(t, item, { current, live, over = false, all }) {
  const left = over && (item.status === 'running' || item.status === 'queued');
  const status = left ? 'left' : item.status === 'running' && !live ? 'queued' : item.status;
  // Number of failed attempts: the running one is not counted yet, and an accepted one was the last.
  const failed = Math.max((item.attempts ?? 0) - (status === 'succeeded' ? 1 : 0), 0);
  const attempt = status === 'failed' || left || status === 'skipped' ? failed : failed + 1;
  const tried = failed > 0;
  const blocks = [criteria(t, item), needs(t, item, all), evidence(t, item), work(t, item)].flat().filter(Boolean);
  const line = [
    h('span', { class: 'plan-mark' }, icon(itemIcon(status))),
    h('span', { class: 'plan-text' }, h('span', { class: 'plan-words' }, item.description),
      h('span', { class: tried || left || status === 'failed' || status === 'running' ? 'plan-state' : 'sr' }, [` ${t(`plan.status.${status}`)}`, tried && t('plan.attempts', { n: attempt, max: Math.max(attempt, item.max_attempts ?? 3) })].filter(Boolean).join(' · '))),
  ];
  return h('li', { class: 'plan-item', data: { key: `i${item.position}`, status, testid: 'plan-item' }, 'aria-current': current ? 'step' : null },
    blocks.length ? h('details', {}, h('summary', {}, line, icon('next')), h('div', { class: 'plan-more' }, blocks)) : h('p', { class: 'plan-line' }, line));
}

const row = (name, body) => h('div', { class: 'plan-row' }, h('p', { class: 'tag' }, name), body);

const criteria = (t, item) => item.acceptance_criteria && row(t('plan.criteria'), h('p', {}, item.acceptance_criteria));

function needs(t, item, all) {
  const names = (item.dependencies ?? []).filter((position) => all.some((other) => other.position === position));
  return names.length > 0 && row(t('plan.needs'), h('p', {}, t('plan.needs.items', { n: names.length, list: names.join(', ') })));
}

// Evidence: reason for acceptance or rejection, and what was seen.
function evidence(t, item) {
  const found = item.evidence;
  if (!found) return null;
  const by = t.has(`plan.by.${found.by}`) ? t(`plan.by.${found.by}`) : '';
  return row(t('plan.evidence'), h('div', { class: 'evidence', data: { accepted: String(found.accepted), testid: 'evidence' } },
    h('p', { class: 'verdict' }, icon(found.accepted ? 'check' : 'cross'), h('span', {}, h('strong', {}, [t(found.accepted ? 'plan.accepted' : 'plan.rejected'), by].join(' ').trim()), found.why && `: ${found.why}`)),
    found.picture && h('a', { class: 'evidence-picture', href: urlOf(found.picture), target: '_blank', rel: 'noopener' }, h('img', { src: urlOf(found.picture), alt: t('plan.picture', { name: item.description }), loading: 'lazy', decoding: 'async', onerror: (event) => event.target.parentNode?.remove() })),
    found.url && h('p', { class: 'evidence-url' }, icon('globe'), address(found.url)),
    found.text && h('details', { class: 'evidence-text' }, h('summary', {}, t('plan.seen')), h('pre', {}, cutLong(found.text)))));
}

// Only HTTP addresses become links: an address comes from a page.
const address = (url) => (/^https?:/i.test(url) ? h('a', { href: url, target: '_blank', rel: 'noopener noreferrer' }, shortUrl(url)) : h('span', {}, shortUrl(url)));

function work(t, item) {
  const text = resultText(item.execution_result);
  if (!item.chosen_tool && !text) return null;
  return [
    item.chosen_tool && row(t('plan.tool'), h('p', {}, h('code', {}, item.chosen_tool))),
    text && row(t('plan.result'), text.length > 120 || text.includes('\n') ? h('pre', {}, cutLong(text)) : h('p', {}, prose(cut(text, 200)))),
  ].filter(Boolean);
}

const cutLong = (text) => (text.length > LONG ? `${text.slice(0, LONG)}…` : text);
