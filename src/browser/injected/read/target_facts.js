// `target`: facts about one element for validation, the policy gate, and the fingerprint of an approval.

async function target(eid) {
  const el = await findNode(eid);
  if (el === null) return deadEid(eid);
  const tag = localName(el);
  if (tag.includes("-")) readInternals(el);
  const last = lastRoleAndName.get(el);
  const role = last?.role === "clickable" || (last?.role === "region" && roleOf(el, tag) === "") ? last.role : actedRole(el, tag);
  const wide = last?.role === "clickable" ? wideName(el, tag) : null;
  const name = wide !== null && wide.name === last.name ? last.name : nameOf(el, role, tag);
  const acts = pressed(el);
  const form = formElementOf(isSubmitter(acts) ? acts : el);
  const sends = submits(el, form);
  const href = linkUrl(el);
  const shown = shownBox(el);
  if (shown !== null) remember(el, shown.rect);
  return {
    eid, role, name, tag,
    also: otherTexts(el, tag, name, acts),
    page: pageOf(document),
    type: typeOf(tag === "label" ? acts : el),
    disabled: isDisabled(el) || isInert(el),
    lacks: isDisabled(el) ? invalidFieldNames(el) : [],
    readonly: hasAttr(el, "readonly") || attr(el, "aria-readonly") === "true",
    editable: isEditable(el, tag),
    secret: isSecret(el),
    frame: frameName(el),
    href,
    destination: sends ? submitUrl(form, submitterOf(form, el)) : href,
    opens: hasAttr(el, "aria-expanded") || (attr(el, "aria-haspopup") ?? "false") !== "false" || tag === "summary",
    download: (tag === "a" || tag === "area") && hasAttr(el, "download"),
    form: form === null ? null : formFacts(form, el),
    submits: sends,
    sendsItself: sendsItself(el, acts, form),
    context: contextOf(el),
    near: openerOfMenu(el) === null ? nearText(el, name) : "",
    ...liveFacts(el, name, form),
    thing: thingOf(el, name),
    heading: pageHeading(el),
    dialog: dialogAround(el),
    prices: pricesAround(el, form),
    loose: looseFields(el, form),
    picked: picksAround(el),
    box: boxInMain(el),
    changed: last !== undefined && (last.role !== role || last.name !== name),
  };
}

/** Returns the address of the document; for a frame with inline content, that of the surrounding page. */
const pageOf = (doc) => (/^about:/.test(location.href) ? doc.baseURI : location.href);

const SENDS = /\.\s*(?:submit|requestSubmit|click)\s*\(/;
const HANDLERS = words("onchange oninput onclick ondblclick onmousedown onmouseup onpointerdown onpointerup onmouseover onmouseenter onfocus onkeydown href");

/**
 * Reports whether attributes of a control or its form show that using it submits a form. Scripts added later cannot
 * be detected.
 */
function sendsItself(el, acts, form) {
  const around = closest(el, "a[href],a[*|href],[onclick]");
  for (const node of [el, acts, form, around]) {
    if (node === null) continue;
    for (const name of HANDLERS) if (SENDS.test(attr(node, name) ?? "")) return true;
  }
  return false;
}

function typeOf(el) {
  switch (localName(el)) {
    case "input": return inputType(el);
    case "button": return isSubmitter(el) ? "submit" : attr(el, "type").toLowerCase();
    case "select": return "select";
    case "textarea": return "textarea";
    default: return "";
  }
}

/** Returns the visible text if it differs from the name, and the name of the control that the element labels. */
function otherTexts(el, tag, name, acts) {
  if (isEditable(el, tag) || tag === "select") return "";
  const texts = [contentName(el)];
  if (acts !== el && !isEditable(acts)) texts.push(nameOf(acts, roleOf(acts)), contentName(acts));
  if (tag === "input") texts.push(/^(?:submit|button|reset)$/.test(inputType(el)) ? attr(el, "value") ?? "" : "");
  const others = [...new Set(texts.map(cleanName))].filter((text) => text !== "" && !name.includes(text));
  return cut(others.join(". "), LONGEST_NAME);
}

/** Returns the role as in observations. */
function actedRole(el, tag) {
  const role = roleOf(el, tag);
  if (ACTED_ON.has(role) || role !== "" && !isEditable(el, tag)) return role;
  return isEditable(el, tag) ? "textbox" : "clickable";
}

function linkUrl(el) {
  const link = closest(el, "a[href],area[href],a[*|href]");
  if (link === null) return null;
  try {
    return new URL(hrefOf(link), ownerDocument(link).baseURI).href.slice(0, 2000);
  } catch {
    return hrefOf(link).slice(0, 2000);
  }
}

/** Returns the titles of the ancestor frames, the outermost first; empty in the main frame. */
function frameName(el) {
  const names = [];
  for (let frame = frameElementOf(ownerDocument(el)); frame !== null; frame = frameElementOf(ownerDocument(frame))) {
    names.unshift(nameOf(frame, "iframe") || fileName(attr(frame, "src") ?? "") || "frame");
  }
  return names.join(" / ");
}

/** Returns the title of the nearest named dialog or section, or the nearest heading before the element. */
function contextOf(el) {
  for (let node = drawnParent(el), steps = 0; node !== null && steps < 40; node = drawnParent(node), steps++) {
    const tag = localName(node);
    const role = roleOf(node, tag);
    if (role === "dialog" || role === "alertdialog" || hasName(node, tag)) {
      const name = nameOf(node, role, tag);
      if (name) return name;
    }
    const title = headingBefore(node, el);
    if (title) return title;
    if (tag === "body") break;
  }
  return "";
}

/** Elements whose headings are not titles of content outside them. */
const SECTIONS = "form,dialog,section,article,aside,nav,li,table,[role=dialog],[role=form],[role=region]";

function headingBefore(holder, el) {
  const all = queryAll(holder, "h1,h2,h3,h4,h5,h6,[role=heading],legend");
  let best = null;
  for (let i = 0; i < all.length && i < 300; i++) {
    const order = all[i].compareDocumentPosition(el);
    if (!(order & Node.DOCUMENT_POSITION_FOLLOWING)) break;
    const section = closest(all[i], SECTIONS);
    if (!(order & Node.DOCUMENT_POSITION_CONTAINED_BY) && (section === null || contains(section, el)) && isShown(all[i])) best = all[i];
  }
  return best === null ? "" : cleanName(contentName(best));
}

/** Reports whether an element has words beside those of buttons: that "Cancel" stands beside "Delete" tells nothing. */
const hasMoreThanButtons = (node) => textWithout(node, 400, (part, tag) => BUTTON_ROLES.has(roleOf(part, tag))).trim() !== "";

/**
 * Returns the text around the element: its row, card or item, extended outwards until it contains a price, if one is
 * near.
 */
function nearText(el, name, read = visibleText) {
  let found = "";
  for (let node = drawnParent(el), steps = 0; node !== null && steps < 8; node = drawnParent(node), steps++) {
    const tag = localName(node);
    if (tag === "body" || tag === "html") break;
    const text = read(node, 4000);
    if (text.length > 1500 && found !== "") break;
    if (found === "" && text.replace(/\s+/g, " ").length > name.length + 3 && hasMoreThanButtons(node)) found = text;
    if (statesMoney(text)) {
      found = text;
      break;
    }
    if (tag === "main" || tag === "dialog") break;
  }
  return shortenText(found, 200);
}
