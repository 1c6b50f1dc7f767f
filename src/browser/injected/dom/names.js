// Accessible names, following the accname rules: labelledby, label, native naming, content, title, placeholder.

const INLINE = words("span b i em strong small sub sup u s mark code font abbr bdi bdo q time var kbd samp cite data label a");
const NOT_CONTENT = words("script style template noscript select textarea input datalist object embed canvas iframe audio video");
const LONGEST_WORK = 600;

function nameOf(el, role, tag = localName(el)) {
  const name = labelledBy(el) || attr(el, "aria-label")?.trim() || nativeName(el, tag, role);
  if (name) return cleanName(name);
  if (NAMED_BY_CONTENT.has(role)) {
    const content = contentName(el, false, role === "treeitem" || role.startsWith("menuitem"));
    if (content) return cleanName(content);
    const drawn = drawnName(el);
    if (drawn) return cleanName(drawn);
  }
  return cleanName(attr(el, "title") || attr(el, "placeholder") || attr(el, "aria-placeholder") || fallbackName(el, tag, role));
}

const MOST_DRAWN_PARTS = 6;

/** Returns the text that style sheets draw into an element without any other; symbols of icon fonts say nothing. */
function drawnName(el) {
  let text = drawnText(el);
  const inner = queryAll(el, "*");
  for (let i = 0; i < inner.length && i < MOST_DRAWN_PARTS; i++) text += ` ${drawnText(inner[i])}`;
  return text.replace(/\p{Co}/gu, "").trim();
}

function drawnText(el) {
  let text = "";
  for (const place of ["::before", "::after"]) {
    const content = getComputedStyle(el, place).content;
    if (!/["(]/.test(content) || /url\(|counters?\(/.test(content)) continue;
    const written = content.replace(/attr\(([\w-]+)\)/g, (_, name) => `"${attr(el, name) ?? ""}"`);
    text += ` ${[...written.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((part) => part[1]).join("")}`;
  }
  return text;
}

/** Current depth of labels of labels: pages may let them refer to each other in a circle. */
let labelling = 0;

function labelledBy(el) {
  const ids = attr(el, "aria-labelledby");
  if (!ids || labelling > 1) return "";
  labelling++;
  try {
    return joinLabels(el, ids);
  } finally {
    labelling--;
  }
}

function joinLabels(el, ids) {
  const root = getRootNode(el);
  const parts = [];
  for (const id of ids.split(/\s+/, 12)) {
    const source = id && queryAll(root, "#" + CSS.escape(id))[0];
    if (source) parts.push(attr(source, "aria-label") || alternative(source));
  }
  return parts.join(" ").trim();
}

/** Returns the text that represents a node within another element's name. */
function alternative(el) {
  const tag = localName(el);
  if (tag === "input") return isSecret(el) ? "" : String(el.value ?? "");
  if (isSecretRich(el)) return "";
  return nativeName(el, tag, "") || contentName(el, true);
}

function nativeName(el, tag, role) {
  switch (tag) {
    case "input": return inputName(el);
    case "select": case "textarea": case "meter": case "progress": case "output": case "button": return labelText(el);
    case "img": case "area": return attr(el, "alt")?.trim() || "";
    case "a": return namespaceOf(el) === SVG ? childText(el, "title") : "";
    case "canvas": return clean(textContent(el).slice(0, LONGEST_WORK));
    case "fieldset": return childText(el, "legend");
    case "table": return childText(el, "caption");
    case "figure": return childText(el, "figcaption");
    case "iframe": case "frame": return attr(el, "title") || attr(el, "name") || "";
    default:
      if (tag === "svg" || DRAWN_SHAPES.has(tag)) return childText(el, "title");
      return role === "dialog" || role === "alertdialog" ? dialogName(el) : "";
  }
}

function inputName(el) {
  const type = inputType(el);
  if (type === "submit" || type === "reset" || type === "button") {
    return labelText(el) || attr(el, "value")?.trim() || (type === "button" ? "" : type === "submit" ? "Submit" : "Reset");
  }
  if (type === "image") return labelText(el) || attr(el, "alt") || attr(el, "title") || "Submit";
  return labelText(el);
}

function labelText(el) {
  const labels = el.labels;
  if (!labels || labels.length === 0) return "";
  let text = "";
  for (let i = 0; i < labels.length && i < 4; i++) text += " " + (attr(labels[i], "aria-label") || contentName(labels[i]));
  return text.trim();
}

function childText(el, wanted) {
  for (let node = firstChild(el); node !== null; node = nextSibling(node)) {
    if (nodeType(node) === 1 && localName(node) === wanted) return contentName(node, true);
  }
  return "";
}

const dialogName = (el) => {
  const heading = query(el, "h1,h2,h3,h4,[role=heading]");
  return heading && isShown(heading) ? contentName(heading) : "";
};

function fallbackName(el, tag, role) {
  if (tag === "input" && inputType(el) === "color") return "Colour";
  if (role === "link" && (tag === "a" || tag === "area")) return fileName(hrefOf(el) ?? "");
  if (DRAWN_SHAPES.has(tag)) return shapeId(el);
  if (role === "clickable") return plainName(el);
  return "";
}

const DATA_NAMES = ["data-name", "data-label", "data-title", "data-color", "data-value"];

/** Names a clickable element without text (a swatch, a star) by a data attribute, or by its colour. */
function plainName(el) {
  for (const name of DATA_NAMES) if (attr(el, name)) return attr(el, name);
  const rgb = firstElementChild(el) === null ? /^rgb\((\d+), (\d+), (\d+)\)$/.exec(styleOf(el).backgroundColor) : null;
  return rgb === null ? "" : "#" + rgb.slice(1).map((part) => Number(part).toString(16).padStart(2, "0")).join("");
}

/** Names a link without any other name by the last part of its path. */
function fileName(href) {
  const path = href.replace(/[?#].*$/, "").replace(/\/+$/, "");
  return /^(?:javascript|data):/i.test(href) ? "" : path.slice(path.lastIndexOf("/") + 1).slice(0, 40);
}

/** Returns the name from content: visible text of all descendants, with blocks separated by spaces. */
function contentName(el, evenHidden = false, own = false) {
  const only = firstChild(el);
  if (only !== null && nodeType(only) === 3 && nextSibling(only) === null && shadowRootOf(el) === null) {
    return clean(textData(only).slice(0, LONGEST_WORK));
  }
  const parts = { text: "", left: 400, evenHidden, own };
  gather(el, parts, 0);
  return clean(parts.text);
}

function gather(el, parts, depth) {
  drawnChildren(el, localName(el), (node) => {
    if (parts.text.length > LONGEST_WORK || parts.left-- <= 0 || depth > 40) return;
    const type = nodeType(node);
    if (type === 3) parts.text += textData(node).slice(0, LONGEST_WORK);
    else if (type === 1) gatherElement(node, parts, depth);
  });
}

function gatherElement(el, parts, depth) {
  const tag = localName(el);
  if (isSecretRich(el) || parts.skip?.has(el)) return;
  if (tag === "br") parts.text += " ";
  if (NOT_CONTENT.has(tag) || attr(el, "aria-hidden") === "true") return;
  // Nested items of a tree or menu item are not part of its name.
  if (parts.own && (tag === "ul" || tag === "ol" || /^(?:group|tree|menu)$/.test(attr(el, "role") ?? ""))) return;
  if (!parts.evenHidden && !rawVisible.call(el, { visibilityProperty: true }) && styleOf(el).display !== "contents") return;
  const ownName = labelledBy(el) || attr(el, "aria-label")?.trim() || (DRAWN_SHAPES.has(tag) && childText(el, "title"));
  if (ownName || tag === "img" || tag === "svg") {
    parts.text += ` ${ownName || nativeName(el, tag, "")} `;
    return;
  }
  const apart = !INLINE.has(tag) || !styleOf(el).display.startsWith("inline") || styleOf(el).display === "inline-block";
  if (apart) parts.text += " ";
  const before = parts.text.length;
  gather(el, parts, depth + 1);
  if (parts.text.length === before && hasAttr(el, "title")) parts.text += attr(el, "title");
  if (apart) parts.text += " ";
}
