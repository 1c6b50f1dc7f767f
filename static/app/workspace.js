// State of this page. Receives frames of the server and intents of the person, and sends frames. Elements only
// read the view that `describe` returns.

import * as wire from '../transport/frames.js';
import { Socket } from '../transport/socket.js';
import { caller } from '../transport/caller.js';
import { firstConnection, reduceConnection } from '../transport/connection.js';
import { pendingCount, takeDraft, takeFact, takeWelcome, sayLocally, rootOf } from '../run_state/run_trees.js';
import { isActive } from '../shared/run_status.js';
import { noPendingCommand, reducePendingCommand } from '../run/pending_command.js';
import { noDialog, reduceDialog } from '../live/take_over/page_dialog.js';
import { noHeld, reduceHeld } from '../live/take_over/held_page.js';
import { View } from '../run_state/view.js';
import { addNotice } from '../layout/notices.js';
import { refusal } from '../shared/text/refusal.js';
import { remember, rememberWindow } from '../shared/preferences.js';

/** Error codes of starting a run; other codes belong to other requests. */
const OF_START = new Set(['unknown_agent', 'unknown_file', 'too_large', 'bad_message', 'internal']);

export class Workspace {
  connection = firstConnection;
  sessionId = null;
  known = {};
  current = null; // root id of the open run
  child = null; // child run in view
  replaySeq = null; // null: now; otherwise the fact to show the run at
  wanted = null; // reference of the question to show first
  answers = {}; // by reference: { reference, state: 'sent' } or { reference, error }
  pendingCommand = noPendingCommand;
  dialog = noDialog; // open dialog of the page that this window holds
  held = noHeld; // address and file chooser of that page
  notices = [];
  #viewing = null; // run id whose pictures this socket receives
  #viewTag = 0; // tag of the last `view`; pictures with an older one belong to another task
  #viewWidth = 0; // width that the pictures were requested with
  #askedGap = null;
  #orders = []; // runs to start: { key, text, more }; the first one has been sent
  #view = new View();

  /** `on`: { change(), refused(), picture(p), facts([fact]), opened(rootId, key), notStarted(key), waiting(frame), unknownRun(frame) }; `words()` gives t. */
  constructor(url, on, words) {
    this.on = on;
    this.words = words;
    this.socket = new Socket(url, {
      change: (change) => this.#connectionChanged(change),
      frame: (frame) => this.#frame(frame),
      picture: (picture) => this.#picture(picture),
      refused: () => on.refused(),
    });
  }

  // ------------------------------------------------------------ the server

  #connectionChanged(change) {
    this.connection = reduceConnection(this.connection, change);
    if (change.type === 'open') {
      this.#viewing = null;
      this.#askedGap = null;
      this.attach(this.current);
    }
    if (change.type === 'lost') {
      this.dialog = noDialog;
      this.held = noHeld;
      for (const { key } of this.#orders.splice(0)) this.on.notStarted(key);
      this.answers = Object.fromEntries(Object.entries(this.answers).filter(([, { state }]) => state !== 'sent'));
      this.#changePendingCommand({ type: 'lost' });
    }
    this.on.change();
  }

  #frame(frame) {
    if (frame.type === 'welcome') this.#welcome(frame);
    else if (Number.isInteger(frame.seq) && frame.run_id) this.#fact(frame);
    else if (frame.type === 'error') this.#error(frame);
    else if (frame.type === 'waiting') this.on.waiting(frame);
    else if (frame.type === 'writing') this.known = takeDraft(this.known, frame);
    else if (frame.type === 'page_dialog') this.dialog = reduceDialog(this.dialog, frame);
    else this.held = reduceHeld(this.held, frame);
    this.on.change();
  }

  #welcome(frame) {
    if (this.sessionId !== frame.session_id) this.#changePendingCommand({ type: 'session', was: this.sessionId });
    this.sessionId = frame.session_id;
    rememberWindow(frame.session_id);
    const { known, stale } = takeWelcome(this.known, frame);
    this.known = known;
    if (stale) this.attach(stale);
  }

  #fact(fact) {
    const { known, gap, fresh, applied } = takeFact(this.known, fact);
    this.known = known;
    const lastSeq = known[rootOf(fact)].feed.lastSeq;
    if (gap && this.#askedGap !== `${gap}:${lastSeq}`) {
      this.#askedGap = `${gap}:${lastSeq}`;
      this.attach(gap);
    }
    // A socket receives facts only of runs that it attached to or started.
    if (this.starting && fresh && fact.run_id === fresh) this.on.opened(fresh, this.#nextOrder().key);
    for (const one of applied) {
      if (one.type === 'question_resolved') this.#answer(one.reference, null);
      if (rootOf(one) === this.current) this.#changePendingCommand({ type: 'fact', fact: one });
    }
    if (applied.length) this.on.facts(applied);
  }

  #error(frame) {
    this.#changePendingCommand({ type: 'refused' });
    if (frame.code === 'unknown_run') return this.on.unknownRun(frame);
    // The error is shown at its question, whichever task is open.
    if (frame.reference && this.answers[frame.reference]) return this.#answer(frame.reference, { reference: frame.reference, error: frame });
    if (this.starting && OF_START.has(frame.code)) this.on.notStarted(this.#nextOrder().key);
    return this.notice(frame);
  }

  // ------------------------------------------------------------ intents

  attach(rootId) {
    const afterSeq = this.known[rootId]?.feed.lastSeq ?? 0;
    this.socket.send(wire.hello({ runId: rootId, afterSeq, locale: this.words().locale, client: caller() }));
  }

  open(rootId, child = null, wanted = null) {
    this.child = child;
    this.wanted = wanted;
    if (wanted) this.replaySeq = null;
    if (rootId === this.current) return;
    this.current = rootId;
    this.replaySeq = null;
    this.#changePendingCommand({ type: 'moved' });
    if (rootId) {
      remember('run', rootId);
      this.attach(rootId);
    }
  }

  /** First run that has not started; null if there is none. */
  get starting() { return this.#orders[0] ?? null; }

  /**
   * Queues the start of a run; false without a connection. Only one is under way, so that the next new run is
   * known to be that one.
   */
  start(text, more = {}, key = null) {
    if (!this.socket.isOpen) return this.#offline();
    this.#orders.push({ key, text, more });
    if (this.#orders.length === 1) this.#sendOrder();
    return true;
  }

  #sendOrder() {
    if (this.starting) this.socket.send(wire.userMessage(this.starting.text, null, this.starting.more));
  }

  /** Removes the first order, which is complete, and sends the next one. */
  #nextOrder() {
    const order = this.#orders.shift();
    this.#sendOrder();
    return order;
  }

  #offline() {
    this.notice({ code: 'offline' });
    return false;
  }

  isActive(rootId) { return isActive(this.known[rootId]?.run.status); }

  say(text, rootId = this.current) {
    if (!this.socket.send(wire.userMessage(text, rootId))) return this.#offline();
    if (rootId === this.current) this.replaySeq = null;
    const message = { id: crypto.randomUUID?.() ?? String(performance.now()), text, at: new Date().toISOString() };
    this.known = sayLocally(this.known, rootId, message);
    return true;
  }

  answer(reference, fields) {
    if (this.answers[reference]?.state === 'sent') return;
    if (this.socket.send(wire.answer(reference, fields))) this.#answer(reference, { reference, state: 'sent' });
  }

  command(command, rootId = this.current) {
    if (!this.socket.send(wire.control(rootId, command))) return this.#offline();
    if (rootId === this.current) this.#changePendingCommand({ type: 'pressed', command });
    return true;
  }

  input(fields, rootId = this.current) {
    this.socket.send(wire.input(rootId, fields));
    if (this.dialog?.runId === rootId) this.dialog = reduceDialog(this.dialog, { type: 'input', ...fields });
    if (this.held.runId === rootId) this.held = reduceHeld(this.held, { type: 'input', ...fields });
  }

  ack(frame) {
    this.socket.send(wire.frameAck(frame));
  }

  /** Requests pictures of the open run, while they are visible. */
  watch(wanted, options) {
    const entry = this.known[this.current];
    const runId = wanted && this.connection.state === 'open' && entry && isActive(entry.run.status) ? this.current : null;
    // A much larger display needs new pictures.
    const larger = options.max_width > this.#viewWidth * 1.2;
    if (runId === this.#viewing && !(runId && larger)) return;
    this.#viewWidth = options.max_width;
    if (this.#viewing) this.socket.send(wire.view(this.#viewing, false));
    this.#viewTag += 1;
    if (runId) this.socket.send(wire.view(runId, true, { ...options, tag: this.#viewTag }));
    this.#viewing = runId;
  }

  // Pictures of the previous task may still arrive; the service waits for their acknowledgement too.
  #picture(picture) {
    return picture.tag === this.#viewTag ? this.on.picture(picture) : this.ack(picture.frame);
  }

  #answer(reference, state) {
    const { [reference]: _, ...others } = this.answers;
    this.answers = state ? { ...others, [reference]: state } : others;
  }

  notice(error) {
    this.notices = addNotice(this.notices, { kind: 'error', error, ...refusal(error, this.words()) });
  }

  /** Shows a short hint, which disappears by itself. */
  hint(key) {
    this.notices = addNotice(this.notices, { kind: 'hint', key, title: this.words()(key), advice: '' });
    this.on.change();
  }

  /** Requests texts in the new language. */
  translate() {
    const t = this.words();
    this.notices = this.notices.map((one) => (one.error ? { ...one, ...refusal(one.error, t) } : { ...one, title: t(one.key) }));
  }

  dismiss(id) {
    this.notices = this.notices.filter((notice) => notice.id !== id);
  }

  /** Number of known facts of the open run still to come. */
  get pendingCount() { return pendingCount(this.known[this.current]); }

  describe() { return this.#view.of(this); }

  #changePendingCommand(change) {
    this.pendingCommand = reducePendingCommand(this.pendingCommand, change);
  }
}
