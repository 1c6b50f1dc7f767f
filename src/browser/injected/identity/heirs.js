// Heirs: new nodes that take over the numbers of things whose nodes are gone, as on pages that draw themselves anew. A
// number may never come to name another thing: where two things cannot be told apart, neither keeps its number. (The
// gate binds an approval to what is pressed, not to a number.)

/** Number of observations, repeated tries included, for which a thing that is gone is remembered. */
const REMEMBERED_LOOKS = 30;
/** Milliseconds for which a search without a result is not repeated. */
const SEARCH_PAUSE = 80;

/**
 * Things of the last observations by element id: what `describeThing` says of them, with `ref` (their node), `look` (the
 * last observation that showed them), `list` (all things of it), `met` (the first one) and `wasNew` (marked as new in it).
 */
const things = new Map();
/** Numbers of dialogs, alerts and other lines without an element id, by role and name: in the previous observation and in this one. */
let unnumberedBefore = new Map();
let unnumberedNow = new Map();
/** Last observation that left nothing out because of a dialog. */
let lastUncovered = 0;
/** Roles and names of the things that were there at the last search. */
let present = [];
/** Time of the last search without a result. */
let searchFailedAt = -Infinity;
/** Budget of the last observation, by which a search walks the page. */
let lastBudget = 0;
/** True while the page is walked to find heirs: nothing is shown then. */
let searching = false;
/** Kinds of nodes of things that are gone and that listened for presses; of new nodes only Chromium knows that. */
const listeningKinds = new Set();

/** Reports whether a new node resembles those that listened for presses, while heirs are searched for. */
const resemblesListener = (el) => searching && listeningKinds.size > 0 && listeningKinds.has(kindOfNode(el));

/** Roles of what is extracted, which have a number to point at. */
const TABULAR = words("table grid treegrid");

const hasNumber = (line, folds) => line.kind === ACTOR || line.scroll !== undefined || line.pane || TABULAR.has(line.role) || line.drop || line.role === "listbox" || folds.has(line);

/** Describes the things of the lines that are shown, in order. */
function thingsOf(page, folds) {
  const list = [];
  const surroundings = new Surroundings();
  let before = "";
  let waiting = [];
  for (const line of page.lines) {
    if (!line.shown) continue;
    if (line.kind === TEXT) {
      for (const thing of waiting) thing.sign += line.name;
      waiting = [];
      before = line.name;
      continue;
    }
    if (!hasNumber(line, folds)) continue;
    const thing = describeThing(line, surroundings, before, "");
    thing.line = line;
    list.push(thing);
    if (thing.sign.endsWith(" | ")) waiting.push(thing);
  }
  return list;
}

/** Gives the numbers of things that are gone to the nodes that show them now, and returns the things shown. */
function inheritNumbers(page, folds) {
  const list = thingsOf(page, folds);
  present = list.map(({ role, name }) => ({ role, name }));
  partRecycled(list);
  if (things.size > 0 && list.some((thing) => !eidByNode.has(thing.el))) {
    const listByLook = new Map();
    // The model was told that things which the previous observation lacked are gone, unless a dialog has hidden them: their
    // heirs must be the very same (`pairReturned`).
    const oldest = Math.min(searching ? observationCount : previousObservation, lastUncovered);
    for (const thing of things.values()) if (thing.look >= oldest && !isLive(thing.ref.deref())) listByLook.set(thing.look, thing.list);
    for (const look of [...listByLook.keys()].sort((a, b) => b - a)) pairThings(listByLook.get(look), list);
    pairReturned(list);
  }
  return list;
}

/** Takes the mark `new` from lines without an element id (dialogs, alerts) that stood there before and were only drawn anew. */
function unmarkRedrawnLines(page, folds, again) {
  if (!again) unnumberedBefore = unnumberedNow;
  const before = new Map(unnumberedBefore);
  const lines = page.lines.filter((line) => line.shown && line.isNew !== undefined && !hasNumber(line, folds));
  const keyOfLine = (line) => `${line.role} ${line.name}`;
  for (const line of lines) if (!line.isNew) before.set(keyOfLine(line), (before.get(keyOfLine(line)) ?? 0) - 1);
  unnumberedNow = new Map();
  for (const line of lines) {
    const key = keyOfLine(line);
    unnumberedNow.set(key, (unnumberedNow.get(key) ?? 0) + 1);
    const left = before.get(key) ?? 0;
    if (!line.isNew || left <= 0) continue;
    before.set(key, left - 1);
    markAsKnown(line);
  }
}

function markAsKnown(line) {
  newAt.delete(line.el);
  line.isNew = false;
  if (line.attrs) delete line.attrs.new;
}

/** Remembers the things that an observation has shown. */
function rememberThings(list, isPartLeftOut) {
  if (!isPartLeftOut) lastUncovered = observationCount;
  for (const [eid, thing] of things) if (thing.look <= observationCount - REMEMBERED_LOOKS) things.delete(eid);
  const kept = [];
  for (const thing of list) {
    const { el, line, rows, ...rest } = thing;
    const eid = eidByNode.get(el);
    if (eid === undefined) continue;
    const known = { ...rest, eid, rowRefs: rows.map((row) => new WeakRef(row)), ref: new WeakRef(el), look: observationCount, address: location.href, cause: causeOfLayer(el), list: kept, met: lastMet.get(el) ?? observationCount, wasNew: newAt.get(el) === observationCount };
    kept.push(known);
    things.set(eid, known);
  }
}

/** Pairs the things of an earlier observation with those of now, from the surest signs to the weakest. */
function pairThings(then, now) {
  const links = new Map();
  const byEid = new Map();
  now.forEach((thing, index) => {
    const eid = eidByNode.get(thing.el);
    if (eid !== undefined) byEid.set(eid, index);
  });
  then.forEach((thing, index) => {
    if (byEid.has(thing.eid)) links.set(index, byEid.get(thing.eid));
  });
  const pairing = new Pairing(then, now, links);
  for (const [old, fresh] of pairing.groups((thing) => thing.kind).values()) pairing.pairKind(old, fresh);
  // Names with a count, as "Inbox (3)", which may have changed.
  for (const [old, fresh] of pairing.groups((thing) => thing.countless).values()) if (old.length === 1 && fresh.length === 1) pairing.pairKind(old, fresh);
  for (const [index, at] of links) inherit(then[index], now[at]);
}

/** Removes the number of a row from its title, as in "3. Tea": it changes as others go. */
const withoutOrdinal = (title) => title.replace(/^\d+[.)]? /, "");

/** Pairs of things by their positions in two lists, of an earlier observation and of now. */
class Pairing {
  constructor(then, now, links) {
    this.then = then;
    this.now = now;
    /** Positions in `now` by those in `then`. */
    this.links = links;
    this.taken = new Set(links.values());
  }

  /** Groups positions of both lists by a key of the things: [old, fresh] for each key that both have. */
  groups(key, old = this.then.keys(), fresh = this.now.keys()) {
    const all = new Map();
    for (const index of old) {
      const name = key(this.then[index]);
      if (!all.has(name)) all.set(name, [[], []]);
      all.get(name)[0].push(index);
    }
    for (const index of fresh) all.get(key(this.now[index]))?.[1].push(index);
    for (const [name, [, found]] of all) if (found.length === 0) all.delete(name);
    return all;
  }

  /** Pairs things of the same role, name and place: one with one, else by what stands around them, the surest sign first. */
  pairKind(old, fresh) {
    if (old.length === 1 && fresh.length === 1) {
      const [one, other] = [this.then[old[0]], this.now[fresh[0]]];
      const same = one.semantic || other.semantic || (one.isParted && one.inRow) ? one.title === other.title : isSameCard(one, other) && isSameNear(one, other);
      if (same) this.link(old[0], fresh[0]);
      return;
    }
    this.pairEqual(old, fresh, (thing) => `${thing.title}\u0000${thing.sign}`, {});
    this.pairEqual(old, fresh, (thing) => `${thing.title}\u0000${withoutDigits(thing.sign)}`, { single: true });
    this.pairEqual(old, fresh, (thing) => thing.title, { single: true, inOrder: true });
    // Numbers beside a title change; those in it ("Invoice 4711") tell one row from another.
    this.pairEqual(old.filter((index) => !this.then[index].isParted), fresh, (thing) => `${withoutOrdinal(thing.title)}\u0000${withoutDigits(thing.sign)}`, { inOrder: true });
  }

  /**
   * Pairs the things of each key in their order, if as many are there as were. `single`: only if that is one; `inOrder`:
   * only if it stands between the same ones of its kind as before.
   */
  pairEqual(old, fresh, key, { single = false, inOrder = false }) {
    const found = [];
    for (const [name, [was, is]] of this.groups(key, old, fresh)) {
      if (was.length !== is.length || (single && (was.length !== 1 || name === ""))) continue;
      const kept = was.every((index, i) => (this.links.has(index) ? this.links.get(index) === is[i] : !this.taken.has(is[i])));
      if (kept) found.push(was.map((index, i) => [index, is[i]]));
    }
    const known = inOrder ? [...found.flat(), ...old.filter((index) => this.links.has(index)).map((index) => [index, this.links.get(index)])] : [];
    const keepsOrder = ([index, at]) => known.every(([other, place]) => other === index || other < index === place < at);
    for (const pairs of found) if (pairs.every((pair) => this.links.has(pair[0]) || keepsOrder(pair))) for (const [index, at] of pairs) this.link(index, at);
  }

  /** Pairs two things, unless one of them is paired, still has its node, or was shown again later. */
  link(index, at) {
    if (this.links.has(index) || this.taken.has(at) || things.get(this.then[index].eid) !== this.then[index]) return;
    if (isLive(this.then[index].ref.deref()) || eidByNode.has(this.now[at].el)) return;
    this.links.set(index, at);
    this.taken.add(at);
  }
}

/** Gives the number of a thing that is gone to its heir. */
function inherit(old, { el, line }) {
  if (eidByNode.has(el) || isLive(old.ref.deref()) || nodeByEid.get(old.eid)?.deref() !== old.ref.deref()) return;
  const node = old.ref.deref();
  if (node !== undefined) eidByNode.delete(node);
  eidByNode.set(el, old.eid);
  old.ref = new WeakRef(el);
  nodeByEid.set(old.eid, old.ref);
  lastRoleAndName.set(el, { role: line.role, name: line.role === "row" ? nameOf(el, "row", line.tag) : line.name });
  if (searching) {
    lastMet.set(el, old.met);
    return;
  }
  // The line is as new as the thing is, not as its node.
  const isNewThing = old.met > previousObservation ? old.wasNew : old.met < Math.min(previousObservation, lastUncovered);
  if (!isNewThing) markAsKnown(line);
}

/** Milliseconds for which the node of a thing is waited for that the last observation has shown. */
const HEIR_WAIT = 300;

/** Returns the live node of an element id, or null. A page that draws itself anew may be empty for a moment. */
async function findNode(eid) {
  const began = performance.now();
  for (;;) {
    const node = nodeOf(eid);
    if (node !== null || things.get(eid)?.look !== observationCount || performance.now() - began > HEIR_WAIT) return node;
    await nextFrame();
  }
}

/** Reports whether the last observation has shown an element: if something covers it now, it is not gone. */
const wasShown = (el) => (things.get(eidByNode.get(el))?.look ?? -1) >= previousObservation;

/** Reports whether a covered element was drawn in place of one that the last observation has shown. */
function standsForShown(el, role, tag) {
  if (eidByNode.has(el)) return false;
  let name = null;
  for (const thing of things.values()) {
    if (thing.role !== role || thing.look < previousObservation || isLive(thing.ref.deref())) continue;
    name ??= nameOf(el, role, tag);
    if (thing.name === name) return true;
  }
  return false;
}

/** Finds the node that shows a thing whose node is gone, or null. */
function heirOf(eid) {
  const thing = things.get(eid);
  if (thing === undefined || searching || performance.now() - searchFailedAt < SEARCH_PAUSE) return null;
  const node = searchHeirs(eid);
  if (node === null) searchFailedAt = performance.now();
  return node;
}

/** Reports whether no thing is known by its listener alone, which Chromium tells of new nodes only with the next look. */
const allTellThemselves = () => [...things.values()].every(({ listener, role }) => listener === "" || role !== "clickable");

/** Returns the node of a thing, looked for anew if the row that it stood in may show something else now. */
const nodeStillOf = (eid, node) => (searching || !isRetitled(things.get(eid)) ? node : searchHeirs(eid));

/** Walks the page, and gives the numbers of things that are gone to the nodes that show them now. */
function searchHeirs(eid) {
  searching = true;
  listeningKinds.clear();
  for (const { listener, ref } of things.values()) if (listener !== "" && !isLive(ref.deref())) listeningKinds.add(listener);
  try {
    const page = walkAll(lastBudget || DEFAULT_BUDGET, false);
    choose(page);
    inheritNumbers(page, leftOutOf(page).folds);
  } finally {
    searching = false;
  }
  const node = nodeByEid.get(eid)?.deref();
  return isLive(node) ? node : null;
}

/** Explains why an element id no longer resolves. */
function deadEid(eid) {
  const thing = things.get(eid);
  if (thing === undefined) return failed("dead_eid", `there is no element [${eid}] on the page any more; look at the page again`);
  const whose = thing.title === "" ? "" : ` of '${cut(thing.title, 60)}'`;
  const what = `${thing.role}${thing.name === "" ? "" : ` '${cut(thing.name, 60)}'`} [${eid}]${whose}`;
  const count = present.filter(({ role, name }) => role === thing.role && name === thing.name).length;
  const now = count === 0 ? "there is none like it now" : count === 1
    ? "the one of that name there now belongs to something else" : `of the ${count} of that name there now, none can be told to be it`;
  return failed("dead_eid", `${what} is gone: the page has changed, and ${now}; look at the page again`);
}
