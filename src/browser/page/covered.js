// Says what lies over an element, in the words of the page text.

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
  const who = named ?? met;
  const name = named === null ? cut(visibleText(met, 80).replace(/\n/g, " "), 60) : nameOf(named, role);
  const eid = spareEid(who);
  const dialog = role === "dialog" || role === "alertdialog";
  const problem = failed("covered", `covered by ${role || "an element"}${name ? ` '${name}'` : ""}${eid ? ` [eid ${eid}]` : ""}`);
  if (dialog) problem.error.final = true;
  return problem;
}
