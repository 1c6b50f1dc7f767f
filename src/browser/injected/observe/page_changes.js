// When the page changes: a look asks for its picture before it walks the page, so it must know what changed in between.

const EVERY_CHANGE = { childList: true, characterData: true, attributes: true, subtree: true };
/** Reports of changes after which the watch ends: the page counts as always changing. */
const MOST_REPORTS = 200;

class PageChanges {
  constructor(all) {
    this.reports = 0;
    this.last = 0;
    this.observer = new MutationObserver((records) => this.note(records));
    for (const root of all) this.observer.observe(root, EVERY_CHANGE);
  }

  note(records) {
    if (records.length === 0) return;
    this.last = Date.now();
    tellOfChange?.(true);
    if (++this.reports >= MOST_REPORTS) this.observer.disconnect();
  }

  /** Reports whether the page changed at this moment (Unix milliseconds) or later; null for the beginning of the watch. */
  happened(moment) {
    this.note(this.observer.takeRecords());
    return this.reports > 0 && (moment === null || this.reports >= MOST_REPORTS || this.last >= moment);
  }
}

/** Answers the call that waits for a change; null if none does. */
let tellOfChange = null;

/** Watch that began with the last observation or the last settled action; null before either. */
let pageChanges = null;

function watchForChanges() {
  pageChanges?.note(pageChanges.observer.takeRecords());
  pageChanges?.observer.disconnect();
  pageChanges = new PageChanges([document, ...roots]);
}

/** Reports whether the page changed since a moment, or since the watch began; also true if nothing watched it. */
const hasChanged = (moment = null) => pageChanges === null || pageChanges.happened(moment);

/** Returns a promise of the next change of the page. Only the last call waits; the ones before it are answered. */
function nextChange() {
  tellOfChange?.(true);
  return hasChanged() ? Promise.resolve(true) : new Promise((resolve) => (tellOfChange = resolve));
}
