// Accessible names, following the accname rules: labelledby, label, native naming, content, title, placeholder.

const INLINE = words("span b i em strong small sub sup u s mark code font abbr bdi bdo q time var kbd samp cite data label a");
const NOT_CONTENT = words("script style template noscript select textarea input datalist object embed canvas iframe audio video");
const LONGEST_WORK = 600;

/** Roles whose nameless elements get a guessed name. */
const GUESSED = words("button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option treeitem clickable");

/** Matches the state that some libraries put into the name of a box. */
const STATE_IN_NAME = /\s*\((?:un)?checked\)$/i;

function nameOf(el, role, tag = localName(el)) {
  const name = nameOfItemPart(el) || nameOfDrawnBox(el, role) || nameOfNative(el, role) || labelledBy(el) || ownLabel(el, role) || nativeName(el, tag, role);
  if (name && role === "checkbox") return cleanName(name.replace(STATE_IN_NAME, ""));
  if (name) return cleanName(role === "textbox" && MERE_EDITOR.test(name) ? labelBefore(closest(el, EDITOR_BOXES) ?? el) || name : name);
  if (NAMED_BY_CONTENT.has(role)) {
    const content = nameFromContent(el, role);
    if (content) return cleanName(wordsUnderUnseen(el, role, content) || content);
  }
  return cleanName(tipOf(el) || (FIELDS_BESIDE.has(role) && labelBefore(hostDrawnBy(el) ?? el, true)) || attr(el, "placeholder") || attr(el, "aria-placeholder") || fallbackName(el, tag, role));
}

/** Returns the name from content; that of a symbol is its tip, or has a guess beside it. */
function nameFromContent(el, role) {
  const parts = isItem(el) ? [...itemPartsIn(el), ...reactorsIn(el).filter((part) => isSymbol(contentName(part)))] : pressedIn(el);
  const removal = writtenRemovalIn(el);
  if (removal !== null) parts.push(removal);
  if (parts.length > 0) return wordsWithout(el, new Set(parts));
  // Text that shows under the pointer only is not yet part of the name.
  const content = someRevealing && revealsMore(el) ? clean(textWithoutShrunk(el)) : contentName(el, false, role === "treeitem" || role.startsWith("menuitem")) || drawnName(el);
  if (!GUESSED.has(role)) return content;
  if (content !== "" && !isSymbol(content) && !writtenRemovals.has(el)) return withIconOfCount(el, content);
  const tip = tipOf(el, true);
  if (tip !== "" || content === "") return tip;
  const place = placeInRating(el);
  if (place !== "") return `${content.split(" ", 1)[0]} ${place}`;
  const beside = role === "clickable" && STATE_SYMBOL.test(content) && !isInOffered(el) ? textBesideDrawn(el) : "";
  // A tick comes and goes; the name stays.
  if (beside !== "") return TICKS.test(content) ? beside : `${content} ${beside}`;
  const guess = writtenRemovals.has(el) ? nameInPlainClass(el) : guessName(el);
  return guess === "" ? content : keepGuess(el, `${content} ${guess}`);
}

const MOST_LEVELS_OFFERED = 6;

/** Reports whether an element around this one has a line of its own, which says the words beside it. */
function isInOffered(el) {
  for (let node = drawnParent(el), steps = 0; node !== null && steps < MOST_LEVELS_OFFERED; node = drawnParent(node), steps++) {
    if (offeredAt.get(node) === walkCount) return true;
  }
  return false;
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
    // A list may name its own choice as its label (Select2), which is its value.
    if (source && source !== el && attr(el, "role") === "combobox" && contains(el, source) && contentName(source) === contentName(el)) continue;
    if (source) parts.push(attr(source, "aria-label")?.trim() || alternative(source, el) || attr(source, "title")?.trim() || "");
  }
  return parts.join(" ").trim();
}

/** Returns the text that represents a node within another element's name: what is hidden counts if all of it is. */
function alternative(el, named) {
  const tag = localName(el);
  if (tag === "input") return isSecret(el) ? "" : String(el.value ?? "");
  if (isSecretRich(el)) return "";
  return nativeName(el, tag, "") || contentName(el, !isDrawn(el), false, named);
}

const isDrawn = (el) => rawVisible.call(el, { visibilityProperty: true }) || styleOf(el).display === "contents";

function nativeName(el, tag, role) {
  switch (tag) {
    case "input": return inputName(el);
    case "select": case "textarea": case "meter": case "progress": case "output": case "button": return labelText(el);
    case "img": case "area": return attr(el, "alt")?.trim() || "";
    case "a": return namespaceOf(el) === SVG ? childText(el, "title") : "";
    case "canvas": return clean(textContent(el).slice(0, LONGEST_WORK));
    case "fieldset": return childText(el, "legend");
    case "table": return captionOf(el);
    case "figure": return childText(el, "figcaption");
    case "iframe": case "frame": return attr(el, "title") || attr(el, "name") || "";
    default:
      if (tag === "svg" || DRAWN_SHAPES.has(tag)) return childText(el, "title");
      if (editorAt(el) !== null) return editorName(el);
      if (tag.includes("-")) return labelText(el);
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
  const labels = labelElementsOf(el);
  if (labels.length === 0) return nameOfFieldHost(el);
  const texts = new Set();
  // A label within another one is part of it.
  const isInner = (label) => labels.some((other) => other !== label && contains(other, label));
  for (let i = 0; i < labels.length && i < 4; i++) if (labels.length === 1 || !isInner(labels[i])) texts.add(wordsOfLabel(labels[i], el));
  return [...texts].join(" ").trim();
}

/** Returns the words of the label of an element; its tip where it shows only a symbol. */
function wordsOfLabel(label, el) {
  const text = (attr(label, "aria-label") || contentName(label, false, false, el)).trim();
  return isSymbol(text) ? tipOf(label) || text : text;
}

/** Returns the name of the element that a field in its shadow tree takes the focus for. */
function nameOfFieldHost(el) {
  const host = fieldHostOf(el);
  return host === null ? "" : labelledBy(host) || attr(host, "aria-label")?.trim() || labelText(host);
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

/** Matches the numbers of the lines of a text beside them. */
const NUMBERS_OF_LINES = /^1 2(?: \d+)*$/;

/** Reports whether a text beside a field can be its label; one with a running time would void approvals. */
const isLabelText = (text) => text !== "" && !NUMBERS_OF_LINES.test(text) && text.length <= LONGEST_BESIDE && !isSymbol(text) && withoutTimes(text) === text;

function fallbackName(el, tag, role) {
  if (tag === "input" && inputType(el) === "color") return colourWords(el) || "Colour";
  if (DRAWN_SHAPES.has(tag)) return nameOfWire(el, tag) || shapeId(el) || shapeWords(el);
  const inner = role === "combobox" && tag !== "input" ? fieldOfWrapper(el) : null;
  if (inner !== null) return labelText(inner);
  const drawnLabel = labelOfHost(el) || (FIELDS_BESIDE.has(role) ? labelDrawnBeneath(el) : "");
  if (drawnLabel !== "") return drawnLabel;
  const onField = FIELDS_BESIDE.has(role) && (tag === "input" || tag === "textarea") ? nameInSeries(el) || labelDrawnOnField(el) : "";
  if (onField !== "") return onField;
  if (FIELDS_BESIDE.has(role)) return [hostDrawnBy(el) ?? el, el].flatMap((one) => textsBeside(one, true)).find(isLabelText) || nameOfDrawnList(el) || keepGuess(el, guessOfHost(el));
  if ((role === "cell" || role === "gridcell") && tag === "td") return keepGuess(el, textOfCell(el));
  if (!GUESSED.has(role)) return "";
  const stated = role === "link" ? nameOfThumb(el) : role === "clickable" ? nameOfDrawing(el) : "";
  if (stated !== "") return stated;
  const inRadios = role === "radio" ? placeInRadios(el) : "";
  if (inRadios !== "") return keepGuess(el, inRadios);
  const place = placeInRating(el);
  const beside = place === "" && BESIDE.has(role) ? nameOfDrawn(el) : "";
  if (beside !== "") return beside;
  const over = role === "button" || role === "link" ? nameDrawnOver(el) || nameDrawnBeneath(el) : "";
  if (over !== "") return over;
  const colour = role === "clickable" && place === "" ? colourName(el) : "";
  if (colour !== "") return colour;
  const guess = guessName(el) || (role === "link" && (tag === "a" || tag === "area") ? nameInAddress(el) : "");
  const told = guess || guessOfHost(el) || (role === "button" || role === "clickable" ? columnOfControl(el) : "");
  if (told === "") return place === "" ? "" : keepGuess(el, `★ ${place}`);
  return keepGuess(el, cleanName(place === "" ? told : `${told.replace(FILLING, "")} ${place}`));
}

const DATA_NAMES = ["data-name", "data-label", "data-title", "data-color", "data-value"];

/** Roles of elements that are named by the text beside them. */
const BESIDE = words("clickable checkbox radio switch");
/** Roles of fields that are named by the text before them, if no other field is near it. */
const FIELDS_BESIDE = words("textbox searchbox combobox spinbutton slider");
/** Matches a symbol that tells a state of what stands beside it. */
const STATE_SYMBOL = /^[▸▾▶▼►▷▽☐☑☒✓✔✅●◉⦿○◯★☆♥♡❤□▢⬜🗹🔘🤍]/u;

const TICKS = /^[✓✔✅●◉⦿]\ufe0f?$/u;

/** Matches what a class tells of a part that does something with the text beside it, and is no state of that text. */
const STEPPING = /\b(?:increase|decrease|increment|decrement|plus|minus|delete|remove|edit|close|clear|dismiss|next|prev(?:ious)?|back|forward)\b/;

/** Returns the text that a drawn switch or box belongs to, unless its icon or class names it better. */
function nameOfDrawn(el) {
  const icon = iconOfParts(el);
  if (icon !== "" && !TOGGLE_WORDS.test(icon)) return "";
  // A part with a button of its own is a cell, not a mark of the text beside it.
  if (firstElementChild(el) !== null && query(el, "a[href],button,[role=button],[role=link]") !== null) return "";
  if (!isNativeBox(el) && STEPPING.test(nameInPlainClass(el))) return "";
  return textBesideDrawn(el) || (isNativeBox(el) ? textDrawnBeside(el) : "");
}

/** Names a clickable element without text (a swatch, a star) by a data attribute. */
function dataName(el) {
  const told = DATA_NAMES.map((name) => attr(el, name)).find((value) => value && !/^(?:true|false|on|off|[01])$/.test(value)) ?? "";
  return /^\d+$/.test(told) && placeInRating(el) !== "" ? "" : told;
}

/**
 * Returns the name from content: visible text of all descendants, with blocks separated by spaces. Where the content is
 * the label of an element (`named`), controls within it count by their values.
 */
function contentName(el, evenHidden = false, own = false, named = null) {
  const only = firstChild(el);
  if (only !== null && nodeType(only) === 3 && nextSibling(only) === null && shadowRootOf(el) === null && !isDrawnOn(el)) {
    if (isLigature(el)) return "";
    return clean(textData(only).slice(0, LONGEST_WORK));
  }
  const parts = { text: "", left: 400, evenHidden, own, named, undrawn: false };
  gather(el, parts, 0);
  return clean(parts.text);
}

function gather(el, parts, depth) {
  parts.text += drawnWordsBefore(el);
  drawnChildren(el, localName(el), (node) => {
    if (parts.text.length > LONGEST_WORK || parts.left-- <= 0 || depth > 40) return;
    const type = nodeType(node);
    if (type === 3) parts.text += parts.undrawn ? "" : textData(node).slice(0, LONGEST_WORK);
    else if (type === 1) gatherElement(node, parts, depth);
  });
  parts.text += drawnWordsAfter(el);
}

function gatherElement(el, parts, depth) {
  const tag = localName(el);
  if (isSecretRich(el) || parts.skip?.has(el)) return;
  if (tag === "br") parts.text += " ";
  if (parts.named !== null) {
    // A menu in a label is none of its words.
    if (attr(el, "role") === "menu" || (tag === "button" && el !== parts.named && parts.text.trim() !== "")) return;
    if (el === parts.named || isControlIn(el, tag)) {
      parts.text += el === parts.named ? " " : ` ${valueInLabel(el, tag)} `;
      return;
    }
  }
  if (NOT_CONTENT.has(tag) || attr(el, "aria-hidden") === "true" || isLigature(el, tag)) return;
  // Nested items of a tree or menu item are not part of its name.
  if (parts.own && (tag === "ul" || tag === "ol" || /^(?:group|tree|menu)$/.test(attr(el, "role") ?? ""))) return;
  const undrawn = !parts.evenHidden && !isDrawn(el);
  // An invisible element may hold visible ones.
  if (undrawn && !rawVisible.call(el)) return;
  const outer = parts.undrawn;
  parts.undrawn = undrawn;
  gatherShown(el, tag, parts, depth);
  parts.undrawn = outer;
}

function gatherShown(el, tag, parts, depth) {
  const ownName = !parts.undrawn && tag !== "slot" && (labelledBy(el) || attr(el, "aria-label")?.trim()) || (DRAWN_SHAPES.has(tag) && childText(el, "title"));
  if (ownName || tag === "img" || tag === "svg") {
    const name = isIdleSpinner(el, ownName) ? "" : ownName || nativeName(el, tag, "");
    if (name) parts.text += ` ${name} `;
    return;
  }
  const apart = !INLINE.has(tag) || standsApart(el, tag, parts);
  if (apart) parts.text += " ";
  const before = parts.text.length;
  gather(el, parts, depth + 1);
  if (parts.text.length === before && !parts.undrawn && hasAttr(el, "title")) parts.text += attr(el, "title");
  if (apart) parts.text += " ";
}

/** Roles of controls whose value is part of the label that holds them. */
const VALUED = words("textbox searchbox combobox listbox slider spinbutton");
const isControlIn = (el, tag) => /^(?:input|select|textarea)$/.test(tag) || VALUED.has(attr(el, "role") ?? "");

/** Returns the value of a control, as part of the label of another one. */
function valueInLabel(el, tag) {
  if (!isDrawn(el) || isSecret(el)) return "";
  if (tag === "select") return Array.from(el.selectedOptions, (option) => textContent(option)).join(" ");
  if (tag === "input" && /^(?:checkbox|radio|submit|button|reset|image|file|hidden)$/.test(inputType(el))) return "";
  if (tag === "input" || tag === "textarea") return String(el.value ?? "");
  const role = attr(el, "role");
  if (role === "slider" || role === "spinbutton") return attr(el, "aria-valuetext") || attr(el, "aria-valuenow") || "";
  const chosen = queryAll(el, "[role=option][aria-selected=true]");
  if (role === "listbox" || chosen.length > 0) return Array.from(chosen, (option) => contentName(option)).join(" ");
  const field = query(el, "input");
  return field === null ? contentName(el) : isSecret(field) ? "" : String(field.value ?? "");
}
