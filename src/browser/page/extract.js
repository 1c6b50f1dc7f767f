// `extract`: the page or one element as readable text, close to Markdown.

const MOST_EXTRACTED = 100000;

function extract(eid) {
  const el = eid ? nodeOf(eid) : bodyOf(document);
  if (el === null) return eid ? deadEid(eid) : "";
  const out = { text: "", nodes: 200000, list: 0 };
  try {
    writeNode(el, out, 0);
  } catch {
    // what was read so far is still worth having
  }
  const text = out.text.replace(INVISIBLE, "").replace(/[^\S\n]+\n/g, "\n").replace(/\n{3,}/g, "\n\n").trim().toWellFormed();
  return text.length > MOST_EXTRACTED ? cut(text, MOST_EXTRACTED) : text;
}

function newline(out, count) {
  out.text = out.text.replace(/[ \t]+$/, "");
  if (out.text === "") return;
  while (!out.text.endsWith("\n".repeat(count))) out.text += "\n";
}

function writeNode(node, out, depth) {
  if (out.text.length > MOST_EXTRACTED || out.nodes-- <= 0 || depth > DEEPEST) return;
  const type = nodeType(node);
  if (type === 3) {
    const text = textData(node).replace(/\s+/g, " ");
    out.text += text.startsWith(" ") && /(?:^|\s)$/.test(out.text) ? text.slice(1) : text;
    return;
  }
  if (type !== 1) return;
  const tag = localName(node);
  if (tag === "br") newline(out, 1);
  if (NEVER_READ.has(tag)) return;
  const shown = isShown(node);
  if (!shown && !mayHoldShown(node)) return;
  if (tag === "input" || tag === "select" || tag === "textarea") {
    if (shown) writeField(node, tag, out);
  } else writeElement(node, tag, out, depth, shown);
}

function writeField(el, tag, out) {
  const role = roleOf(el, tag);
  if (role === "" || role === "button") return;
  const states = statesOf(el, role, tag);
  const name = nameOf(el, role, tag) || role;
  if (role === "checkbox" || role === "radio" || role === "switch") out.text += states.checked ? "[x] " : "[ ] ";
  else out.text += `[${name}: ${states.secret ? "••••" : states.value ?? ""}] `;
}

/** Is it the label of a field that is written with its name anyway? */
function saysItself(el) {
  const control = labelControl(el);
  if (control === null || !isShown(control)) return false;
  return localName(control) !== "input" || !/^(?:checkbox|radio|button|submit|reset|image)$/.test(inputType(control));
}

function writeElement(el, tag, out, depth, shown) {
  const inside = () => {
    const inner = innerDocument(el);
    if (inner !== null) return bodyOf(inner) === null ? undefined : writeNode(bodyOf(inner), out, depth + 1);
    drawnChildren(el, tag, (child) => {
      if (nodeType(child) !== 3 || shown || styleOf(el).display === "contents") writeNode(child, out, depth + 1);
    });
  };
  const level = /^h[1-6]$/.test(tag) ? Number(tag[1]) : 0;
  if (level > 0) {
    newline(out, 2);
    out.text += "#".repeat(level) + " ";
    inside();
    newline(out, 2);
  } else if (tag === "img") {
    const alt = clean(attr(el, "alt") ?? "");
    if (alt) out.text += `![${alt}] `;
  } else if (tag === "label" && saysItself(el)) {
    for (const field of queryAll(el, "input,select,textarea")) writeNode(field, out, depth + 1);
  } else if (tag === "a" && hasAttr(el, "href")) writeLink(el, out, inside);
  else if (tag === "tr") {
    newline(out, 1);
    out.text += "| ";
    inside();
    newline(out, 1);
  } else if (tag === "td" || tag === "th") {
    inside();
    out.text = out.text.replace(/\s+$/, "") + " | ";
  } else writeBlock(el, tag, out, inside);
}

function writeLink(el, out, inside) {
  const before = out.text.length;
  inside();
  const text = clean(out.text.slice(before));
  const states = {};
  hrefInto(states, el);
  const apart = /^\s/.test(out.text.slice(before)) ? " " : "";
  if (text && states.href && text.length <= 300) out.text = `${out.text.slice(0, before)}${apart}[${text}](${states.href})`;
}

function writeBlock(el, tag, out, inside) {
  const display = styleOf(el).display;
  if (tag === "li") {
    newline(out, 1);
    out.text += "  ".repeat(Math.max(0, out.list - 1)) + "- ";
    inside();
    newline(out, 1);
  } else if (display === "inline" || display === "contents") inside();
  else if (display.startsWith("inline")) {
    if (!/(?:^|\s)$/.test(out.text)) out.text += " ";
    inside();
    out.text += " ";
  } else {
    const list = tag === "ul" || tag === "ol";
    const gap = tag === "p" || tag === "table" || tag === "section" || (list && out.list === 0) ? 2 : 1;
    if (!/(?:^|\n *)- $/.test(out.text)) newline(out, gap);
    out.list += list ? 1 : 0;
    inside();
    out.list -= list ? 1 : 0;
    newline(out, gap);
  }
}
