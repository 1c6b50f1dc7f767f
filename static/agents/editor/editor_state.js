// State of the agent in the editor: reads it, checks it during editing, stores drafts, and saves it. `view` is
// replaced as a whole with every change.

import * as api from '../../transport/api.js';
import { replacePresent, begin, commit, redo, undo } from './history.js';
import { docOf, withReply, isDirty, withSpec, withText, requestBody } from './document.js';
import { withSubjects } from '../spec/faults.js';
import { compareDraft } from './draft.js';
import { withPositions } from '../spec/lanes.js';
import { draftKey, draftOf, dropDraft, keepDraft } from './draft_storage.js';

const CHECK_MS = 250; // pause after the last key before a check
const CLOSED = { name: null, phase: 'closed' };

export class Editor {
  view = CLOSED;
  #history = null;
  #timer = null;
  #turn = 0;

  /** `on`: { changed(), saved(name), refused(error) } */
  constructor(on) {
    this.on = on;
    addEventListener('storage', ({ key }) => key === `askfirst.${draftKey(this.view.name)}` && this.#set({ elsewhere: true }));
    addEventListener('beforeunload', (event) => this.view.dirty && event.preventDefault());
    // A focused field passes its text on when it loses the focus.
    addEventListener('pagehide', () => this.view.phase === 'ready' && document.activeElement?.blur());
  }

  // ----------------------------------------------------------- opening it

  async open(name) {
    if (this.view.name === name && this.view.phase === 'ready' && this.view.dirty) return;
    const turn = ++this.#turn;
    if (this.view.name !== name) this.#show({ name, phase: 'loading' });
    try {
      const file = await api.agentFile(name);
      if (turn === this.#turn) this.#begin(name, file, draftOf(name));
    } catch (error) {
      if (turn === this.#turn) this.#show({ name, phase: 'failed', error });
    }
  }

  #begin(name, base, draft) {
    const met = compareDraft(draft, base?.etag ?? null);
    if (!base && !draft) return this.#show({ name, phase: 'missing' });
    this.#history = begin(base ? docOf(base) : draft.doc);
    if (draft && base) this.#history = commit(this.#history, draft.doc);
    // Keeps the draft's version, so that saving reports the conflict instead of overwriting the newer file.
    if (met === 'changed' && base) base = { ...base, etag: draft.base };
    this.#show({ name, phase: 'ready', base, met, draftAt: draft?.at ?? null, faults: withSubjects(base?.faults, base?.spec), checking: false, unchecked: null, saving: false, conflict: met === 'changed', elsewhere: false });
    this.#change(this.#history);
  }

  /** Opens a new agent, stored as a draft until it is saved. */
  openNew(spec) {
    keepDraft(spec.name, null, docOf({ spec: spec.graph ? withPositions(spec) : spec, yaml: null }));
    if (this.view.name === spec.name) this.#show(CLOSED);
  }

  forget(name) {
    dropDraft(name);
    if (this.view.name === name) this.#show(CLOSED);
  }

  // ------------------------------------------------------------ changing it

  edit(change, key = null) {
    const doc = this.#history?.present;
    if (doc?.spec && (doc.readable || doc.lead === 'board')) this.#change(commit(this.#history, withSpec(doc, change(doc.spec)), key, performance.now()));
  }

  type(yaml) {
    if (this.#history) this.#change(commit(this.#history, withText(this.#history.present, yaml), 'yaml', performance.now()));
  }

  undo() { if (this.#history) this.#change(undo(this.#history)); }

  redo() { if (this.#history) this.#change(redo(this.#history)); }

  /** Returns to the last text that could be parsed. */
  restoreReadable() {
    const doc = this.#history?.present;
    if (doc?.spec) this.#change(commit(this.#history, { ...doc, lead: 'board', behind: true, readable: true }));
  }

  #change(history) {
    this.#history = history;
    const dirty = isDirty(history.present, this.view.base);
    this.#set({ dirty });
    this.#keep();
    this.#checkSoon();
  }

  #keep() {
    const { name, dirty, base } = this.view;
    if (!dirty) return dropDraft(name);
    const isKept = keepDraft(name, base?.etag ?? null, this.#history.present);
    return isKept || this.view.unkept ? undefined : this.#set({ unkept: true });
  }

  // ------------------------------------------------------------ checking it

  #checkSoon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#check(), CHECK_MS);
  }

  async #check() {
    const [doc, turn] = [this.#history.present, this.#turn];
    this.#set({ checking: true });
    let answer = null;
    try {
      answer = await api.checkAgent(requestBody(doc));
    } catch (error) {
      // Faults in a refusal are shown like those of a check.
      if (error.faults.length) answer = { faults: error.faults, spec: null, yaml: null };
      else if (turn === this.#turn) this.#set({ checking: false, unchecked: error });
    }
    if (!answer || turn !== this.#turn || doc !== this.#history.present) return;
    this.#history = replacePresent(this.#history, withReply(doc, answer));
    const { present } = this.#history;
    this.#set({ checking: false, unchecked: null, faults: withSubjects(answer.faults, present.spec), dirty: isDirty(present, this.view.base) });
    this.#keep();
  }

  // -------------------------------------------------------------- saving it

  /**
   * Saves the agent. `over` overwrites a version saved by somebody else; `drops` accepts the loss of the file's
   * comments.
   */
  async save({ over = false, drops = false } = {}) {
    if (this.view.phase !== 'ready' || this.view.saving) return false;
    const { name } = this.view;
    const doc = this.#history.present;
    this.#set({ saving: true, dialogQuestion: null });
    try {
      const etag = over ? (await api.agentFile(name))?.etag ?? null : this.view.base?.etag ?? null;
      await api.saveAgent(name, requestBody(doc), { etag, drops });
      const base = await api.agentFile(name);
      if (this.view.name !== name) return this.#savedInBackground(name);
      const same = doc === this.#history.present;
      if (same) this.#history = replacePresent(this.#history, { ...docOf(base), yaml: base.yaml });
      this.#set({ saving: false, base, met: 'none', conflict: false, savedAt: new Date().toISOString(), dirty: isDirty(this.#history.present, base), faults: same ? withSubjects(base.faults, base.spec) : this.view.faults });
      this.#keep();
      this.#checkSoon(); // the check under way was of an older document
      this.on.saved(name);
      return true;
    } catch (error) {
      if (this.view.name === name) this.#refused(error, doc);
      else this.on.refused(error); // another agent is open now, and has no part in this
      return false;
    }
  }

  /** Handles a save that ended after another agent was opened. */
  #savedInBackground(name) {
    dropDraft(name);
    this.on.saved(name);
    return true;
  }

  #refused(error, doc) {
    this.#set({ saving: false });
    if (error.status === 412) return this.#set({ conflict: true });
    if (error.code === 'has_comments') return this.#set({ dialogQuestion: { kind: 'comments', lines: error.body?.lines ?? [] } });
    if (error.faults.length) this.#set({ faults: withSubjects(error.faults, doc.spec) });
    return this.on.refused(error);
  }

  /** Discards the draft and shows the current file. */
  async discard() {
    const { name } = this.view;
    dropDraft(name);
    this.#show({ name, phase: 'loading' });
    await this.open(name);
  }

  set(patch) { this.#set(patch); }

  #show(view) {
    clearTimeout(this.#timer);
    this.view = view;
    this.on.changed();
  }

  #set(patch) {
    if (this.view.phase !== 'ready') return;
    const { past, future, present } = this.#history;
    this.view = { ...this.view, ...patch, doc: present, canUndo: past.length > 0, canRedo: future.length > 0 };
    this.on.changed();
  }
}
