// Descriptions of the values that a field takes, and why it refuses one: for the note below its line, and for error messages.

const SHAPES = {
  date: "a date as 2026-05-04", time: "a time as 14:30", "datetime-local": "a date and time as 2026-05-04T14:30",
  month: "a month as 2026-05", week: "a week as 2026-W19", color: "a colour as #ff8800", range: "a number", number: "a number",
};

/** Returns the note for a field: the format of its value while it is empty, and its bounds. */
function boundsOf(el, role, tag) {
  if (tag === "input") return inputBounds(el, inputType(el));
  if (role !== "slider" && role !== "spinbutton") return "";
  return rangeWords(attr(el, "aria-valuemin"), attr(el, "aria-valuemax"), null);
}

const LONGEST_HINT = 160;

/**
 * Adds the placeholder of a field, unless it is the name, and its hint: why it refuses its value, or else what it
 * wants.
 */
function hintsInto(out, el, role, tag, name) {
  const stated = attr(el, "placeholder") || attr(el, "aria-placeholder") || attr(el, "data-placeholder") || drawnPlaceholder(el, role, tag);
  const placeholder = cut(clean(stated), LONGEST_HINT);
  if (placeholder !== "" && placeholder !== name) out.placeholder = placeholder;
  const hint = cut(clean(hintOf(el, tag, out.invalid === true, name)), LONGEST_HINT);
  if (hint !== "" && hint !== name && hint !== placeholder) out.hint = hint;
}

/** Returns the placeholder that style draws into an empty editor. */
const drawnPlaceholder = (el, role, tag) =>
  tag !== "input" && tag !== "textarea" && role === "textbox" && editorAt(el) === null && isEditable(el, tag) && textContent(el).trim() === "" ? drawnName(el) : "";

function hintOf(el, tag, invalid, name) {
  const field = tag === "input" || tag === "select" || tag === "textarea";
  const parts = [];
  const validity = field && el.willValidate === true ? el.validity : null;
  const said = invalid && isRefusedByClass(el, field) ? messageBeside(el, name) : "";
  if (said !== "") parts.push(said);
  else if (validity !== null && !validity.valid && (invalid || (validity.customError && String(el.value ?? "") !== ""))) parts.push(String(el.validationMessage));
  if (invalid) parts.push(refusalOf(el));
  if (invalid) parts.push(describedBy(el, "aria-errormessage", false), describedBy(el, "aria-describedby", false));
  else parts.push(describedBy(el, "aria-describedby", true), describedBy(el, "aria-errormessage", true));
  const title = clean(attr(el, "title") ?? "");
  if (title !== "" && title !== name && (parts.join("") === "" || hasAttr(el, "pattern"))) parts.push(title);
  return [...new Set(parts.filter(Boolean))].filter((part, i, all) => !all.some((other, k) => k !== i && other.includes(part) && other !== part)).join(" ");
}

/** Returns a description; with `unseen` only one that no other line shows. */
function describedBy(el, attribute, unseen) {
  const texts = [];
  for (const id of (attr(el, attribute) ?? "").split(/\s+/, 6)) {
    const source = id && queryAll(getRootNode(el), "#" + CSS.escape(id))[0];
    if (!source) continue;
    const shown = isShown(source) && rectOf(source).width > 1 && rectOf(source).height > 1;
    if (unseen ? !shown && attribute === "aria-describedby" : shown || attribute === "aria-describedby") texts.push(contentName(source, !shown));
  }
  return texts.join(" ");
}

/** Matches a class by which libraries say that a field, or the item of a form around it, refuses its value. */
const REFUSING = new RegExp(`^(?!(?:no|not|hide|without)[-_])(?:${[
  "(?:[\\w-]+[-_])?(?:is|has|status|was)[-_](?:invalid|danger|error)s?(?:[-_](?:input|field))?",
  "(?:[\\w-]+(?:--|__))?(?:invalid|error)",
  "(?:input|field|form|form-control|form-group|textfield|select|p)[-_](?:invalid|error)|(?:mat|mdc)-[\\w-]+[-_]invalid|Mui-error|uk-form-danger|(?:input|field)-validation-error|parsley-error|wpcf7-not-valid",
].join("|")})$`);
const REFUSING_HINT = /invalid|error|danger|not-valid/i;
const TEXT_FIELDS = "input:not([type=hidden]):not([type=submit]):not([type=button]),select,textarea,[contenteditable=true],[role=combobox],[role=textbox]";
const LEVELS_OF_ITEM = 5;
const MOST_ITEM_FIELDS = 2;
const MESSAGES = '[class*="error" i],[class*="invalid" i],[class*="danger" i],[class*="not-valid" i],[role=alert]';
const HELPS = '[class*="help" i],[class*="feedback" i],[class*="explain" i],[class*="message" i],[class*="hint" i],[class*="prompt" i]';

const hasRefusingClass = (el) => {
  const names = attr(el, "class");
  return names !== null && REFUSING_HINT.test(names) && clean(names).split(" ").some((name) => REFUSING.test(name));
};

/** Returns the elements around a field, from the innermost, within the item of its form. */
function partsOfItem(el) {
  const parts = [];
  for (let node = drawnParent(el), level = 0; node !== null && level < LEVELS_OF_ITEM; node = drawnParent(node), level++) {
    if (/^(?:form|body|html|fieldset|table|tr)$/.test(localName(node))) break;
    parts.push(node);
  }
  return parts;
}

/** Reports whether an element holds no other fields than one and a second one as of a range: it is the item of a form. */
const isItemOfOne = (node) => queryAll(node, TEXT_FIELDS).length <= MOST_ITEM_FIELDS;

/** Reports whether a field is refused by its class or that of the item of a form around it. */
function isRefusedByClass(el, field) {
  if (!field && !/^(?:textbox|searchbox|combobox|listbox|spinbutton)$/.test(attr(el, "role") ?? "")) return false;
  if (field && /^(?:hidden|submit|button|reset|image)$/.test(localName(el) === "input" ? inputType(el) : "")) return false;
  if (attr(el, "aria-invalid") === "false" || hasAttr(el, "disabled")) return false;
  return hasRefusingClass(el) || partsOfItem(el).some((node) => hasRefusingClass(node) && isItemOfOne(node)) || (field && matches(el, ".was-validated :invalid"));
}

/** Returns the message that a page shows beside a refused field, by its class; a help of the field where there is none. */
function messageBeside(el, name) {
  for (const selector of [MESSAGES, HELPS]) {
    for (const first of [el, closest(el, "label") ?? el]) {
      for (let node = nextElement(first), steps = 0; node !== null && steps < 4 && !matches(node, TEXT_FIELDS); node = nextElement(node), steps++) {
        const text = matches(node, selector) ? messageOf(node, name) : "";
        if (text !== "") return text;
      }
    }
    for (const item of partsOfItem(el).filter(isItemOfOne)) {
      for (const node of queryAll(item, selector)) {
        const text = contains(node, el) ? "" : messageOf(node, name);
        if (text !== "") return text;
      }
    }
  }
  return "";
}

function messageOf(node, name) {
  if (!isShown(node) || query(node, TEXT_FIELDS) !== null || query(node, "button") !== null) return "";
  const text = contentName(node);
  return /\p{L}{3}/u.test(text) && text.length <= 2 * LONGEST_HINT && !name.includes(text) ? text : "";
}

function inputBounds(el, type) {
  if (type === "file") {
    const kinds = attr(el, "accept");
    return [kinds ? `takes ${clean(kinds).slice(0, 80)}` : "", hasAttr(el, "multiple") ? "takes several files" : ""].filter(Boolean).join(", ");
  }
  if (!(type in SHAPES) || type === "color") return "";
  const range = rangeOf(el, type);
  if (type === "range" || type === "number") return range;
  return String(el.value ?? "") !== "" && range === "" ? "" : [SHAPES[type], range].filter(Boolean).join(", ");
}

/** Returns the full description, for an error message. */
function takes(el, type) {
  const shape = SHAPES[type] ?? "text";
  return [shape, rangeOf(el, type)].filter(Boolean).join(" ");
}

function rangeOf(el, type) {
  const [min, max, step] = ["min", "max", "step"].map((name) => attr(el, name));
  if (type === "range") return rangeWords(min ?? "0", max ?? "100", step);
  return rangeWords(min, max, type === "number" ? step : null);
}

function rangeWords(min, max, step) {
  const parts = [];
  if (min) parts.push(`from ${clean(min)}`);
  if (max) parts.push(min ? `to ${clean(max)}` : `up to ${clean(max)}`);
  const words = parts.join(" ");
  return step && step !== "1" && step !== "any" ? `${words}${words ? ", " : ""}in steps of ${clean(step)}` : words;
}

/** Converts a value as a person may write it to the field's format; null if it is not a value. */
function asTaken(el, type, text) {
  const trimmed = text.trim();
  if (trimmed === "") return type === "range" || type === "color" ? null : "";
  const two = (digits) => digits.padStart(2, "0");
  const day = (value) => value.replace(/^(\d{4})[-./](\d{1,2})[-./](\d{1,2})$/, (_, y, m, d) => `${y}-${two(m)}-${two(d)}`);
  const hour = (value) => value.replace(/^(\d{1,2})[:.](\d{2})(:\d{2})?(?:\s*([ap])\.?m\.?)?$/i, (_, h, m, s, half) => {
    const whole = half ? (Number(h) % 12) + (half.toLowerCase() === "p" ? 12 : 0) : Number(h);
    return `${two(String(whole))}:${m}${s ?? ""}`;
  });
  switch (type) {
    case "date": return day(trimmed);
    case "time": return hour(trimmed);
    case "datetime-local": {
      const [date, ...time] = trimmed.split(/[T\s]+/);
      return `${day(date)}T${hour(time.join(" "))}`;
    }
    case "month": return trimmed.replace(/^(\d{4})[-./](\d{1,2})$/, (_, y, m) => `${y}-${two(m)}`);
    case "week": return trimmed.replace(/^(\d{4})[-\s]*w(\d{1,2})$/i, (_, y, w) => `${y}-W${two(w)}`);
    case "color": return colour(trimmed);
    default: return Number.isFinite(Number(trimmed)) ? String(Number(trimmed)) : null;
  }
}

/** Converts any CSS colour to #rrggbb; null if it is not a colour. */
function colour(text) {
  const pen = new OffscreenCanvas(1, 1).getContext("2d");
  const drawn = (base) => {
    pen.fillStyle = base;
    pen.fillStyle = text;
    return pen.fillStyle;
  };
  const one = drawn("#000000");
  return one === drawn("#ffffff") && /^#[0-9a-f]{6}$/.test(one) ? one : null;
}

/** Reports whether a value is within min and max. Dates and times compare as strings. */
function isWithin(el, type, value) {
  const [min, max] = type === "range" ? [attr(el, "min") || "0", attr(el, "max") || "100"] : [attr(el, "min"), attr(el, "max")];
  if (type === "range") return Number(value) >= Number(min) && Number(value) <= Number(max);
  const wraps = type === "time" && min && max && min > max;
  if (wraps) return value >= min || value <= max;
  return value === "" || ((!min || value >= min) && (!max || value <= max));
}
