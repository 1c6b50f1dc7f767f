// Sends messages and files to their tasks. Each step carries the key of its draft, so text and files reach the
// right task, or return to its draft, whichever task is open meanwhile.

import * as api from '../transport/api.js';
import { addNewDraft, markReceived, moveToTask, draftOf, fileOf, freshKey, isNew, noDrafts, markStarting, returnText, restoreTexts, markSending, dropBlankDrafts, unsentTexts, withFile, withFiles, withModel, withWords, withoutFile, withoutModels } from './message_drafts.js';

export class MessageSender {
  #drafts = noDrafts;
  #uploads = new Map(); // key of a file → { stop: AbortController, done: promise }
  #file = 0;
  #on;

  /**
   * `on`: { changed(), refused(error), start(words, more, key), say(words, root id), given(root id), back(key)
   * }. `start` and `say` return false without a connection; `given`: the files of the task changed; `back`: a
   * text was put back.
   */
  constructor(on) {
    this.#on = on;
  }

  /** Key of the new task being written. */
  get fresh() { return freshKey(this.#drafts); }

  /** All unsent texts: [[root id or null, text]]. */
  get unsentTexts() { return unsentTexts(this.#drafts); }

  of(key) { return draftOf(this.#drafts, key); }

  write(key, words) { this.#set(withWords(this.#drafts, key, words)); }

  choose(key, model) { this.#set(withModel(this.#drafts, key, model)); }

  /** Forgets the chosen models, after another endpoint was connected. */
  forgetModels() { this.#set(withoutModels(this.#drafts)); }

  /** Begins another new task with this text, before the one being written. */
  begin(words) { this.#set(addNewDraft(this.#drafts, words)); }

  restore(all) { this.#set(restoreTexts(this.#drafts, all)); }

  /** Drops an empty new task if another one is not empty. */
  settle() { this.#set(dropBlankDrafts(this.#drafts)); }

  /** Attaches files. Those of a task that has not started are uploaded at once, and wait on the service. */
  attach(key, files) {
    const entries = [...files].map((file) => ({ key: ++this.#file, file, id: null, state: 'ready', error: null, ordered: false }));
    this.#set(withFiles(this.#drafts, key, entries));
    if (isNew(this.#drafts, this.of(key).key)) for (const entry of entries) this.#stage(entry.key);
  }

  /** Detaches a file, unless its task has been started with it. */
  detach(file) {
    if (!fileOf(this.#drafts, file)?.ordered) this.#drop(file);
  }

  async send(written) {
    const before = this.#drafts;
    this.#set(markSending(before, written));
    if (this.#drafts === before) return;
    const { key, sent, model } = this.of(written);
    const begins = isNew(this.#drafts, key);
    const there = await (begins ? this.#allStaged(key) : this.#allGiven(key));
    if (!there) this.#back(key);
    else if (begins) this.#start(key, sent, model);
    else if (this.#on.say(sent, key)) this.#set(markReceived(this.#drafts, key));
    else this.#back(key);
  }

  /** Handles the start of the draft's task. */
  started(key, rootId) {
    if (!isNew(this.#drafts, key)) return;
    const had = this.of(key).files.some((entry) => entry.ordered);
    this.#set(moveToTask(this.#drafts, key, rootId));
    if (had) this.#on.given(rootId);
  }

  /** Handles a failed start. The service may not have the files any more, so they are uploaded again. */
  notStarted(key) {
    if (!isNew(this.#drafts, key)) return;
    const again = this.of(key).files.filter((entry) => entry.ordered);
    this.#back(key);
    for (const entry of again) this.#stage(entry.key);
  }

  #start(key, words, model) {
    const ids = this.of(key).files.map(({ id }) => id).filter(Boolean);
    this.#set(markStarting(this.#drafts, key));
    if (!this.#on.start(words, { ...(ids.length ? { files: ids } : {}), ...(model ? { model } : {}) }, key)) this.#back(key);
  }

  #back(key) {
    this.#set(returnText(this.#drafts, key));
    this.#on.back(key);
  }

  // ---------------------------------------------------------------- files

  /** Waits for the upload of all files of a new task, including those attached meanwhile; false if one failed. */
  async #allStaged(key) {
    const late = () => this.of(key).files.filter(({ id }) => !id);
    const tried = new Set();
    for (let files = late(); files.length; files = late()) {
      for (const { key: file, state } of files) {
        if (state !== 'sending' && tried.has(file)) return false;
        if (state !== 'sending') this.#stage(file);
        tried.add(file);
      }
      await Promise.all(files.map(({ key: file }) => this.#uploads.get(file)?.done));
    }
    return true;
  }

  /** Uploads all files to their task, one after the other, and detaches each; false if one failed. */
  async #allGiven(rootId) {
    let given = false;
    for (let [entry] = this.of(rootId).files; entry; [entry] = this.of(rootId).files) {
      await this.#upload(entry.key, (signal) => api.giveFile(rootId, entry.file, signal).then(() => this.#drop(entry.key)));
      if (fileOf(this.#drafts, entry.key)) break; // the upload failed
      given = true;
    }
    if (given) this.#on.given(rootId);
    return this.of(rootId).files.length === 0;
  }

  #stage(file) {
    this.#set(withFile(this.#drafts, file, { id: null }));
    return this.#upload(file, async (signal) => {
      const { id } = await api.stageFile(fileOf(this.#drafts, file).file, signal);
      if (!fileOf(this.#drafts, file)) api.unstageFile(id).catch(() => {}); // detached meanwhile
      this.#set(withFile(this.#drafts, file, { id, state: 'ready' }));
    });
  }

  /** Calls `work(signal)` for a file; detaching the file aborts it. */
  #upload(file, work) {
    this.#uploads.get(file)?.stop.abort();
    const upload = { stop: new AbortController(), done: null };
    this.#uploads.set(file, upload);
    this.#set(withFile(this.#drafts, file, { state: 'sending', error: null }));
    const failed = (error) => {
      if (upload.stop.signal.aborted) return;
      this.#set(withFile(this.#drafts, file, { state: 'failed', error }));
      this.#on.refused(error);
    };
    upload.done = work(upload.stop.signal).catch(failed).finally(() => this.#uploads.get(file) === upload && this.#uploads.delete(file));
    return upload.done;
  }

  #drop(file) {
    const entry = fileOf(this.#drafts, file);
    this.#set(withoutFile(this.#drafts, file));
    this.#uploads.get(file)?.stop.abort();
    if (entry?.id) api.unstageFile(entry.id).catch(() => {}); // the service deletes it after a day otherwise
  }

  #set(drafts) {
    if (drafts === this.#drafts) return;
    this.#drafts = drafts;
    this.#on.changed();
  }
}
