// Node of a transcript entry: one readable line, with details folded behind it.

import { h, icon } from '../shared/ui/dom.js';
import { fileLink } from '../files/file_list.js';
import { inline, isolated } from '../shared/ui/service_text.js';
import { isActive, stateIcon } from '../shared/run_status.js';
import { answerOf, underWay } from './agent_calls.js';
import { labelOf, outcomeOf } from '../background_tasks/tasks.js';
import { serviceMessage } from './service_messages.js';
import { percent, resultText, shortUrl, timeOf } from '../shared/text/format.js';
import { advice } from '../shared/text/action_text.js';
import { endedNext, line } from './entry_text.js';
import { markEnd } from './drafts.js';
import { sentLines } from './sent_requests.js';
import { effectLine, valueList } from './action_details.js';
import { questionTitle, resolvedLine } from '../question/question_text.js';

export function drawEntry(entry, t) {
  const draw = DRAW[entry.kind] ?? plain('info');
  const node = draw(entry, t);
  node.dataset.kind = entry.kind;
  if (entry.at) node.title = timeOf(entry, t);
  return node;
}

const row = (symbol, state, ...children) =>
  h('div', { class: 'entry row', data: { state } }, h('span', { class: 'entry-icon' }, icon(symbol)), h('div', { class: 'entry-body' }, ...children));

const plain = (symbol) => (entry, t) => row(symbol, 'plain', h('p', { class: 'entry-line' }, isolated(line(entry, t))));

const DRAW = {
  user: (e, t) => h('div', { class: 'entry user-message', data: { local: String(Boolean(e.local)) } }, h('span', { class: 'sr' }, t('speaker.you')), h('p', {}, e.text)),
  thoughts: (e, t) => folded('thoughts', line(e, t), thoughts(e.items, t)),
  action,
  observation: (e, t) => e.broken ? row('alert', 'failed', h('p', { class: 'entry-line' }, line(e, t))) : row('globe', 'observation', h('p', { class: 'entry-line' }, h('span', { class: 'sr' }, line(e, t)), h('strong', { 'aria-hidden': 'true' }, e.title || shortUrl(e.url)), h('span', { class: 'entry-url' }, shortUrl(e.url)))),
  message,
  writing: (e, t) => h('div', { class: 'entry fold writing', data: { state: e.state } }, h('p', { class: 'fold-head' }, h('span', { class: 'entry-icon' }, icon(e.state === 'stopped' ? 'stop' : e.state === 'paused' ? 'pause' : 'pencil')), h('span', { class: 'fold-line' }, line(e, t)))),
  question: questionEntry,
  policy: (e, t) => row('shield', 'failed', h('p', { class: 'entry-line', title: e.rule ? t('card.rule', { rule: e.rule }) : null }, line(e, t)), e.reason && h('p', { class: 'entry-sub' }, reasonText(e.reason, t))),
  plan: plain('list'),
  task,
  lease,
  compacted: (e, t) => (e.summary ? folded('compacted', line(e, t), h('p', { class: 'summary pre' }, e.summary)) : plain('info')(e, t)),
  budget: plain('alert'),
  call,
  child: plain('next'),
  childended: (e, t) => row(stateIcon(e.outcome), isGood(e) ? 'ok' : 'failed', h('p', { class: 'entry-line' }, line(e, t)), !isGood(e) && e.response && h('p', { class: 'entry-sub' }, e.response)),
  error: (e, t) => row('alert', 'failed', h('p', { class: 'entry-line' }, line(e, t)), h('p', { class: 'entry-sub' }, advice(e, t))),
  ended,
};

// The whole line unfolds. Its chevron is in the place of other entries' icons.
const folded = (name, summary, body) =>
  h('div', { class: `entry fold ${name}-fold` }, h('details', {}, h('summary', {}, h('span', { class: 'entry-icon' }, icon('next')), h('span', { class: 'fold-line' }, summary)), body));

const thoughts = (items, t) => h('ul', { class: 'thoughts' }, items.map((item, at) => thought(item, items[at - 1], items[at + 1], t)));

// States once what several thoughts of a turn share: step and confidence before the first, expectation after the last.
function thought(item, before, after, t) {
  const key = `thought.${item.type}`;
  const about = [item.step !== null && t('thought.about', { n: item.step }), item.confidence !== null && item.confidence < 1 && t('thought.sure', { part: percent(item.confidence) })].filter(Boolean);
  const same = before && before.step === item.step && before.confidence === item.confidence;
  return h('li', {}, h('span', { class: 'tag' }, [t.has(key) ? t(key) : item.type, ...(same ? [] : about)].join(' · ')), ' ', item.content,
    item.expects && item.expects !== after?.expects && h('span', { class: 'thought-more' }, t('thought.expects', { text: item.expects })));
}

/** Background task; its result unfolds. */
function task({ task: found, ...e }, t) {
  const state = isActive(found.status) || found.status === 'cancelled' ? 'plain' : isGood({ outcome: found.status }) ? 'ok' : 'failed';
  const { value, error } = isActive(found.status) ? { value: null, error: null } : outcomeOf(found);
  const text = resultText(value);
  return row(isActive(found.status) ? 'clock' : stateIcon(found.status), state, foldDetails(h('span', { class: 'entry-line' }, line({ ...e, task: found }, t)), [
    why(e, t),
    error && block(t('task.error'), h('pre', {}, error)),
    text && block(t('task.result'), h('pre', {}, text)),
    !isActive(found.status) && block(t('task.number'), h('p', {}, h('code', {}, found.taskId), found.childRunId && [' · ', h('a', { href: `#/runs/${e.rootId ?? e.runId}/${found.childRunId}`, 'aria-label': t('task.run.of', { label: labelOf(found, t) }) }, t('task.run'))])),
  ]));
}

function lease(e, t) {
  const node = plain(e.ending === 'lost' ? 'plug' : 'hand')(e, t);
  if (e.ending) node.dataset.lease = e.ending;
  return node;
}

const CODE = new Set(['python', 'shell', 'tool']);
const ACTION_ICON = { running: 'spinner', ok: 'check', failed: 'cross', stopped: 'stop' };

function action(e, t) {
  const failed = e.state === 'failed';
  const text = e.action === 'navigate' ? '' : resultText(e.result);
  const message = failed && e.error?.message;
  const words = h('span', { class: 'entry-line' }, isolated(line(e, t)), e.state === 'running' && h('span', { class: 'sr' }, ` ${t('underway')}`));
  return row(ACTION_ICON[e.state], e.state,
    foldDetails(words, [
      why(e, t),
      message && block(t(CODE.has(e.action) ? 'task.error' : 'action.error'), h('pre', {}, message)),
      text && block(t('action.result'), h('pre', {}, text)),
    ]),
    // Errors of code are explained by the agent's next message, not by a hint.
    failed && !CODE.has(e.action) && h('p', { class: 'entry-sub' }, advice(e.error, t, e.action ?? '')),
    valueList(e, t),
    effectLine(e, t),
    sentLines(e.sent, t),
    e.files?.map((file) => h('p', { class: 'entry-sub' }, fileLink(e.runId, file, t))),
    e.dropped > 0 && h('p', { class: 'entry-sub' }, t('action.dropped', { n: e.dropped })));
}

// Unfolds details, if there are any, from the line itself.
function foldDetails(words, blocks) {
  const found = blocks.filter(Boolean);
  if (found.length === 0) return h('p', {}, words);
  return h('details', { class: 'behind' }, h('summary', {}, words, icon('next')), ...found);
}

const why = (e, t) => e.thoughts?.length > 0 && block(t('action.why'), thoughts(e.thoughts, t));

const block = (title, body) => h('div', { class: 'behind-block' }, h('p', { class: 'tag' }, title), body);

/** Called agent; what it did and said unfolds. Its messages are no answer to the person. */
function call(e, t) {
  const [answer, now, failed] = [answerOf(e), e.state === 'running' && underWay(e), e.state === 'failed'];
  const words = h('span', { class: 'entry-line' }, line(e, t), e.state === 'running' && h('span', { class: 'sr' }, ` ${t('underway')}`));
  const text = answer ? '' : resultText(e.result);
  const reason = failed && firstWords(answer?.text ?? e.response ?? e.error?.message ?? '');
  const rest = failed && !answer && (e.response ?? e.error?.message ?? '');
  return row(e.state === 'running' ? 'spinner' : stateIcon(e.outcome), e.state,
    foldDetails(words, [
      why(e, t),
      e.inner.length > 0 && h('div', { class: 'call-inner' }, e.inner.map((one) => drawWithin(one, t))),
      rest && rest !== reason && block(t('task.error'), h('pre', {}, rest)),
      text && block(t('task.result'), h('pre', {}, text)),
    ]),
    now && h('p', { class: 'entry-sub call-now' }, line(now, t)),
    reason && h('p', { class: 'entry-sub call-why' }, inline(reason)),
    e.files.map((file) => h('p', { class: 'entry-sub' }, fileLink(e.runId, file, t))));
}

function drawWithin(entry, t) {
  const node = entry.kind === 'message' ? block(t(entry.final ? 'call.answer' : 'call.message'), prose(entry, t)) : drawEntry(entry, t);
  node.dataset.key = entry.key;
  return node;
}

/** Returns the first paragraph, which is for people. */
const firstWords = (text) => text.trim().split(/\n\s*\n/)[0];

function message(e, t) {
  const notice = e.final ? null : serviceMessage(e.text);
  if (notice) return h('div', { class: 'entry message', data: { final: 'false', testid: 'message' } }, h('span', { class: 'sr' }, t('speaker.agent')), h('div', { class: 'prose' }, h('p', {}, t(notice.key, notice.params))));
  return h('div', { class: 'entry message', data: { final: String(e.final), draft: e.draft, testid: e.final ? 'final' : 'message' } }, h('span', { class: 'sr' }, t('speaker.agent')), prose(e, t));
}

function prose(e, t) {
  const body = h('div', { class: 'prose' });
  // `html` was made from Markdown and sanitized by the server; no other markup enters this page.
  if (e.html) body.innerHTML = e.html;
  else body.append(h('p', { class: 'pre' }, e.text));
  for (const item of body.querySelectorAll('li')) {
    const mark = /^\s*([✓✕✗·])\s+/.exec(item.textContent)?.[1];
    if (mark) item.dataset.mark = mark; // has a mark in place of the bullet
  }
  for (const link of body.querySelectorAll('a[href]')) {
    link.target = '_blank';
    link.rel = 'noopener noreferrer';
  }
  if (e.draft) markEnd(body, e.draft === 'stopped' ? h('span', { class: 'cut' }, ' …') : h('span', { class: 'caret', 'aria-hidden': 'true' }));
  const rest = e.broke ? [...body.childNodes].filter((node) => node.nodeType !== 3).slice(1) : [];
  if (rest.length > 0) body.append(h('details', { class: 'behind broke', data: { testid: 'broke' } }, h('summary', {}, t('call.details'), icon('next')), ...rest));
  return body;
}

function questionEntry(e, t) {
  const open = e.state === 'open';
  const state = open ? 'asked' : ['confirmed', 'done', 'text'].some((key) => e.answer?.[key]) ? 'ok' : 'declined';
  return row(open ? 'question' : state === 'ok' ? 'check' : 'cross', state,
    h('p', { class: 'entry-over' }, t(`asked.${e.questionKind}`)),
    foldDetails(h('span', { class: 'entry-line' }, inline(questionTitle(e, t))), [why(e, t), e.answer?.done && e.answer.message && block(t('resolved.note'), h('p', {}, e.answer.message))]),
    h('p', { class: 'entry-sub' }, open ? t('asked.open') : resolvedLine(e, t)),
    sentLines(e.sent, t, false));
}

const isGood = ({ outcome }) => outcome === 'succeeded' || outcome === 'partial';

function ended(e, t) {
  const good = isGood(e);
  const next = endedNext(e, t);
  return h('div', { class: 'entry ended', data: { outcome: e.outcome } },
    e.response && h('div', { class: 'entry message', data: { final: 'true', testid: 'final' } }, h('p', { class: 'pre' }, e.response)),
    h('p', { class: 'ended-line' }, icon(good ? 'check' : 'stop'), h('span', {}, line(e, t))),
    next && h('p', { class: 'entry-sub' }, inline(next)));
}

const reasonText = (reason, t) => (typeof reason === 'string' ? reason : reason[t.locale] ?? reason.en ?? reason.uk ?? '');
