// Details of the selected span: inputs and outputs; prompt and answer of a model call; changes of a step;
// result of an action; for a group, shares of time.

import { h, icon } from '../shared/ui/dom.js';
import { prose } from '../shared/ui/service_text.js';
import { runPlan } from '../run/board/orchestration_plan.js';
import { amount, resultText } from '../shared/text/format.js';
import { questionTitle, resolvedLine } from '../question/question_text.js';
import { clockSeconds, shortNumber } from '../shared/text/locale.js';
import { translateQuestion } from '../question/questions.js';
import { resultOf } from '../run/board/orchestration.js';
import { effectLine, valueList } from '../chat/action_details.js';
import { sentBecauseOf, sentLines } from '../chat/sent_requests.js';
import { flowParts } from '../question/wire/flow.js';
import { requestDetails } from '../question/wire/request.js';
import { hiddenTable, unchangedLine, valueTable } from '../question/wire/values.js';
import { partsOf, withStage } from './spans/spans.js';
import { sharesOf } from './spans/time_shares.js';
import { entryFinder, isRelease, questionOf, codeWord, groupIcon, groupTitle, nodeWord, outcomeWord, roleWord, spanIcon, spanState, spanTitle, spanWord, formatDuration, tookMs } from './spans/span_text.js';

/** Nodes of the panel. `wants(name, detail)` receives intents; `entries` of the transcript tell what was sent. */
export function spanDetail(t, inside, now, wants, entries = []) {
  const { timeline, tree, picked, detail } = inside;
  const span = withStage(timeline.spans[picked ?? inside.id], timeline.spans);
  if (!span) return groupDetail(t, inside, now, wants);
  const read = detail?.key === span.id ? detail : null;
  const entryOf = entryFinder(entries);
  const ms = tookMs(span, now, entryOf(span));
  return [
    head(t, spanIcon(span), spanTitle(span, t, tree.labels[span.id], entryOf(span)), wants, h('span', { class: 'in-word', data: { state: spanState(span) } }, spanWord(span, t))),
    facts([
      [t('in.began'), clockSeconds(span.begin, t.locale)],
      span.kind !== 'item' && ms > 0 && [t(span.to === null ? 'in.since' : 'in.took'), `${span.estimated ? '≈ ' : ''}${formatDuration(ms, t.locale)}`],
      ...(FACTS[span.kind]?.(t, span) ?? []),
    ]),
    actionSection(t, span, entryOf(span)),
    sentSection(t, span, entries),
    askedSection(t, span, entries),
    ...body(t, inside, span, read, wants, entryOf),
  ].filter(Boolean);
}

function body(t, inside, span, read, wants, entryOf) {
  const parts = span.kind === 'step' ? partsOf(inside.timeline, span.id) : [];
  const list = parts.length > 0 && section(t('in.parts'), h('ul', { class: 'in-parts' }, parts.map((part) => h('li', { data: { key: part.id } },
    h('button', { class: 'in-part', data: { state: spanState(part) }, onclick: () => wants('inPick', { key: part.id }) }, icon(spanIcon(part)), h('span', {}, spanTitle(withStage(part, inside.timeline.spans), t, null, entryOf(part))), h('span', { class: 'in-part-took' }, partTook(t, tookMs(part, part.from, entryOf(part)))))))));
  if (read?.state === 'failed') return [list, h('p', { class: 'in-none', role: 'alert' }, t('in.detail.error'), ' ', h('button', { class: 'link', onclick: () => wants('inDetail') }, t('retry')))];
  if (read?.state === 'reading') return [list, h('p', { class: 'in-none', role: 'status' }, t('loading'))];
  return [list, ...(BODIES[span.kind]?.(t, span, read?.data ?? null, inside) ?? [])];
}

const partTook = (t, ms) => (ms > 0 ? formatDuration(ms, t.locale) : '');

const head = (t, symbol, title, wants, ...more) => h('header', { class: 'in-detail-head' }, icon(symbol), h('h2', {}, title), ...more,
  h('button', { class: 'quiet square in-close', 'aria-label': t('detail.close'), title: t('detail.close'), data: { testid: 'inside-close' }, onclick: () => wants('inPick', { key: null }) }, icon('cross')));

const facts = (rows) => h('dl', { class: 'in-facts' }, rows.filter((row) => row && row[1] !== null && row[1] !== '').map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))));

const money = (t, cost) => (cost === null ? t('in.money.unknown') : amount('money', cost, t));

const tokens = (t, { input_tokens: input, cached_tokens: cached, output_tokens: output }) => (input + output > 0 ? t('in.tokens', { input: shortNumber(input, t.locale), cached: shortNumber(cached, t.locale), output: shortNumber(output, t.locale) }) : null);

const FACTS = {
  run: (t, span) => [[t('in.agent'), t.agent(span.name)], [t('in.used'), tokens(t, span)], span.model_calls > 0 && [t('in.money'), money(t, span.cost)], span.version && [t('in.version'), span.version.slice(0, 8)]],
  step: (t, span) => [[t('in.node'), h('code', {}, span.name)], span.status !== 'running' && [t('in.outcome'), outcomeWord(span.status, t)]],
  call: (t, span) => [[t('in.model'), span.model], [t('in.role'), roleWord(span.name, t)], [t('in.used'), tokens(t, span)], [t('in.money'), money(t, span.cost)]],
  action: (t, span) => [!isRelease(span) && [t('in.action'), h('code', {}, span.name)], span.about?.url && [t('in.address'), span.about.url], [t('in.kind'), span.effect === null ? t('in.effect.none') : t('in.effect')], span.code && [t('in.code'), h('span', {}, codeWord(span.code, t, span.name), ' · ', h('code', {}, span.code))]],
  task: (t, span) => [[t('in.agent'), t.agent(span.name)], [t('in.task'), h('code', {}, span.task_id)]],
  item: (t, span) => [[t('in.agent'), t.agent(span.name)], [t('in.item'), h('code', {}, span.item_id)]],
};

const BODIES = {
  run: (t, span, run, inside) => (run ? [
    span.id !== inside.id && h('p', { class: 'in-links' }, h('a', { href: `#/inside/${span.id}` }, t('in.alone')), h('a', { href: `#/runs/${inside.root}/${span.id}` }, t('in.chat'))),
    runPlan(t, span, run, inside.timeline),
    section(t('detail.in'), values(t, run.input)),
    run.ended_at && section(t('detail.out'), values(t, resultOf(run)?.values ?? run.vars, run.final_response)),
  ] : []),
  step: (t, span, step) => (step ? [section(t('in.changes'), isEmpty(step.changes) ? h('p', { class: 'in-none' }, t('in.changes.none')) : code(step.changes))] : [h('p', { class: 'in-none' }, t('in.step.running'))]),
  call: (t, span, call) => (call ? messages(t, call, span.id) : [h('p', { class: 'in-none' }, t('in.call.unknown'))]),
  action: (t, span, effect) => (effect ? [section(t('in.intent'), code(effect.action)), section(t('in.receipt'), effect.receipt ? code(effect.receipt) : h('p', { class: 'in-none' }, t('in.receipt.none')))] : []),
  question: (t, span) => [section(t('in.asked'), h('p', {}, prose(questionTitle(questionOf(span), t))), span.reason && h('p', { class: 'in-quiet' }, translateQuestion(questionOf(span), t.locale).reason)), span.to !== null && section(t('in.answer'), h('p', {}, resolvedLine({ kind: span.name, by: span.status, answer: span.answer, client: span.client }, t)))],
  item: (t, span) => [span.error && h('p', { class: 'detail-error' }, icon('alert'), h('span', {}, prose(span.error)))],
};

// Values and effects of an action.
function actionSection(t, span, entry) {
  const parts = span.kind === 'action' && entry && !isRelease(span) ? [valueList(entry, t), effectLine(entry, t)].filter(Boolean) : [];
  return parts.length > 0 && section(t('in.action.values'), ...parts);
}

// Requests that left because of the action.
function sentSection(t, span, entries) {
  if (span.kind !== 'action') return null;
  const key = entryFinder(entries)(span)?.key ?? lastEntry(span, entries)?.key;
  const lines = key ? sentLines(sentBecauseOf(entries.filter(({ runId }) => runId === span.run_id), key), t).filter(Boolean) : [];
  return lines.length > 0 && section(t('in.sent'), ...lines);
}

// The action that a release belongs to: the last one of its name before.
const lastEntry = (span, entries) => entries.findLast((e) => e.kind === 'action' && e.runId === span.run_id && e.actionId === span.action_id && !(Date.parse(e.at) > span.from));

// Subject of a question: sites and text, address, values.
function askedSection(t, span, entries) {
  const payload = span.kind === 'question' ? entries.find((e) => e.kind === 'question' && e.reference === (span.reference ?? span.id))?.payload : null;
  const parts = payload ? [flowParts(payload, t), requestDetails(payload, t), valueTable(payload, t), hiddenTable(payload, t), unchangedLine(payload, t)].filter(Boolean) : [];
  return parts.length > 0 && section(t('in.asked.what'), ...parts);
}

function section(title, ...nodes) {
  return h('section', { class: 'in-section', data: { key: title } }, h('h3', {}, title), ...nodes.flat());
}

const isEmpty = (value) => value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);

const code = (value) => h('pre', { class: 'in-code', tabindex: '0' }, resultText(value));

function values(t, map, response = null) {
  const rows = Object.entries(map ?? {}).filter(([name]) => name !== 'locale'); // set by the page for every run
  const message = response && !rows.some(([, value]) => value === response) ? h('p', { class: 'in-response' }, prose(response)) : null;
  if (rows.length === 0) return message ?? h('p', { class: 'in-none' }, t('detail.none'));
  return [message, h('dl', { class: 'in-values' }, rows.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, h('pre', { class: 'in-code', tabindex: '0' }, resultText(value) || '—')))))].filter(Boolean);
}

// ------------------------------------------------------- prompt and answer

function messages(t, call, id) {
  const prompt = call.messages ?? [];
  return [
    call.error && h('p', { class: 'detail-error' }, icon('alert'), h('span', {}, prose(String(call.error)))),
    prompt.length > 0 && section(t('in.prompt'), prompt.map((message, at) => h('details', { class: 'in-message', open: at === prompt.length - 1, data: { key: `${id}-${at}` } },
      h('summary', {}, h('span', { class: 'in-speaker' }, speaker(t, message.role)), h('span', { class: 'in-peek' }, textOf(t, message.content).slice(0, 120)), h('span', { class: 'in-size' }, t('in.chars', { n: textOf(t, message.content).length }))),
      h('pre', { class: 'in-code', tabindex: '0' }, textOf(t, message.content))))),
    section(t('in.response'), isEmpty(call.text ?? call.answer) ? h('p', { class: 'in-none' }, t('in.response.none')) : code(answerOf(call.text ?? call.answer))),
  ];
}

const speaker = (t, role) => (t.has(`in.speaker.${role}`) ? t(`in.speaker.${role}`) : role);

/** Returns the text of a message; pictures are mentioned. */
function textOf(t, content) {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return resultText(content);
  return content.map((part) => part.text ?? (part.type === 'text' ? '' : `[${t('in.picture')}]`)).join('\n');
}

/** Formats JSON that arrived as text in lines. */
function answerOf(answer) {
  if (typeof answer !== 'string' || !/^\s*[[{]/.test(answer)) return answer;
  try { return JSON.parse(answer); } catch { return answer; }
}

// ------------------------------------------------------------------ groups

function groupDetail(t, { tree, picked }, now, wants) {
  const [run, group] = [picked.slice(0, picked.lastIndexOf('/')), picked.slice(picked.lastIndexOf('/') + 1)];
  const spans = tree.below[run]?.[group] ?? [];
  const word = { step: (name) => nodeWord(name, t), call: (name) => roleWord(name, t), action: (name) => name }[group] ?? ((name) => name);
  return [
    head(t, groupIcon(group) ?? 'list', groupTitle({ group, spans }, t), wants),
    h('table', { class: 'in-shares' }, h('caption', {}, t('in.shares')),
      h('tbody', {}, sharesOf(spans, now).map(({ name, n, ms, part, slowest }) => h('tr', { data: { key: name } },
        h('th', { scope: 'row' }, word(name)), h('td', {}, t('in.times', { n })), h('td', {}, formatDuration(ms, t.locale)),
        h('td', { class: 'in-share' }, h('i', { style: `inline-size: ${(part * 100).toFixed(1)}%` })),
        h('td', {}, h('button', { class: 'link', onclick: () => wants('inPick', { key: slowest.id }) }, t('in.slowest'))))))),
  ];
}
