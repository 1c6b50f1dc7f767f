// Role of an element: its explicit ARIA role, otherwise the implicit role of its tag.

const words = (text) => new Set(text.split(" "));

/** Roles of elements that a person acts on. */
const ACTED_ON = words(
  "button link textbox searchbox combobox checkbox radio switch slider spinbutton tab menuitem menuitemcheckbox " +
    "menuitemradio option treeitem file clickable audio video canvas",
);
/** Roles whose name may come from the content. */
const NAMED_BY_CONTENT = words(
  "button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option treeitem heading tooltip clickable " +
    "row cell gridcell columnheader rowheader",
);
/** Roles whose line may contain other lines. Some of them are only listed with a name. */
const HOLDERS = words(
  "list listitem table row cell gridcell columnheader rowheader dialog alertdialog alert status navigation main form " +
    "article banner contentinfo complementary search radiogroup tablist tabpanel menu menubar toolbar tree grid listbox " +
    "treegrid feed log figure iframe",
);
const HOLDERS_IF_NAMED = words("region group");
const LISTS = words("list table grid treegrid listbox menu tree feed tablist");
const ITEMS = words("listitem row option menuitem treeitem article tab");
const CELLS = words("cell gridcell columnheader rowheader");
// Excludes `note`: lines with that role are written by this script only, and a page must not imitate them.
const KNOWN = new Set([...ACTED_ON, ...HOLDERS, ...HOLDERS_IF_NAMED, "heading", "img", "presentation", "none",
  "generic", "text", "progressbar", "meter", "tooltip", "separator", "timer", "marquee", "math", "document",
  "application", "term", "definition", "rowgroup", "scrollbar", "directory"]);

const INPUT_ROLES = {
  button: "button", submit: "button", reset: "button", image: "button", checkbox: "checkbox", radio: "radio",
  range: "slider", number: "spinbutton", search: "searchbox", file: "file", hidden: "",
};
const TAG_ROLES = {
  button: "button", summary: "button", textarea: "textbox", nav: "navigation", main: "main", form: "form",
  article: "article", search: "search", dialog: "dialog", ul: "list", ol: "list", menu: "list",
  dl: "list", li: "listitem", table: "table", tr: "row", figure: "figure",
  fieldset: "group", iframe: "iframe", frame: "iframe", h1: "heading", h2: "heading", h3: "heading", h4: "heading",
  h5: "heading", h6: "heading", output: "status", progress: "progressbar", meter: "meter", section: "region",
  img: "img", svg: "img", g: "group", math: "math", audio: "audio", video: "video", tbody: "rowgroup", thead: "rowgroup",
  tfoot: "rowgroup",
};

function explicitRole(el) {
  const role = attr(el, "role");
  if (!role) return "";
  for (const word of role.toLowerCase().split(/\s+/, 8)) {
    if (KNOWN.has(word)) return word === "none" ? "presentation" : word === "directory" ? "list" : word;
  }
  return "";
}

function inputType(el) {
  return (attr(el, "type") || "text").toLowerCase();
}

function inputRole(el) {
  const type = inputType(el);
  const role = INPUT_ROLES[type];
  if (role === "searchbox" || role === undefined) return hasAttr(el, "list") || showsListChoice(el) ? "combobox" : role ?? "textbox";
  return role;
}

/** Returns the implicit role of the tag; "" for a generic wrapper. */
function tagRole(el, tag) {
  switch (tag) {
    case "div": case "span": case "p": return "";
    case "a": return hasAttr(el, "href") || hasAttr(el, "xlink:href") ? "link" : "";
    case "area": return hasAttr(el, "href") ? "link" : "";
    case "path": case "rect": case "circle": case "ellipse": case "polygon":
      return hasAttr(el, "aria-label") || hasAttr(el, "aria-labelledby") ? "img" : "";
    case "input": return inputRole(el);
    case "select": return isListBox(el) ? "listbox" : "combobox";
    case "summary": return opensDetails(el) ? "button" : "";
    case "aside": return isLabelled(el) || outsideSections(parentNode(el), "article,aside,nav,section") ? "complementary" : "";
    case "th": return headerRole(el);
    case "td": return hasAttr(el, "tabindex") && closest(el, GRIDS) !== null ? "gridcell" : "cell";
    case "canvas": return canvasRole(el);
    case "object": case "embed": return innerDocument(el) === null ? "" : "iframe";
    case "header": return outsideSections(el) ? "banner" : "";
    case "footer": return outsideSections(el) ? "contentinfo" : "";
    case "audio": return hasAttr(el, "controls") ? tag : "";
    case "video": return hasAttr(el, "controls") || !isMovingPicture(el) ? tag : "";
    default: return TAG_ROLES[tag] ?? "";
  }
}

/** Reports whether a video plays by itself without sound, as a drawing does. One whose bar a script draws is pressed itself. */
const isMovingPicture = (el) => hasAttr(el, "autoplay") && (hasAttr(el, "loop") || hasAttr(el, "muted"));

/** Lists a canvas that has a label, can be used, or is large. Its fallback content serves as its name. */
const canvasRole = (el) => contextIn(el) !== null ? "textbox" :
  hasAttr(el, "aria-label") || hasAttr(el, "aria-labelledby") || hasAttr(el, "tabindex") || hasAttr(el, "title") ||
  textContent(el).trim() !== "" || (clientWidthOf(el) >= 200 && clientHeightOf(el) >= 100) ? "canvas" : "";

const GRIDS = "[role=grid],[role=treegrid]";

/** Roles that the parts of a layout table lose. */
const LAID_OUT = words("row cell rowgroup columnheader rowheader");

const isListBox = (el) => hasAttr(el, "multiple") || Number(attr(el, "size")) > 1;
const outsideSections = (el, sections = "article,aside,main,nav,section") => el === null || nodeType(el) !== 1 || closest(el, sections) === null;
const isLabelled = (el) => hasAttr(el, "aria-label") || hasAttr(el, "aria-labelledby") || hasAttr(el, "title");

/** Reports whether an element is the first summary of its details; another one is plain text. */
function opensDetails(el) {
  if (localName(parentElement(el) ?? el) !== "details") return false;
  for (let other = previousElement(el); other !== null; other = previousElement(other)) if (localName(other) === "summary") return false;
  return true;
}

/** Returns the role of a header cell: without a scope, the first cell before data cells is that of its row. */
function headerRole(el) {
  const scope = attr(el, "scope") ?? "";
  if (scope !== "") return /^row/i.test(scope) ? "rowheader" : "columnheader";
  if (previousElement(el) !== null) return "columnheader";
  for (let cell = nextElement(el); cell !== null; cell = nextElement(cell)) if (localName(cell) === "td") return "rowheader";
  return "columnheader";
}

function roleOf(el, tag = localName(el)) {
  // A frame stays one whatever role it is given: what is in it must be read.
  if (tag === "iframe" || tag === "frame") return "iframe";
  const explicit = explicitRole(el);
  const native = tagRole(el, tag);
  if (explicit === "") return native !== "" && mayBeDrawing(el) && isPartOfItem(el) ? "presentation" : native;
  if (explicit === "presentation" && isPartOfItem(el)) return explicit;
  // A divider that takes the focus and has a value is moved as a slider is.
  if ((explicit === "separator" || explicit === "scrollbar") && hasAttr(el, "aria-valuenow") && Number(attr(el, "tabindex") ?? -1) >= 0) return "slider";
  // A presentational or generic role on a real control is a mistake of the author: the control still works.
  if ((explicit === "presentation" || explicit === "generic") && ACTED_ON.has(native)) return native;
  // A role counts, too, on an element that takes the focus or that says more of itself.
  if (explicit === "presentation" && native !== "" && saysMore(el)) return native;
  // A landmark without a name is none: the role of the tag holds.
  if ((explicit === "region" || explicit === "form") && native !== "" && !isLabelled(el)) return native;
  return explicit === "listbox" && isShutList(el) ? "combobox" : explicit;
}

const OPTIONS_OF_LIST = "[role=option],[role=group],li,option,select,input";
const LONGEST_CHOICE = 60;

/** Reports whether a field says that it opens this list. */
function isControlled(list) {
  const id = attr(list, "id");
  return Boolean(id) && queryAll(getRootNode(list), `[aria-controls~="${CSS.escape(id)}"],[aria-owns~="${CSS.escape(id)}"]`).length > 0;
}

/** Reports whether what is called a list of options is the field that opens one: one row that reacts to presses and holds no option. */
function isShutList(el) {
  if (!hasAttr(el, "tabindex") || hasAttr(el, "aria-activedescendant") || hasAttr(el, "aria-owns")) return false;
  if (!reactsItself(el) || query(el, OPTIONS_OF_LIST) !== null || isControlled(el)) return false;
  const { height } = rectOf(el);
  const text = clean(textContent(el).slice(0, LONGEST_WORK));
  return height > 0 && height <= ONE_ROW && text !== "" && text.length <= LONGEST_CHOICE;
}

const ITEM_ROLES = "[role=tab],[role=treeitem],[role=menuitem],[role=menuitemcheckbox],[role=menuitemradio],[role=option]";

const MOST_IN_ITEM = 3;

/** Returns the own element with the role of an item in whose shadow tree an element stands; or null. */
function itemHostOf(el) {
  const root = getRootNode(el);
  const host = nodeType(root) === 11 && isShadow(root) ? hostOf(root) : null;
  return host !== null && matches(host, ITEM_ROLES) ? host : null;
}

/** Asks the cheap questions about what may only draw an item. */
const mayBeDrawing = (el) => hasAttr(el, "tabindex") || (localName(el) === "button" && itemHostOf(el) !== null);

/**
 * Reports whether a link or button is only the drawing of a tab or item, whose words it shows: one without focus close
 * inside it, or the only button of its shadow tree.
 */
function isPartOfItem(el) {
  const tag = localName(el);
  const host = tag === "button" ? itemHostOf(el) : null;
  if (host !== null) return queryAll(getRootNode(el), "a[href],button,input").length === 1 && !attr(el, "aria-label");
  if ((tag !== "a" && tag !== "button") || !(Number(attr(el, "tabindex") ?? 0) < 0) || matches(el, ITEM_ROLES)) return false;
  const item = closest(el, ITEM_ROLES);
  if (item === null || queryAll(item, "a[href],button,input").length !== 1) return false;
  for (let node = el, steps = 0; steps < MOST_IN_ITEM; steps++) if ((node = parentNode(node)) === item) return true;
  return false;
}

const STATED_OF_ALL = words("aria-label aria-labelledby aria-describedby aria-details aria-controls aria-owns aria-flowto aria-live aria-current");

/** Reports whether an element takes the focus or has an ARIA attribute that elements of every role can have. */
function saysMore(el) {
  if (hasAttr(el, "tabindex")) return true;
  for (const name of STATED_OF_ALL) if (attr(el, name)) return true;
  return false;
}

function headingLevel(el, tag) {
  const level = Number(attr(el, "aria-level"));
  if (level >= 1 && level <= 9) return Math.floor(level);
  return /^h[1-6]$/.test(tag) ? Number(tag[1]) : 2;
}

const EDITABLE_INPUTS = words("text search email url tel password number date time month week datetime-local");

/** Reports whether text can be typed into an element. */
function isEditable(el, tag = localName(el)) {
  if (tag === "textarea") return true;
  if (tag === "input") return EDITABLE_INPUTS.has(inputType(el)) || !(inputType(el) in INPUT_ROLES);
  return (hasAttr(el, "contenteditable") && el.isContentEditable === true) || editorAt(el) !== null || contextIn(el) !== null;
}
