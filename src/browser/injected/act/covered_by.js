// Describes what covers an element, in the terms of the page text.

function coveredBy(met) {
  if (met === null) return failed("covered", "the element cannot be hit at any point; look again");
  let role = "";
  let named = null;
  for (let node = met, steps = 0; node !== null && steps < 60; node = drawnParent(node), steps++) {
    const tag = localName(node);
    if (tag === "body" || tag === "html") break;
    const own = roleOf(node, tag);
    if (own === "dialog" || own === "alertdialog") {
      named = node;
      role = own;
      break;
    }
    if (named === null && own !== "" && (ACTED_ON.has(own) || HOLDERS.has(own))) {
      named = node;
      role = own;
    }
  }
  const shown = named === null ? shownAround(met) : null;
  const who = named ?? shown?.ref.deref() ?? met;
  role ||= shown?.role ?? "";
  const name = named !== null ? nameOf(named, role) : shown?.name || cut(visibleText(met, 80).replace(/\n/g, " "), 60);
  const eid = spareEid(who);
  const dialog = role === "dialog" || role === "alertdialog";
  const what = `covered by ${role || "an element"}${name ? ` '${name}'` : ""}${eid ? ` [eid ${eid}]` : ""}`;
  const problem = failed("covered", what + waysToClose(who, dialog));
  if (dialog) problem.error.final = true;
  return problem;
}

const MOST_LEVELS_TO_SHOWN = 6;

/** Returns the thing of the last observation that an element belongs to, as a part of a drawing does; null if there is none. */
function shownAround(el) {
  for (let node = el, level = 0; node !== null && level < MOST_LEVELS_TO_SHOWN; node = drawnParent(node), level++) {
    const thing = things.get(eidByNode.get(node));
    if (thing !== undefined && thing.look === observationCount) return thing;
  }
  return null;
}

/** Returns how the covering element can be closed, as far as it has buttons for that. */
function waysToClose(who, dialog) {
  const buttons = [];
  const all = queryAll(who, dialog ? "button,[role=button],input[type=submit],a[href]" : "button,[role=button]");
  for (let i = 0; i < all.length && i < 200 && buttons.length < 3; i++) {
    const name = isShown(all[i]) ? nameOf(all[i], roleOf(all[i])) : "";
    if (name === "") continue;
    const eid = spareEid(all[i]);
    buttons.push(`'${cut(name, 40)}'${eid ? ` [eid ${eid}]` : ""}`);
  }
  if (buttons.length > 0) return `; it holds ${buttons.join(", ")}`;
  return dialog ? "; press Escape or act in it first" : "";
}

/** Explains why an element is not shown, and which element shows it. */
function whyHidden(el) {
  let hidden = el;
  for (let node = el, steps = 0; node !== null && steps < 200; node = drawnParent(node), steps++) {
    if (isShown(node)) break;
    hidden = node;
    if (localName(node) === "details" && !hasAttr(node, "open")) break;
  }
  const opener = openerOf(hidden);
  if (opener !== null) {
    const role = roleOf(opener);
    const eid = spareEid(opener);
    return `the element is not shown now; ${role || "something"} '${nameOf(opener, role || "button")}'${eid ? ` [eid ${eid}]` : ""} shows it`;
  }
  return "the element is not shown now; look again, and do first what shows it";
}

/** Returns the element that declares to control or open an element or one of its ancestors, or null. */
function openerOf(el) {
  for (let node = el, steps = 0; node !== null && steps < 30; node = drawnParent(node), steps++) {
    const details = closest(node, "details:not([open])");
    const summary = details === null ? null : query(details, "summary");
    if (summary !== null && isShown(summary)) return summary;
    const id = attr(node, "id");
    if (!id) continue;
    const selector = `[aria-controls~="${CSS.escape(id)}"],[aria-owns~="${CSS.escape(id)}"],[popovertarget="${CSS.escape(id)}"]`;
    for (const opener of queryAll(getRootNode(node), selector)) if (isShown(opener)) return opener;
  }
  return null;
}

/** Names the dialog that makes an element inert. */
function inertBecause(el) {
  const modal = topModal(ownerDocument(el));
  if (modal === null || drawnInside(el, modal)) return "the element is inert: this part of the page is switched off for now; look for what else is open";
  const eid = spareEid(modal);
  const name = nameOf(modal, "dialog");
  return `the element is inert: dialog${name ? ` '${name}'` : ""}${eid ? ` [eid ${eid}]` : ""} is open; act in it or close it first${waysToClose(modal, true)}`;
}
