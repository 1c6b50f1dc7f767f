// Items that stand elsewhere in the page than the list, tree or grid that owns them (`aria-owns`).

/** Containers that can own items which stand elsewhere in the page. */
const OWNING = words("list table grid treegrid listbox menu menubar tree feed tablist radiogroup rowgroup row");
const OWNED = words("listitem row option menuitem menuitemcheckbox menuitemradio treeitem article tab radio cell gridcell columnheader rowheader");
const MOST_OWNED = 100;

/** Returns the items outside of a container that it declares to own, in its order. */
function ownedBy(el) {
  const root = getRootNode(el);
  const ids = (attr(el, "aria-owns") ?? "").split(/\s+/, MOST_OWNED).filter(Boolean);
  return ids.map((id) => queryAll(root, "#" + CSS.escape(id))[0]).filter((one) => one !== undefined && one !== el && !contains(el, one) && !contains(one, el) && OWNED.has(roleOf(one)));
}

/** Records the line of a container with items elsewhere, which is kept although it may hold nothing itself. */
function noteOwner(page, line) {
  const owned = OWNING.has(line.role) ? ownedBy(line.el) : [];
  if (owned.length === 0) return;
  if (owned.some(isShown)) line.keep = true;
  page.owners.push({ line, owned });
}

/** Moves the lines of items to the containers that own them, behind what those hold themselves. */
function moveOwned(page) {
  for (const { line, owned } of page.owners) {
    for (const el of owned) {
      const from = page.lines.findIndex((one) => one.el === el);
      if (from < 0 || !page.lines.includes(line)) continue;
      const block = page.lines.splice(from, endOfBlock(page, from) - from);
      const shift = line.depth + 1 - block[0].depth;
      for (const one of block) one.depth += shift;
      block[0].parent = line;
      page.lines.splice(endOfBlock(page, page.lines.indexOf(line)), 0, ...block);
    }
  }
}

/** Returns the index behind the lines within the line at an index. */
function endOfBlock(page, at) {
  let end = at + 1;
  while (end < page.lines.length && page.lines[end].depth > page.lines[at].depth) end++;
  return end;
}
