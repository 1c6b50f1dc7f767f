// Wires the socket, the models and the elements: state in, views out, intents
// back. Nothing is drawn here and nothing is decided about a run.

import './elements/all.js';
import * as api from './transport/api.js';
import { Workspace } from './workspace.js';
import { Announcer } from './announcer.js';
import { Files } from './files.js';
import { Connecting } from './connecting.js';
import { Library } from './library.js';
import { Desk } from './desk.js';
import { Inside } from './inside.js';
import { Drawing, showIn } from './drawing.js';
import { Planning } from './planning.js';
import { pickLocale, translator } from './models/locale.js';
import { isActive } from './models/status.js';
import { isFolded } from './models/questions.js';
import { meansStop } from './models/keys.js';
import { hushed } from './models/notices.js';
import { routeOf } from './models/route.js';
import { besides, boardOf, takesWords } from './models/boardview.js';
import { Escape } from './escape.js';
import { currentTheme, recall, remember, useTheme, windows } from './preferences.js';
import { followKeyboard } from './viewport.js';

const $ = (selector) => document.querySelector(selector);
const elements = ['af-topbar', 'af-runs', 'af-welcome', 'af-composer', 'af-runbar', 'af-chat', 'af-tasks', 'af-plan', 'af-question', 'af-live', 'af-lease', 'af-filmstrip', 'af-files', 'af-grants', 'af-browsers', 'af-model', 'af-agents', 'af-run-form', 'af-editor', 'af-runboard', 'af-inside', 'af-compare', 'af-ask', 'af-notices'].map($);
const [, , welcome, composer, , , , , question, live] = elements;

let [t, settings] = [null, null];
let [here, route] = [{}, 'welcome']; // as models/route.js names it
let watched = null; // of a run with lanes: 'board' or 'page'
let [drawerOpen, collapsed] = [false, false];

const library = new Library(() => render());
const told = (error) => { workspace.notice(error); render(); };
const files = new Files(() => render(), told);
const go = (hash) => { location.hash = hash; };
const desk = new Desk({ changed: () => render(), notice: told, go, words: () => t });
const inside = new Inside({ changed: () => render(), notice: told, go, locale: () => t.locale, follow: (rootId) => workspace.open(rootId) });
const planning = new Planning({ changed: () => render(), notice: told, answer: (reference, fields) => workspace.answer(reference, fields) });
const connecting = new Connecting({ changed: () => render(), connected: () => readSettings(), locale: () => t.locale });
const announcer = new Announcer($('#polite'), $('#urgent'));
const workspace = new Workspace(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`, {
  change: () => { if (early && workspace.connection.state !== 'connecting') startDemo(); render(); },
  picture: (picture) => live.show(picture).finally(() => workspace.ack(picture.frame)),
  facts: (facts) => heard(facts),
  opened: (rootId) => { files.started(rootId); connecting.choose(null); location.hash = `#/runs/${rootId}`; },
  notStarted: (text) => { files.notStarted(); composer.draft(text); },
  unknownRun: (frame) => { workspace.notice(frame); location.hash = '#/new'; },
}, () => t);

// ---------------------------------------------------------------- drawing

const drawing = new Drawing(draw);

function render() {
  if (t) drawing.soon(workspace.behind);
}

function draw() {
  const state = workspace.describe();
  planning.see(state);
  const waitingCount = (library.runs.items ?? []).filter((run) => run.status === 'waiting').length;
  const board = route === 'run' ? boardOf(state.run, here.child, desk, watched, state.version) : null;
  const beside = besides(board, state.liveRun, desk.agents.items);
  const view = { t, settings, route, drawerOpen, collapsed, waitingCount, board, beside, talks: takesWords(state.liveRun, desk.agents.items), theme: currentTheme(), runs: library.runs, grants: library.grants, browsers: library.browsers, mine: windows(), attached: files.attached, files: files.of(workspace.current), why: inside.reasons.of(route, here.child ?? workspace.current, state, t), ...desk.view, ...planning.view, ...inside.view, ...connecting.view, ...state };
  document.body.dataset.route = route;
  document.body.dataset.watch = beside;
  document.body.toggleAttribute('data-drawer', drawerOpen);
  document.body.toggleAttribute('data-question', Boolean(state.question) && !state.questionReadonly && !view.planning.approves && !isFolded(view));
  document.body.toggleAttribute('data-hands', route === 'run' && state.lease.mine && !state.isReplay && isActive(state.liveRun.status));
  showIn(elements, view);
  escape.see(view);
  placeComposer();
  document.title = announcer.title(view);
  workspace.watch(route === 'run' && !collapsed && !document.hidden && beside === 'page', { max_width: Math.max(320, Math.min(1600, live.pictureWidth)), max_fps: 30, quality: 70 });
}

function placeComposer() {
  const home = route === 'run' ? $('.dock') : welcome.slotForComposer;
  if (home && composer.parentElement !== home) home.append(composer);
}

function heard(facts) {
  const live = facts.filter((fact) => (workspace.known[fact.root_run_id ?? fact.run_id]?.targetSeq ?? 0) < fact.seq);
  announcer.tell(live, t);
  files.hear(live, (fact) => fact.root_run_id ?? fact.run_id);
  for (const one of [library, inside]) one.hear(facts);
}

// ---------------------------------------------------------------- intents

const INTENTS = {
  ...library.intents(told), ...desk.intents, ...planning.intents, ...inside.intents, ...connecting.intents,
  say: ({ text }) => announcer.say(text),
  watch: ({ what }) => { watched = what; },
  attach: ({ files: given }) => files.attach(given, isFresh()),
  detach: ({ key }) => files.detach(key),
  async send({ text }) {
    // What it speaks of is there before the words are.
    if (isFresh()) {
      goesOnWriting = composer.contains(document.activeElement);
      const given = await files.ahead();
      const { chosen } = connecting.view.modelChoice;
      return given ? workspace.start(text, { ...(given.length ? { files: given } : {}), ...(chosen ? { model: chosen } : {}) }) : composer.draft(text);
    }
    if (!(await files.give(workspace.current))) return composer.draft(text);
    // Read in its turn it would come when there is nothing left to stop.
    return meansStop(text) && isActive(workspace.describe().liveRun?.status) ? workspace.command('stop') : workspace.say(text);
  },
  demo: () => startDemo(),
  draft: ({ text }) => composer.draft(text),
  answer: ({ reference, fields }) => workspace.answer(reference, fields),
  control: ({ command }) => workspace.command(command),
  input: ({ fields }) => workspace.input(fields),
  replay: ({ seq }) => { workspace.replaySeq = seq; },
  retry: () => workspace.socket.retryNow(),
  dismiss: ({ id }) => workspace.dismiss(id),
  collapse: () => { collapsed = !collapsed; },
  drawer: () => openDrawer(!drawerOpen),
  locale: () => useLocale(t.locale === 'uk' ? 'en' : 'uk'),
  theme: () => useTheme(currentTheme() === 'dark' ? 'light' : 'dark'),
};

document.addEventListener('intent', (event) => {
  Promise.resolve(INTENTS[event.detail.name]?.(event.detail)).then(render);
});

// What is written now begins a task.
const isFresh = () => route !== 'run' || !workspace.current;

// Pressed before the first connection is there, it starts with it.
let early = false;
function startDemo() {
  const { state, everOpen, tries } = workspace.connection;
  early = state === 'connecting' && !everOpen && tries === 0;
  if (!early) workspace.start(t('demo.order', { origin: location.origin }));
}

// The drawer of a narrow window takes the focus and gives it back.
function openDrawer(open) {
  drawerOpen = open;
  draw();
  $(open ? '.new-task' : '.menu').focus();
}

const escape = new Escape(question, {
  drawer: () => openDrawer(false),
  instead: () => question.closeInstead(),
  hint: () => workspace.hint('stop.again'),
  stop: () => { workspace.notices = hushed(workspace.notices); workspace.command('stop'); render(); },
});

followKeyboard();
$('.scrim').addEventListener('click', () => openDrawer(false));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', render);
document.addEventListener('visibilitychange', render);

// ---------------------------------------------------------------- choices

function readSettings() {
  return api.settings().then((found) => { settings = found; t.currency = found.currency; render(); }, () => {});
}

async function useLocale(locale) {
  t = Object.assign(translator(await api.words(locale), locale), { agent: (name) => desk.titleOf(name, locale), titled: (title, agent) => desk.titleOf(agent, locale, title ?? ''), ...(settings && { currency: settings.currency }) });
  remember('locale', locale);
  document.documentElement.lang = locale;
  $('.skip').textContent = t('skip');
  if (workspace.connection.state === 'open') workspace.attach(workspace.current);
  render();
}

// ----------------------------------------------------------------- routes

function followHash() {
  here = routeOf(location.hash);
  route = here.route;
  drawerOpen = false;
  if (route === 'run' || route === 'welcome') {
    if (workspace.current !== (here.id ?? null)) watched = null;
    workspace.open(here.id ?? null, here.child);
  }
  for (const one of [library, desk, inside, connecting]) one.show(here);
  if (route === 'run') files.load(workspace.current);
  render();
}

/** Whoever sent the first line of several is writing the second. */
let goesOnWriting = false;

addEventListener('hashchange', () => {
  if (!t) return; // the first words are still on their way; the start below follows the hash
  followHash();
  const writes = route === 'welcome' || goesOnWriting;
  goesOnWriting = false;
  requestAnimationFrame(() => (writes ? composer.focus() : $('main h1[tabindex]:not([hidden] *)')?.focus({ preventScroll: true })));
});

// A person who comes back finds what is waiting for them.
const comeBack = () => library.reload().then(() => {
  const run = location.hash ? null : library.leftOpen(recall('run'));
  if (run) location.hash = `#/runs/${run.run_id}`;
});

await useLocale(pickLocale(navigator.language, recall('locale')));
followHash();
if (route === 'welcome' && matchMedia('(pointer: fine)').matches) requestAnimationFrame(() => composer.focus());
workspace.socket.connect();
readSettings();
comeBack();
