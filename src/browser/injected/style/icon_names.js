// Names of elements that show only an icon: from tips, and, as a guess, from the words by which its author calls it.

/** Attributes that hold the text of a tip. */
const TIPS = [
  "title", "data-tooltip", "data-tip", "data-original-title", "data-bs-original-title", "data-tooltip-content", "data-tooltip-text",
  "data-tippy-content", "data-balloon", "data-hint", "data-title", "data-label", "tooltip", "mattooltip", "ng-reflect-message", "uk-tooltip", "aria-description",
];
const TIPPED = TIPS.map((name) => `[${name}]`).join();
/** Guessed names by element, so that lines can tell that they are guesses. */
const guesses = new WeakMap();

/** Returns the tip of an element, or of a part of it if it shows no words. */
function tipOf(el, inParts = false) {
  const own = tipOn(el);
  if (own !== "" || !inParts || firstElementChild(el) === null) return own;
  const part = query(el, TIPPED);
  return part === null ? "" : tipOn(part);
}

function tipOn(el) {
  for (const name of TIPS) {
    const text = attr(el, name)?.trim();
    if (text) return /^(?:title|text|content)\s*:/.test(text) ? text.replace(/^[^:]*:\s*/, "").replace(/;.*$/s, "") : text;
  }
  return "";
}

/** Reports whether a text has no words: an arrow, a cross, a star. */
const isSymbol = (text) => !/[\p{L}\p{N}]/u.test(text);

/** Prefixes of classes that name an icon, of the common icon fonts and sets. */
const ICON_CLASS = new RegExp(`^(?:${[
  "fa", "fas", "far", "fal", "fab", "bi", "mdi", "glyphicon", "el-icon", "anticon", "codicon", "octicon", "lucide", "feather", "tabler-icon", "ti", "ri",
  "pi", "la", "las", "lar", "ph", "uil", "bx", "bxs", "fi", "flaticon", "zmdi", "typcn", "oi", "dashicons", "si", "cil", "ion", "icofont", "k-i",
  "ms-Icon-", "[a-z]{1,8}-icon", "i-[a-z]+", "icons?", "ico", "svg", "sprite", "symbol", "btn", "button",
].join("|")})[-_]+(.+)$`);
const ICON_SUFFIX = /^(.{2,30}?)[-_]?(?:icon|ico|Icon|Ico|btn|button|Btn|Button)$/;
/** Words of classes that tell how an icon looks, not what it is. */
const STYLING = words(
  "o solid regular light thin duotone brands sharp lg sm xs xl md xxl fw spin pulse inverse border large small medium btn button icon icons ico svg img image wrapper " +
    "container only outlined outline rounded round filled fill line inline block primary secondary success danger warning info default base root wrap inner holder box link " +
    "item font start end ghost text plain flat raised fab js test cta action circle square active disabled checked unchecked selected clickable pointer group label size color theme css el twotone ui mui ant chakra mantine",
);
/** Words by which a plain class or id tells what a button does. */
const DOES = words(
  "close delete remove trash edit add plus minus increase decrease increment decrement search menu settings cart share download upload save copy print refresh reload next prev previous back forward play pause stop " +
    "mute unmute like favorite favourite star bookmark filter sort expand collapse more options help home user profile account logout login notifications bell mail " +
    "send reply archive pin lock unlock undo redo zoom fullscreen up down camera attach unlink move drag clear cancel confirm check toggle switch hamburger dismiss " +
    "left right calendar phone chat comment rotate crop bold italic underline align list grid view hide show eye heart gear cog pencil basket bag wishlist location map",
);

/** Returns the words of an identifier, without those that say nothing; "" if a tool made it. */
function wordsOfId(id) {
  const parts = id.replace(/([a-z\d])([A-Z])/g, "$1 $2").replace(/[^\p{L}\p{N}]+/gu, " ").trim().toLowerCase().split(" ");
  if (parts.some((part) => /[a-z]\d|\d[a-z]/.test(part) && part.length > 3 && !/^[a-z]{3,}\d$/.test(part))) return "";
  const told = parts.filter((part) => /\p{L}/u.test(part) && !STYLING.has(part));
  return told.length > 4 ? "" : told.join(" ");
}

const doesSomething = (text) => text.split(" ").some((word) => DOES.has(word));

/** Words by which libraries call the parts of their tables. */
const TABLE_PARTS = words("header head body cell row col column panel");

/** Returns an identifier without the short prefix of a library and the parts of its tables: "ag-header-cell-filter". */
function fromDoing(text) {
  const parts = text.split(" ");
  if (parts.length < 3 || parts[0].length > 3 || DOES.has(parts[0])) return text;
  return parts.slice(parts.findIndex((word, at) => at > 0 && !TABLE_PARTS.has(word))).join(" ");
}

/** Matches an icon of a font, whatever its words. */
const FONT_ICON = /^(?:fa|bi|mdi|glyphicon|ti|ri|pi|la|ph|uil|bxs?|zmdi|typcn|oi|dashicons|cil|ion|lucide|feather|codicon|octicon|anticon)-([a-z][a-z-]+)$/;
/** Matches how a font draws an icon. */
const FONT_STYLE = /^(?:fw|lg|sm|xs|xl|li|ul|o|spin|pulse|inverse|border|solid|regular|light|thin|duotone|brands|sharp|fill|line|outline|bold|(?:stack|rotate|flip|pull|beat|fade|bounce|shake|swap|spin|size)(?:-.*)?)$/;

/** Returns the words of an icon that is called like a style: an info circle, a font, an image. An empty box is a state. */
function wordsOfPlainIcon(token) {
  const name = FONT_ICON.exec(token)?.[1] ?? "";
  return name === "" || FONT_STYLE.test(name) || OFF_ICONS.test(token) ? "" : name.replaceAll("-", " ");
}

function nameInClass(el) {
  for (const token of classesOf(el)) {
    const named = ICON_CLASS.exec(token);
    const text = named === null ? "" : wordsOfId(named[1]) || wordsOfPlainIcon(token);
    if (text !== "" && (!/^(?:btn|button|svg|sprite)/.test(token) || doesSomething(text))) return text;
    const suffixed = named === null ? ICON_SUFFIX.exec(token) : null;
    if (suffixed !== null && doesSomething(wordsOfId(suffixed[1]))) return fromDoing(wordsOfId(suffixed[1]));
  }
  return "";
}

/** Removes parts of one or two letters, such as those of a checksum that a build tool appends to a class ("align--e_ed-jB"). */
const withoutScraps = (text) => text.split(" ").filter((word) => word.length > 2 || DOES.has(word)).join(" ");

function nameInPlainClass(el) {
  for (const token of classesOf(el)) {
    const text = withoutScraps(wordsOfId(token.includes("__") ? token.slice(token.lastIndexOf("__") + 2) : token));
    if (doesSomething(text)) return fromDoing(text);
  }
  return "";
}

const ICON_ATTRIBUTE = /-icon$/;
/** Matches the name of an icon, alone or as one of several settings. */
const ICON_SETTING = /^(?:.*\bicon\s*:\s*)?([a-z][\w-]*)(?:\s*;.*)?$/i;
const SAYS_NO_ICON = /^(?:true|false|yes|no|left|right|start|end|top|bottom|small|large)$/i;

/** Returns the icon that an attribute of a library names, by itself or within settings: `x-icon="icon: trash; ratio: 2"`. */
function iconAttribute(el) {
  for (const name of el.getAttributeNames()) {
    if (!ICON_ATTRIBUTE.test(name)) continue;
    const icon = ICON_SETTING.exec(attr(el, name).trim())?.[1] ?? "";
    if (icon !== "" && !SAYS_NO_ICON.test(icon)) return icon;
  }
  return "";
}

/** Returns the name of the icon that an element draws: its attribute, symbol, class, ligature or file. */
function iconOf(el) {
  const tag = localName(el);
  if (tag === "use") return wordsOfId((attr(el, "href") ?? attr(el, "xlink:href") ?? "").replace(/^.*#/, "").replace(ICON_CLASS, "$1"));
  const stated = attr(el, "data-icon") || attr(el, "data-icon-name") || attr(el, "data-lucide") || attr(el, "data-feather") || attr(el, "icon") ||
    (tag.includes("-") ? attr(el, "name") : "") || iconAttribute(el);
  if (stated !== "" && stated.length < 60) return wordsOfId(stated.replace(/^.*[:/]/, "").replace(ICON_CLASS, "$1"));
  if (tag === "image") return wordsOfFile(attr(el, "href") ?? attr(el, "xlink:href") ?? "");
  if (tag === "img") return wordsOfFile(attr(el, "src") ?? "");
  if (isLigature(el)) return textContent(el).trim().replaceAll("_", " ");
  return nameInClass(el);
}

const wordsOfFile = (address) => (/^(?:data|blob):/.test(address) ? "" : wordsOfId(fileName(address).replace(/\.\w+$/, "").replace(/@\dx$/, "").replace(ICON_CLASS, "$1")));

function drawnFile(el) {
  const style = styleOf(el);
  const file = /url\("([^"]+)"\)/.exec(`${style.backgroundImage} ${style.maskImage} ${style.content}`);
  return file === null ? "" : wordsOfFile(file[1]);
}

const TEST_IDS = ["data-testid", "data-test-id", "data-test", "data-qa", "data-cy", "data-automation-id", "data-e2e", "data-action", "data-command", "data-cmd"];
const MADE_ID = /^(?::|«|_r_|radix|headlessui|react|ember\d|mui|mat-|cdk-|ext-|gwt-|yui|ui-id|rc_|el-id|v-\d|ng-)/;
const HANDLER = /^\s*(?:return\s+|void\s+)?(?:\w+\.)*([a-z]{4,}\w*)\s*\(/i;

/** Matches what a handler does to its event only. */
const STOPS_EVENT = /\b(?:event|e|\$event|arguments\[0\])\.(?:stopPropagation|stopImmediatePropagation|preventDefault)\(\)\s*[;,]?/g;

/** Matches an attribute that calls something, as those of Stimulus. */
const CODE = /->|[#(;{]/;

/** Returns what the value of a box or radio says: its name is that of its group. */
function optionInValue(el) {
  const value = attr(el, "value") ?? "";
  return /^(?:on|true|yes)$/i.test(value) ? "" : wordsOfId(value);
}

function nameInIds(el) {
  for (const name of TEST_IDS) {
    const text = CODE.test(attr(el, name) ?? "") ? "" : wordsOfId(attr(el, name) ?? "");
    if (text !== "") return text;
  }
  const value = isNativeBox(el) ? optionInValue(el) : "";
  if (value !== "") return `${value} ${wordsOfId(attr(el, "name") ?? "")}`.trim();
  // Parts of a drawing (masks, gradients) have ids for each other.
  if (namespaceOf(el) === SVG && localName(el) !== "svg") return "";
  for (const id of [attr(el, "id"), attr(el, "name")]) {
    const text = id && !MADE_ID.test(id) ? wordsOfId(id) : "";
    if (text !== "") return text;
  }
  return "";
}

function nameInHandler(el) {
  const text = wordsOfId(HANDLER.exec((attr(el, "onclick") ?? "").replace(STOPS_EVENT, ""))?.[1] ?? "");
  return doesSomething(text) ? text : "";
}

const MOST_ICON_PARTS = 12;
/** Sources of a guess, the surest first. */
const ICON_SOURCES = [iconOf, drawnFile, nameInPlainClass, nameInIds, nameInHandler, nameInDataKey];

function iconOfParts(el) {
  for (const part of [el, ...Array.prototype.slice.call(queryAll(el, "*"), 0, MOST_ICON_PARTS)]) {
    const text = iconOf(part);
    if (text !== "") return text;
  }
  return drawnFile(el);
}

/** Matches the number on an icon: new messages, things in a cart. */
const COUNT = /^\d{1,4}\+?$/;
const MAY_BE_ICON = "i,span,svg,use,img,[class*=icon]";

/** Returns the words of an element; a number on an icon with the name of the icon before it. */
function withIconOfCount(el, content) {
  if (!COUNT.test(content)) return content;
  for (const part of Array.prototype.slice.call(queryAll(el, MAY_BE_ICON), 0, MOST_ICON_PARTS)) {
    const icon = isSymbol(contentName(part)) && isShown(part) ? iconOf(part) : "";
    if (icon.length <= 1) continue;
    const tip = tipOf(el, true);
    return tip === "" ? keepGuess(el, `${icon} ${content}`) : tip.includes(content) ? tip : `${tip} ${content}`;
  }
  return content;
}

const MOST_IN_ICON_CELL = 3;

/** Returns the name of the icon that is all that a cell shows; "" for other cells. */
function iconOfCell(cell) {
  const parts = queryAll(cell, "*");
  if (parts.length > MOST_IN_ICON_CELL) return "";
  return Array.prototype.map.call(parts, (part) => (isShown(part) ? iconOf(part) : "")).find((icon) => icon.length > 1) ?? "";
}

/** Reports whether a part of a drawn element is switched off by `display: none`: the icon of another state. */
const isFoldedPart = (part, el) => !rawVisible.call(part) && rawVisible.call(el) && styleOf(part).display !== "contents";

/** Matches an arrow of an icon set that names directions by the compass: "triangle n". */
const COMPASS = /^(.*(?:triangle|carat|caret|arrow|arrowthick|chevron)) ([nsew])$/;
const turnedArrow = (icon) => icon.replace(COMPASS, (_, shape, side) => `${shape} ${{ n: "up", s: "down", e: "right", w: "left" }[side]}`);

/** Guesses the name of an element that shows no words; "" if nothing tells. */
function guessName(el) {
  const parts = [el, ...Array.prototype.slice.call(queryAll(el, "*"), 0, MOST_ICON_PARTS)].filter((part) => part === el || !isFoldedPart(part, el));
  const shadow = shadowRootOf(el);
  if (shadow !== null) parts.push(...Array.prototype.slice.call(queryAll(shadow, "*"), 0, MOST_ICON_PARTS));
  for (const source of ICON_SOURCES) {
    for (const part of parts) {
      const icon = cut(clean(source(part)), 60);
      // A drawn arrow says less than what its button is called.
      const text = source === iconOf && COMPASS.test(icon) ? nameInPlainClass(el) || turnedArrow(icon) : icon;
      // A picture of a letter is a mark on a board.
      if (text.length > 1 || (text !== "" && source === drawnFile)) return text;
    }
  }
  return "";
}

const keepGuess = (el, name) => {
  guesses.set(el, name);
  return name;
};

const LIGATURE = /^\s*[a-z][a-z0-9]*(?:_[a-z0-9]+)*\s*$/;
/** Matches a letter outside of Latin, in the place of which an icon font draws an icon. */
const LONE_LETTER = /^\s*(?![\u0000-\u024f])\p{L}\s*$/u;
const LIGATURE_CLASS = /(?:^|\s)(?:material-(?:icons|symbols)\S*|google-symbols|mdc-icon\S*|mat-icon\S*)(?:\s|$)/;
/** Matches fonts that begin with one of icons; many plain ones end with "Segoe UI Symbol". */
const ICON_FONT = /^["']?(?:material (?:icons|symbols)|google symbols|[^,]*icon|[^,]*glyph)/i;
const LIGATURE_TAGS = words("md-icon mat-icon mwc-icon mdui-icon");

/** Fonts by class, of one observation: elements of a class mostly share theirs, and asking for a style is slow. */
const iconFonts = new Map();
let iconFontsAt = -1;

function hasIconFont(el, classes) {
  if (iconFontsAt !== observationCount) {
    iconFonts.clear();
    iconFontsAt = observationCount;
  }
  let known = iconFonts.get(classes);
  if (known === undefined) iconFonts.set(classes, (known = ICON_FONT.test(styleOf(el).fontFamily)));
  return known;
}

/** Returns the text that is all that an element holds, in an icon also within a span of its own; frameworks leave empty nodes beside. */
function onlyTextOf(el, inSpan) {
  let only = null;
  for (let node = firstChild(el); node !== null; node = nextSibling(node)) {
    const type = nodeType(node);
    if (type === 8 || (type === 3 && textData(node) === "")) continue;
    if (only !== null || (type === 1 && !inSpan)) return null;
    only = node;
  }
  if (only === null || nodeType(only) === 3) return only;
  return localName(only) === "span" && !hasAttr(only, "class") ? onlyTextOf(only, false) : null;
}

/** Reports whether the text of an element is the name of a symbol that an icon font draws in its place. */
function isLigature(el, tag = localName(el)) {
  if (tag !== "i" && tag !== "span" && !tag.includes("icon") && !hasAttr(el, "class")) return false;
  const only = onlyTextOf(el, tag === "i" || tag.includes("icon"));
  if (only !== null && LONE_LETTER.test(textData(only).slice(0, 8)) && hasAttr(el, "class")) return hasIconFont(el, attr(el, "class"));
  if (only === null || !LIGATURE.test(textData(only).slice(0, 60))) return false;
  if (LIGATURE_TAGS.has(tag) || LIGATURE_CLASS.test(attr(el, "class") ?? "")) return true;
  return hasAttr(el, "class") && hasIconFont(el, attr(el, "class"));
}

/** Names a link without any other name by the site that it leads to, or by the last part of its path on this one. */
function nameInAddress(el) {
  const { protocol = "", hostname = "", origin = "" } = el;
  const isElsewhere = /^https?:$/.test(protocol) && hostname !== "" && origin !== location.origin;
  return isElsewhere ? hostname.replace(/^www\./, "") : fileName(hrefOf(el) ?? "");
}

/** Returns the last part of the path of an address. */
function fileName(href) {
  const path = href.replace(/[?#].*$/, "").replace(/\/+$/, "");
  return /^(?:javascript|data):/i.test(href) ? "" : path.slice(path.lastIndexOf("/") + 1).slice(0, 40);
}
