// Compares what the page script sees with what a page, or Chromium's own accessibility tree, says of its elements.
// The test joins this file to the page script, within the same function, so that both share their names.

/** Roles that mean the same in ARIA's newer drafts and in a look. */
const SAME_ROLE = { image: "img", none: "presentation", directory: "list", graphics: "img", meter: "meter" };

/** Lines of a look by their elements, as if the look had room for all. */
function linesByElement() {
  observationCount++;
  const page = walkAll(100000, true);
  const lines = new Map();
  for (const line of page.lines) {
    if (line.el === null || line.kind === TEXT) continue;
    readLine(line);
    lines.set(line.el, line);
  }
  return lines;
}

const plainRole = (role) => SAME_ROLE[role] ?? role;

/** Returns the role and name that a look gives an element, or that it would give if the element had a line. */
function seenOf(el, lines) {
  const line = lines.get(el);
  const role = line?.role ?? roleOf(el);
  const name = line !== undefined && line.kind !== HOLDER && line.name !== null ? line.name : nameOf(el, role);
  return { role: plainRole(role), name, listed: line !== undefined };
}

function everyElement(root, all = []) {
  for (const el of queryAll(root, "*")) {
    all.push(el);
    const inner = shadowRootOf(el);
    if (inner !== null) everyElement(inner, all);
  }
  return all;
}

/** Compares elements that bear `data-expectedlabel` or `data-expectedrole`. */
function compareExpected() {
  const lines = linesByElement();
  const out = [];
  for (const el of everyElement(document)) {
    const label = attr(el, "data-expectedlabel") ?? attr(el, "data-expectedname");
    const role = attr(el, "data-expectedrole") ?? (matches(el, ".ex-generic") ? "generic" : null);
    if (label === null && role === null) continue;
    const seen = seenOf(el, lines);
    const what = attr(el, "data-testname") ?? attr(el, "id") ?? localName(el);
    if (label !== null) out.push({ kind: "name", what, wanted: clean(label), got: seen.name, role: seen.role, listed: seen.listed });
    if (role !== null) out.push({ kind: "role", what, wanted: plainRole(role), got: seen.role || "generic", role: seen.role, listed: seen.listed });
  }
  return out;
}

/** Roles of elements that a person acts on, which have to have a line if they are drawn. */
const MUST_BE_LISTED = words("button link textbox searchbox combobox checkbox radio switch slider spinbutton tab menuitem menuitemcheckbox menuitemradio option treeitem");

const isDrawnWithSize = (el) => rawVisible.call(el, { visibilityProperty: true, opacityProperty: true }) && isOnPage(rectOf(el));

/** Reports whether a box has a size and can be scrolled to. */
const isOnPage = ({ width, height, right, bottom }) => width > 1 && height > 1 && right + scrollX > 0 && bottom + scrollY > 0;

/** Compares every line that has an element with what Chromium computes for it, and finds what has no line. */
function compareComputed() {
  const out = [];
  const lines = linesByElement();
  for (const el of everyElement(document)) {
    if (typeof el.computedRole !== "string" || !MUST_BE_LISTED.has(el.computedRole) || localName(el) === "option") continue;
    const what = `${localName(el)}${el.id ? "#" + el.id : ""} ${el.computedRole} ${el.computedName}`;
    const listed = lines.has(el) || !isDrawnWithSize(el);
    out.push({ kind: "line", what, wanted: "a line", got: listed ? "a line" : "none", role: el.computedRole, listed });
  }
  for (const [el, line] of lines) {
    if (typeof el.computedRole !== "string") continue;
    // The line of a row divides its cells.
    const seen = { role: plainRole(line.role), name: (line.name ?? "").replaceAll(" | ", " ") };
    const what = `${localName(el)}${el.id ? "#" + el.id : ""}`;
    out.push({ kind: "role", what, wanted: plainRole(el.computedRole), got: seen.role, role: seen.role, listed: true });
    if (line.kind !== HOLDER || nameable(line.role)) out.push({ kind: "name", what, wanted: clean(el.computedName), got: seen.name, role: seen.role, listed: true });
  }
  return out;
}

globalThis.compareWithTruth = (how) => (how === "expected" ? compareExpected() : compareComputed());
