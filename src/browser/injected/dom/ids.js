// Element ids: one number per node for the node's lifetime, and for its heirs (`identity/heirs.js`). The counter comes
// from Rust, so that no number is used twice within a browser.

let eidByNode = new WeakMap();
const nodeByEid = new Map();
/** Number of the last observation that met a node, shown or not. */
const lastMet = new WeakMap();
/** Number of the last walk that met a node: an observation may walk the page twice, and a search walks it, too. */
const metInWalk = new WeakMap();
/** Number of the observation in which a node was new. */
const newAt = new WeakMap();
/** Role and name of a node in the last observation. */
const lastRoleAndName = new WeakMap();
/** Open shadow roots and frame documents that the last observation covered. */
const roots = new Set();
let nextEid = 1;
let observationCount = 0;
let walkCount = 0;
/** Number of the previous observation. Retries, after the page changed during an observation, do not count. */
let previousObservation = 0;

function eidOf(el) {
  let eid = eidByNode.get(el);
  if (eid === undefined) {
    eid = nextEid++;
    eidByNode.set(el, eid);
    nodeByEid.set(eid, new WeakRef(el));
  }
  return eid;
}

/**
 * Returns the live node of an element id, or null. Nodes of a frame that navigated are not live. A thing whose node is
 * gone is looked for among the new nodes.
 */
function nodeOf(eid) {
  const node = nodeByEid.get(eid)?.deref();
  return isLive(node) ? nodeStillOf(eid, node) : heirOf(eid);
}

const isLive = (node) => node !== undefined && isConnected(node) && viewOf(ownerDocument(node)) !== null;

/** Number of element ids reserved for use between two observations (for elements that cover a target). */
const SPARE = 24;
let spareUntil = 0;

/** Returns the id of an element that may not have been listed yet; 0 if no reserved id is left. */
function spareEid(el) {
  return eidByNode.has(el) || nextEid < spareUntil ? eidOf(el) : 0;
}

/** Keys by which Rust refers to frames without an element id; above all element ids. */
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

/** Forgets all element ids, because they are no longer known outside. */
function forgetEids() {
  eidByNode = new WeakMap();
  frameKeys = new WeakMap();
  spareUntil = 0;
  nodeByEid.clear();
  things.clear();
}

function forgetDead() {
  if (nodeByEid.size < 5000) return;
  for (const [eid, ref] of nodeByEid) if (!ref.deref()) nodeByEid.delete(eid);
}

const failed = (code, message) => ({ error: { code, message } });

/** Marks a node as met and reports whether it is new since the last observation. */
function isNew(el) {
  metInWalk.set(el, walkCount);
  if (searching) return false;
  const met = lastMet.get(el);
  if (met === observationCount) return newAt.get(el) === met; // met in this walk, or in one that is being repeated
  lastMet.set(el, observationCount);
  // Met only in the first try of this observation: the result of that try stands.
  const fresh = met !== undefined && met > previousObservation ? newAt.get(el) === met : met !== previousObservation;
  if (previousObservation === 0 || !fresh || wasSkipped(el)) return false;
  newAt.set(el, observationCount);
  return true;
}
