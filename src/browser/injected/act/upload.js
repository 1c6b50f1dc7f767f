// File fields: a styled button often stands for a hidden one.

const TAKES_FOLDER = "the field takes a whole folder, and this run has single files; look for a field that takes files";

/** Returns the file field that an element is, labels or contains, or null. */
function fileNode(eid) {
  const el = nodeOf(eid);
  if (el === null) return null;
  const isFile = (node) => node !== null && localName(node) === "input" && inputType(node) === "file";
  if (isFile(el)) return el;
  const label = localName(el) === "label" ? el : closest(el, "label");
  if (label !== null && isFile(labelControl(label))) return labelControl(label);
  return Array.from(queryAll(el, "input")).find(isFile) ?? null;
}

/** Reports whether an element listens for drops and is not made to be pressed. */
function onlyDrops(el) {
  const role = roleOf(el);
  if (localName(el) === "button" || localName(el) === "a" || role === "button" || role === "link") return false;
  for (let node = el, steps = 0; node !== null && steps < 6; node = drawnParent(node), steps++) {
    if (listening.has(node)) return false;
    if (dropping.has(node)) return true;
  }
  return false;
}

function fileField(eid) {
  if (nodeOf(eid) === null) return deadEid(eid);
  const field = fileNode(eid);
  if (field === null) return { is: false, drops: onlyDrops(nodeOf(eid)) };
  if (isDisabled(field)) return failed("disabled", "the file field is disabled");
  if (hasAttr(field, "webkitdirectory")) return failed("no_file_field", TAKES_FOLDER);
  return { is: true, multiple: field.multiple };
}
