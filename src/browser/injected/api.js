// The one global of the isolated world. The comments of each function describe the replies; all calls take and return
// JSON.

/** Wraps a call so that an exception becomes an error reply. */
const safe = (call) => (...args) => {
  try {
    const answer = call(...args);
    return answer instanceof Promise ? answer.catch(broken) : answer;
  } catch (fault) {
    return broken(fault);
  }
};

const broken = (fault) => failed("internal", `the page could not be read: ${String(fault?.message ?? fault).slice(0, 200)}`);

globalThis.askfirst ??= Object.freeze({
  observe: safe(observe),
  closedSheets: safe(closedSheets),
  copySheet: safe(copySheet),
  observeIfUnchanged: safe((how) => (hasChanged() ? null : observe(how))),
  target: safe(target),
  ready: safe(ready),
  fill: safe(fill),
  insertInEditor: safe(insertInEditor),
  set: safe(set),
  slide: safe(slide),
  secretPlace: safe(secretPlace),
  fillSecret: safe(fillSecret),
  choose: safe(pick),
  fileField: safe(fileField),
  fileNode,
  watchDrag: safe(watchDrag),
  dragBegan: safe(dragBegan),
  dropTaken: safe(dropTaken),
  dragMayWait: safe(dragMayWait),
  takesDrop: safe(takesDrop),
  dropShift: safe(dropShift),
  awaitRest: safe(awaitRest),
  rows: safe(rowsOf),
  rememberState: safe(rememberState),
  stateChanged: safe(stateChanged),
  keysStayHere: safe(keysStayHere),
  takesText: safe(takesText),
  awaitField: safe(awaitField),
  lackingText: safe(lackingText),
  checkedState: safe(checkedState),
  checkedWithin: safe(checkedWithin),
  awaitFrame: safe(awaitFrame),
  focusField: safe(focusField),
  elementAt: safe(elementAt),
  find: safe(findOnPage),
  scroll: safe(scroll),
  wheelMovedPage: safe(wheelMovedPage),
  extract: safe(extract),
  savePdf: safe(savePdf),
  boxesOf: safe(boxesOf),
  hasText: safe(hasText),
  beginWait: safe(beginWait),
  quiet: safe(settle),
  lackingContent,
  beginTrace: safe(beginTrace),
  traceSoFar,
  endTrace: safe(endTrace),
  aim: safe(aim),
  pictured: safe(pictured),
  more: safe(more),
  watchForChanges: safe(watchForChanges),
  placeOfFrame: safe(placeOfFrame),
  revealInFrame: safe(revealInFrame),
  partOfFrame: safe(partOfFrame),
  meetsFrame: safe(meetsFrame),
  bringIn: safe(bringIn),
  framesHere: safe(framesHere),
  frameChain: safe(frameChain),
  suspects: takeSuspects,
  unseen: takeUnseen,
  adopt: safe(adopt),
  afterObservation: safe((framesHoldSecrets) => [hasChanged(), secretsHere(framesHoldSecrets)]),
  hasFocus: safe((eid) => nodeOf(eid) !== null && isFocused(nodeOf(eid))),
  listens: safe(listens),
  secretsHere: safe(secretsHere),
  heldFields: safe(heldFields),
  putBack: safe(putBack),
  rememberFields: safe(rememberFields),
  compareFields: safe(compareFields),
  noteTyped,
  unfoldLists,
  node: (eid) => nodeOf(eid),
});
