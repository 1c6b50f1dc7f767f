// Things to click without a role: what says so itself in its attributes, what has the pointer of something to click, and
// what listens (Chromium tells that to the service, which hands the nodes in: a script in its own world cannot see it).

/** What frameworks leave in the page of a handler. */
const HINTS = [
  "[onclick]", "[ondblclick]", "[onmousedown]", "[onmouseup]", "[onpointerdown]", "[ng-click]", "[data-ng-click]",
  "[jsaction^='click']", "[jsaction*=';click']", "[data-action*='->']", "[phx-click]", "[\\@click]", "[x-on\\:click]",
  "[v-on\\:click]", "[wire\\:click]", "[hx-get]:not([hx-trigger])", "[hx-post]:not([hx-trigger])",
  "[hx-put]:not([hx-trigger])", "[hx-patch]:not([hx-trigger])", "[hx-delete]:not([hx-trigger])",
  "[data-toggle]", "[data-bs-toggle]", "[draggable=true]", "[ondrop]", "[ondragover]",
].join();

/** Nodes that listen for a press, as far as we were told. */
const listening = new WeakSet();
/** Nodes that listen for keys. */
const keyed = new WeakSet();

const isHinted = (el) => hasAttributes(el) && matches(el, HINTS);

/** Takes nodes that listen: a press where `kinds` has p, keys where it has k. Answers whether a look would differ. */
function listens(kinds, ...nodes) {
  let differs = false;
  nodes.forEach((el, i) => {
    if (nodeType(el) !== 1) return;
    if (kinds[i].includes("p")) listening.add(el);
    if (kinds[i].includes("k")) keyed.add(el);
    differs ||= isConnected(el) && eidByNode.get(el) === undefined && isListener(el, localName(el)) && !isShownAsOther(el);
  });
  return differs;
}

/** Is it within something that is offered already, or such a thing itself? */
function isShownAsOther(el) {
  for (let node = el, steps = 0; node !== null && steps < 60; node = drawnParent(node), steps++) {
    if (ACTED_ON.has(roleOf(node))) return true;
  }
  return !isShown(el);
}

const NEVER_CLICKABLE = words("body html main form label iframe section article nav header footer table tbody thead ul ol dialog");
const LARGEST_LISTENER = 0.4;

/** Clickable without a role: it says so itself, it listens, or it has a pointer that is not inherited. */
function isClickable(el, tag, pointer, ctx) {
  if (tag === "body" || tag === "html" || tag === "label" || tag === "iframe") return false;
  if (isHinted(el)) return true;
  if (ctx.mute) return false;
  if (isListener(el, tag)) return pointer || !holdsControls(el);
  return pointer && !ctx.pointer && !holdsWhatItDoes(el);
}

/** Does it listen for itself? Large things listen for what is inside of them, or to close what is open. */
function isListener(el, tag) {
  if (NEVER_CLICKABLE.has(tag)) return false;
  if (!listening.has(el)) return keyed.has(el) && hasAttr(el, "tabindex") && scrollHeightOf(el) - clientHeightOf(el) <= 1;
  const { width, height } = rectOf(el);
  return width * height < innerWidth * innerHeight * LARGEST_LISTENER;
}

const holdsControls = (el) => firstElementChild(el) !== null && (query(el, CONTROLS) !== null || contentName(el).length > LONGEST_CLICKABLE);

/** A pointer around a link, a label or a single control is that control's pointer. */
function holdsWhatItDoes(el) {
  if (firstElementChild(el) === null) return false;
  const inner = queryAll(el, "a[href],button,input,select,textarea,label,[role=button],[role=link],[role=option],[role=menuitem],[role=tab]");
  return inner.length === 1 || Array.prototype.some.call(inner, (one) => localName(one) === "a" || localName(one) === "label");
}

function clickable(el, tag, role, page, ctx) {
  if (SELF_CONTAINED.has(tag) && tag !== "img" && tag !== "svg" && tag !== "canvas") return passive(el, tag, role, page, ctx, true);
  if (HOLDERS.has(role) && !ITEMS.has(role) && !CELLS.has(role)) return passive(el, tag, role, page, ctx, true);
  actor(el, tag, "clickable", page, ctx);
}
