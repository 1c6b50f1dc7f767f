// Connects socket, models and elements: state becomes views, intents become calls. Draws nothing, and decides
// nothing about a run.

import './elements.js';
import * as api from './transport/api.js';
import { Workspace } from './app/workspace.js';
import { Announcer } from './app/announcer.js';
import { TaskFiles } from './files/task_files.js';
import { MessageSender } from './composer/message_sender.js';
import { ModelConnectionState } from './model_connection/connection_state.js';
import { ServerLists } from './app/server_lists.js';
import { TaskListState } from './task_list/task_list_state.js';
import { AgentsState } from './agents/agents_state.js';
import { SaveCheck } from './run/save_check.js';
import { TimelineState } from './timeline/timeline_state.js';
import { DrawSchedule, showIn } from './app/draw_schedule.js';
import { WaitingQuestions } from './question/waiting_questions.js';
import { TaskScope } from './transport/task_scope.js';
import { claimWindow } from './transport/caller.js';
import { PlanActions } from './plan/plan_actions.js';
import { pickLocale, translator } from './shared/text/locale.js';
import { isActive } from './shared/run_status.js';
import { isFolded } from './question/questions.js';
import { meansStop } from './app/key_meanings.js';
import { withoutHints } from './layout/notices.js';
import { routeOf } from './app/route.js';
import { sideContent, boardOf, acceptsMessages } from './run/board/board_content.js';
import { Escape } from './app/escape_key.js';
import { ownOrigin, socketUrl, toSignIn, urlOf } from './transport/service.js';
import { storeUnsentTexts, takeUnsentTexts } from './composer/unsent_texts.js';
import { currentTheme, recall, remember, useTheme, windows } from './shared/preferences.js';
import { followKeyboard } from './app/viewport.js';

const $ = (selector) => document.querySelector(selector);
const elements = ['af-topbar', 'af-runs', 'af-welcome', 'af-composer', 'af-runbar', 'af-chat', 'af-tasks', 'af-plan', 'af-question', 'af-live', 'af-lease', 'af-filmstrip', 'af-files', 'af-grants', 'af-browsers', 'af-model', 'af-agents', 'af-run-form', 'af-editor', 'af-runboard', 'af-inside', 'af-compare', 'af-ask', 'af-notices', 'af-waiting'].map($);
const [, , welcome, composer, , , , , question, live] = elements;

let [t, settings] = [null, null];
let [here, route] = [{}, 'welcome']; // as app/route.js returns it
let watched = null; // for a run with lanes: 'board' or 'page'
let [drawerOpen, collapsed] = [false, false];
let drawnOf = null; // task that the elements show
let opening = null; // started task that is being opened

const serverLists = new ServerLists(() => render());
const showError = (error) => { workspace.notice(error); render(); };
const task = new TaskScope(); // scope of the open task
const waiting = new WaitingQuestions(() => render());
const files = new TaskFiles(() => render(), showError, task);
const go = (hash) => { location.hash = hash; };
const agentsState = new AgentsState({ changed: () => render(), notice: showError, go, words: () => t }, task);
const savable = new SaveCheck(() => render());
const inside = new TimelineState({ changed: () => render(), notice: showError, go, locale: () => t.locale, follow: (rootId) => workspace.open(rootId) });
const planning = new PlanActions({ changed: () => render(), notice: showError, answer: (reference, fields) => workspace.answer(reference, fields) }, task);
const list = new TaskListState({ changed: () => render(), notice: showError, hint: (key) => workspace.hint(key), say: (text) => announcer.say(text), go, words: () => t, draft: (text) => { messages.begin(text); focusSoon(); }, fill: (given) => agentsState.intents.again(given), ask: (question) => agentsState.intents.ask({ question }), current: () => workspace.current, serverLists });
const connecting = new ModelConnectionState({ changed: () => render(), connected: () => { messages.forgetModels(); return readSettings(); }, locale: () => t.locale });
const announcer = new Announcer($('#polite'), $('#urgent'));
const messages = new MessageSender({
  changed: () => render(), refused: showError,
  start: (words, more, key) => workspace.start(words, more, key),
  // A stop word as an ordinary message would be read only after the work that it should stop.
  say: (words, to) => (meansStop(words) && workspace.isActive(to) ? workspace.command('stop', to) : workspace.say(words, to)),
  given: (rootId) => files.load(rootId),
  back: (key) => { if (key === shownKey()) focusSoon(); },
});
const workspace = new Workspace(socketUrl(), {
  refused: () => api.me().catch(() => {}), // dispatches `signedout` if the person is signed out
  change: () => { if (early && workspace.connection.state !== 'connecting') startDemo(); render(); },
  picture: (picture) => live.show(picture).finally(() => workspace.ack(picture.frame)),
  facts: (facts) => handleFacts(facts),
  // A person who has opened another task meanwhile stays there.
  opened: (rootId, key) => { messages.started(key, rootId); if (route !== 'run') [opening, location.hash] = [rootId, `#/runs/${rootId}`]; },
  waiting: (frame) => waiting.tell(frame),
  notStarted: (key) => messages.notStarted(key),
  unknownRun: (frame) => lost(frame),
}, () => t);

/** Handles a missing or deleted task; nothing is shown unless it is the open one. */
function lost(frame) {
  const deleted = frame.run_id ?? null;
  const tell = deleted === null || (list.gone(deleted) && deleted === workspace.current);
  if (tell) workspace.notice(deleted ? { code: 'deleted_run' } : frame);
  if (deleted === null || deleted === workspace.current) go('#/new');
}

// ---------------------------------------------------------------- drawing

const drawing = new DrawSchedule(draw);

function render() {
  if (t) drawing.soon(workspace.pendingCount);
}

function draw() {
  const state = workspace.describe();
  planning.update(state);
  const board = route === 'run' ? boardOf(state.run, here.child, agentsState, watched, state.version) : null;
  const beside = sideContent(board, state.liveRun, agentsState.agents.items);
  const talks = acceptsMessages(state.liveRun, agentsState.agents.items);
  const view = { t, settings, route, drawerOpen, collapsed, waiting: waiting.list, waitingCount: waiting.list.total, board, beside, talks, savable: route === 'run' && savable.of(workspace.current, state.liveRun, talks), theme: currentTheme(), runs: serverLists.runs, grants: serverLists.grants, audit: serverLists.audit, browsers: serverLists.browsers, mine: windows(), draft: messages.of(shownKey()), files: files.of(workspace.current), why: inside.reasons.of(route, here.child ?? workspace.current, state, t), ...agentsState.view, ...planning.view, ...inside.view, ...connecting.view, list: list.view, ...state, title: list.titleOf(workspace.current) ?? state.title };
  document.body.dataset.route = route;
  document.body.dataset.watch = beside;
  document.body.toggleAttribute('data-drawer', drawerOpen);
  document.body.toggleAttribute('data-question', Boolean(state.question) && !state.questionReadonly && !view.planning.approves && !isFolded(view));
  document.body.toggleAttribute('data-in-control', route === 'run' && state.lease.mine && !state.isReplay && isActive(state.liveRun.status));
  showIn(elements, view, drawnOf !== workspace.current);
  drawnOf = workspace.current;
  escape.update(view);
  placeComposer();
  document.title = announcer.title(view);
  workspace.watch(route === 'run' && !collapsed && !document.hidden && beside === 'page', { max_width: Math.max(320, Math.min(1600, live.pictureWidth)), max_fps: 30, quality: 70 });
}

function placeComposer() {
  const home = route === 'run' ? $('.dock') : welcome.slotForComposer;
  if (home && composer.parentElement !== home) home.append(composer);
}

function handleFacts(facts) {
  const live = facts.filter((fact) => (workspace.known[fact.root_run_id ?? fact.run_id]?.targetSeq ?? 0) < fact.seq);
  announcer.tell(live, t, live.length ? otherTitle(live[0].root_run_id ?? live[0].run_id) : null);
  files.hear(live, (fact) => fact.root_run_id ?? fact.run_id);
  for (const one of [serverLists, list, inside]) one.hear(facts);
}

/** Returns the title of a task; null for the open one. */
function otherTitle(rootId) {
  return rootId === workspace.current ? null : list.titleOf(rootId) ?? workspace.known[rootId]?.run.title ?? null;
}

// ---------------------------------------------------------------- intents

const INTENTS = {
  ...serverLists.intents(showError), ...agentsState.intents, ...list.intents, ...planning.intents, ...inside.intents, ...connecting.intents,
  say: ({ text }) => announcer.say(text),
  watch: ({ what }) => { watched = what; },
  words: ({ key, text }) => messages.write(key, text),
  attach: ({ key, files: given }) => messages.attach(key, given),
  detach: ({ file }) => messages.detach(file),
  chooseModel: ({ key, name }) => messages.choose(key, name || null),
  send({ key }) {
    if (isFresh()) goesOnWriting = composer.contains(document.activeElement);
    return messages.send(key);
  },
  demo: () => startDemo(),
  moreWaiting: () => waiting.more().catch(showError),
  draft: ({ text }) => { messages.write(shownKey(), text); focusSoon(); },
  answer: ({ reference, fields }) => workspace.answer(reference, fields),
  control: ({ command }) => workspace.command(command),
  input: ({ fields }) => workspace.input(fields),
  async choose({ number, files: given }) {
    const asks = workspace.current;
    workspace.input({ kind: 'files', number, names: await files.giveToPage(asks, given) }, asks);
  },
  replay: ({ seq }) => { workspace.replaySeq = seq; },
  retry: () => workspace.socket.retryNow(),
  dismiss: ({ id }) => workspace.dismiss(id),
  collapse: () => { collapsed = !collapsed; },
  drawer: () => openDrawer(!drawerOpen),
  locale: () => useLocale(t.locale === 'uk' ? 'en' : 'uk'),
  theme: () => useTheme(currentTheme() === 'dark' ? 'light' : 'dark'),
  signOut: () => api.signOut().then(() => location.assign(urlOf('/')), showError),
};

document.addEventListener('intent', (event) => {
  Promise.resolve(INTENTS[event.detail.name]?.(event.detail)).then(render);
});

// Reports whether the composer's text begins a new task.
const isFresh = () => route !== 'run' || !workspace.current;
const shownKey = () => (isFresh() ? opening ?? messages.fresh : workspace.current);

/** Focuses the composer after the next drawing. */
function focusSoon() {
  render();
  requestAnimationFrame(() => composer.focus());
}

// A press before the first connection is remembered, and starts the demo with the connection.
let early = false;
function startDemo() {
  const { state, everOpen, tries } = workspace.connection;
  early = state === 'connecting' && !everOpen && tries === 0;
  if (!early) workspace.start(t('demo.order', { origin: ownOrigin() }));
}

// The drawer of a narrow window takes the focus and returns it.
function openDrawer(open) {
  drawerOpen = open;
  draw();
  $(open ? '.new-task' : '.menu').focus();
}

const escape = new Escape(question, {
  drawer: () => openDrawer(false),
  instead: () => question.closeInstead(),
  hint: () => workspace.hint('stop.again'),
  stop: () => { workspace.notices = withoutHints(workspace.notices); workspace.command('stop'); render(); },
});

// Unsent text survives signing in again.
addEventListener('signedout', () => { composer.tell(); storeUnsentTexts(messages.unsentTexts); toSignIn(); }, { once: true });

followKeyboard();
$('.scrim').addEventListener('click', () => openDrawer(false));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', render);
document.addEventListener('visibilitychange', render);

// ---------------------------------------------------------------- choices

function readSettings() {
  return api.settings().then((found) => { settings = found; t.currency = found.currency; render(); }, () => {});
}

async function useLocale(locale) {
  t = Object.assign(translator(await api.words(locale), locale), { agent: (name) => agentsState.titleOf(name, locale), titled: (title, agent) => agentsState.titleOf(agent, locale, title ?? ''), ...(settings && { currency: settings.currency }) });
  remember('locale', locale);
  document.documentElement.lang = locale;
  $('.skip').textContent = t('skip');
  workspace.translate();
  announcer.hush(); // drops announcements in the previous language
  if (workspace.connection.state === 'open') workspace.attach(workspace.current);
  render();
}

// ----------------------------------------------------------------- routes

function followHash() {
  here = routeOf(location.hash);
  route = here.route;
  [drawerOpen, opening] = [false, null];
  messages.settle();
  if (route === 'run' || route === 'welcome') {
    if (workspace.current !== (here.id ?? null)) watched = null;
    workspace.open(here.id ?? null, here.child, here.question);
    if (task.enter(workspace.current)) for (const one of [planning, escape]) one.leave();
  }
  for (const one of [serverLists, agentsState, inside, connecting]) one.show(here);
  if (route === 'run') files.load(workspace.current);
  render();
}

/** True if the first line of a new task was sent while the field had the focus. */
let goesOnWriting = false;

addEventListener('hashchange', () => {
  if (!t) return; // texts are not loaded yet; the start below follows the hash
  followHash();
  // A new page is shown from its top.
  $('#main').scrollTop = 0;
  const writes = route === 'welcome' || goesOnWriting;
  goesOnWriting = false;
  requestAnimationFrame(() => (writes ? composer.focus() : $('main h1[tabindex]:not([hidden] *)')?.focus({ preventScroll: true })));
});

// Opens on a return the task that waits, or the last one.
const comeBack = () => Promise.all([serverLists.reload(), waiting.reload()]).then(() => {
  const run = location.hash ? null : serverLists.leftOpen(recall('run'))?.run_id ?? waiting.alone;
  if (run) location.hash = `#/runs/${run}`;
});

await Promise.all([useLocale(pickLocale(navigator.languages, recall('locale'))), claimWindow()]);
followHash();
messages.restore(takeUnsentTexts());
if (route === 'welcome' && matchMedia('(pointer: fine)').matches) requestAnimationFrame(() => composer.focus());
workspace.socket.connect();
readSettings();
comeBack();
