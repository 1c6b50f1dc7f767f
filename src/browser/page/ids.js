// Eids: one number for one node, for as long as the node lives; the counter comes from Rust, so that a number is
// never used twice within a browser.

let eidByNode = new WeakMap();
const nodeByEid = new Map();
/** node → number of the last look that met it (shown or not) */
const lastMet = new WeakMap();
/** node → number of the look in which it was new */
const newAt = new WeakMap();
/** node → what the last look said of it */
const lastSaid = new WeakMap();
/** open shadow roots and frame documents that the last look went through */
const roots = new Set();
let nextEid = 1;
let lookCount = 0;
/** The look before this one; one that is taken again (the page changed under it) does not count. */
let previousLook = 0;

function eidOf(el) {
  let eid = eidByNode.get(el);
  if (eid === undefined) {
    eid = nextEid++;
    eidByNode.set(el, eid);
    nodeByEid.set(eid, new WeakRef(el));
  }
  return eid;
}

/** The living node of an eid, or null. A node of a frame that went elsewhere is dead. */
function nodeOf(eid) {
  const node = nodeByEid.get(eid)?.deref();
  if (!node) {
    nodeByEid.delete(eid);
    return null;
  }
  return isConnected(node) && viewOf(ownerDocument(node)) !== null ? node : null;
}

/** Eids that may be given between two looks (for what lies over a target), so that Rust's counter stays ahead. */
const SPARE = 24;
let spareUntil = 0;

/** Eid of an element that no look has named yet; 0 if there is none to spare. */
function spareEid(el) {
  return eidByNode.has(el) || nextEid < spareUntil ? eidOf(el) : 0;
}

/** Beyond all eids: what Rust calls frames by that no look has numbered. */
const FIRST_KEY = 4e9;
let frameKeys = new WeakMap();
let nextKey = FIRST_KEY;

function keyOf(frame) {
  const known = eidByNode.get(frame) ?? frameKeys.get(frame);
  if (known !== undefined) return known;
  frameKeys.set(frame, nextKey);
  nodeByEid.set(nextKey, new WeakRef(frame));
  return nextKey++;
}

/** The numbers given so far are not known outside any more. */
function forgetEids() {
  eidByNode = new WeakMap();
  frameKeys = new WeakMap();
  spareUntil = 0;
  nodeByEid.clear();
}

function forgetDead() {
  if (nodeByEid.size < 5000) return;
  for (const [eid, ref] of nodeByEid) if (!ref.deref()) nodeByEid.delete(eid);
}

const failed = (code, message) => ({ error: { code, message } });

const deadEid = (eid) =>
  failed("dead_eid", `there is no element [${eid}] on the page any more; look at the page again`);

/** Marks a node as met and tells whether it was there in the last look. */
function isNew(el) {
  const met = lastMet.get(el);
  if (met === lookCount) return newAt.get(el) === met; // met in this walk, or in one that is done again
  lastMet.set(el, lookCount);
  // Met in this look's first try only: as new as it was then.
  const fresh = met !== undefined && met > previousLook ? newAt.get(el) === met : met !== previousLook;
  if (previousLook === 0 || !fresh || wasPassedBy(el)) return false;
  newAt.set(el, lookCount);
  return true;
}
