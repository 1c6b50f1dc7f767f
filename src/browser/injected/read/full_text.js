// Reads text in full: for `extract`, for the facts about a target, and for waiting until a text is shown.

const NEVER_READ = words("script style template noscript head svg canvas object embed audio video datalist");

/**
 * Returns the visible text of an element, with blocks separated by newlines, up to about `most` characters. `typed`
 * leaves out what style draws, such as the placeholder of an editor.
 */
function visibleText(el, most, typed = false) {
  const out = { text: "", most, nodes: 100000, typed };
  readPlain(el, out, 0);
  return tidy(out.text);
}

const tidy = (text) => text.replace(INVISIBLE, "").replace(/[^\S\n]+/g, " ").replace(/ ?\n ?/g, "\n").replace(/\n{2,}/g, "\n").trim().toWellFormed();

function readPlain(node, out, depth) {
  if (out.text.length > out.most || out.nodes-- <= 0 || depth > DEEPEST) return;
  const type = nodeType(node);
  if (type === 3) {
    out.text += textData(node).replace(/\s+/g, " ");
    return;
  }
  if (type !== 1) return;
  const tag = localName(node);
  if (out.skips?.(node, tag)) return;
  if (tag === "br") out.text += "\n";
  if (NEVER_READ.has(tag) || tag === "select" || tag === "textarea" || isLigature(node, tag)) return;
  const shown = isShown(node);
  if (!shown && !mayContainShown(node)) return;
  if (isSecretRich(node)) {
    out.text += " •••• ";
    return;
  }
  const display = styleOf(node).display;
  const block = !display.startsWith("inline");
  const edge = block ? "\n" : display === "inline" ? "" : " ";
  out.text += edge;
  const inner = innerDocument(node);
  if (inner !== null) {
    if (bodyOf(inner) !== null) readPlain(bodyOf(inner), out, depth + 1);
  } else {
    const draws = shown && out.typed !== true;
    if (draws) out.text += drawnWordsBefore(node);
    drawnChildren(node, tag, (child) => {
      if (nodeType(child) === 3 && !shown && styleOf(node).display !== "contents") return;
      readPlain(child, out, depth + 1);
    });
    if (draws) out.text += drawnWordsAfter(node);
  }
  out.text += edge;
}

/**
 * Reports whether an element that is not shown may contain shown ones, as with `display: contents` or `visibility:
 * hidden`.
 */
function mayContainShown(el) {
  const style = styleOf(el);
  return style.display === "contents" || (style.display !== "none" && style.opacity !== "0" && style.visibility !== "visible");
}

/** Reports whether the page shows a text, ignoring white space and case. */
function hasText(text) {
  const wanted = withoutSpaces(String(text));
  if (wanted === "") return true;
  let shadows = false;
  for (const root of allRoots()) {
    shadows ||= nodeType(root) === 11;
    const top = nodeType(root) === 9 ? bodyOf(root) : root;
    if (top === null || !someDrawn && !withoutSpaces(textContent(top)).includes(wanted)) continue;
    if (withoutSpaces(nodeType(top) === 1 ? visibleText(top, 2e6) : shadowText(top)).includes(wanted)) return true;
  }
  const body = bodyOf(document);
  // A text may begin in a shadow tree and end outside it.
  return shadows && body !== null && withoutSpaces(visibleText(body, 2e6)).includes(wanted);
}

const withoutSpaces = (text) => text.replace(INVISIBLE, "").replace(/\s+/g, "").toLowerCase();

function shadowText(root) {
  const out = { text: "", most: 2e6, nodes: 100000 };
  for (let node = firstChild(root); node !== null; node = nextSibling(node)) readPlain(node, out, 0);
  return isShown(hostOf(root)) ? out.text : "";
}
