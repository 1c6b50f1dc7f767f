// Signs by which a page shows that something is on its way: busy regions, progress bars without a value, spinners,
// skeletons, and short texts such as "Loading…".

const SIGNS = '[aria-busy="true"],progress:not([value]),[role="progressbar"]:not([aria-valuenow],[value]),[class*="skeleton" i],[class*="spinner" i],' +
  '[class*="shimmer" i],[class*="loading" i],[class*="loader" i],img[alt$="loader" i],img[alt^="loading" i],img[id*="spinner" i],img[id*="loading" i],img[src*="spinner" i],img[src*="loading" i],img[src*="loader" i]';
const SURE_SIGNS = '[aria-busy="true"],progress,[role="progressbar"]';
/** Words in names of classes; "uploader" is none. */
const SKELETON = /(?:^|[^a-z])(?:skeleton|shimmer)|Skeleton|Shimmer/;
const SPINNER = /(?:^|[^a-z])(?:pre)?(?:spinner|loading|loader)|Spinner|Loading|Loader/;
const NO_SIGNS = words("html body a button input select textarea img picture video iframe");
const LOADING_TEXT = new RegExp([
  /^\W*(?:loading|please wait|one moment|just a moment|завантаження|зачекайте|хвилинку|wird geladen|bitte warten|chargement)\W*$/,
  /^\W*(?:loading|searching|fetching|saving|sending|processing|updating|working|initiali[sz]ing|starting|connecting|preparing|завантаж|шука|пошук|зберіга|надсила|оброб|онов|запуска|підключ)[^.…]{0,40}(?:…|\.\.\.)$/,
].map((words) => words.source).join("|"), "iu");
/** Words that say so only within something that is called a sign of loading: a "Loading bay" is none. */
const LOADED_THING = /^(?:loading|завантаження)(?:\s+[\p{L}\p{N}]+){1,3}$/iu;
/** Fast test of a whole page for the words above. */
const LOADING_WORDS = /loading|wait|moment|searching|fetching|saving|sending|processing|updating|working|initiali|starting|connecting|preparing|завантаж|зачекайте|хвилинку|шука|пошук|зберіга|надсила|оброб|онов|запуска|підключ|wird geladen|bitte warten|chargement/i;
const LONGEST_SIGN_TEXT = 50;
const MOST_SIGNS = 60;
const MOST_SIGN_TEXTS = 20000;

/** Returns the first visible sign that is not among `known`, or null. */
const loadingSign = (known) => findSigns(known, 1)[0] ?? null;

/** Returns the signs that are there now. */
const loadingSigns = () => new WeakSet(findSigns(new WeakSet(), MOST_SIGNS));

function findSigns(known, most) {
  const found = [];
  for (const root of allRoots()) {
    const signs = queryAll(root, SIGNS);
    for (let i = 0; i < signs.length && i < 10 * MOST_SIGNS && found.length < most; i++) {
      if (!known.has(signs[i]) && isSign(signs[i])) found.push(signs[i]);
    }
    if (found.length < most) findTexts(root, known, found, most);
    if (found.length < most) findMoving(root, known, found, most);
  }
  return found;
}

function isSign(el) {
  if (!isInSight(el)) return false;
  if (matches(el, SURE_SIGNS) || localName(el) === "img") return true;
  if (NO_SIGNS.has(localName(el)) || attr(el, "role") === "button") return false;
  if (textContent(el).trim().length > LONGEST_SIGN_TEXT || query(el, "a[href],input,select,textarea") !== null) return false;
  const kind = attr(el, "class");
  return SKELETON.test(kind) || (SPINNER.test(kind) && turns(el));
}

const MOVING_PICTURES = "img,svg animate,svg animateTransform,svg animateMotion";

/** Reports whether something in an element is animated, by a style sheet, by itself or as a picture; an arrow stands still. */
const turns = (el) => el.getAnimations({ subtree: true }).length > 0 || query(el, MOVING_PICTURES) !== null;

/** Reports whether an element is called a sign of loading, but nothing in it moves: it shows something else meanwhile. */
const isIdleSpinner = (el, ownName) => ownName !== "" && /^loading$/i.test(ownName) && !turns(el);

function isInSight(el) {
  if (!isShown(el) || isTransparent(el)) return false;
  const { width, height, top, left, bottom, right } = rectOf(el);
  return width > 1 && height > 1 && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
}

/** Reports whether an element or one around it is fully transparent, as spinners are that are only switched off. */
function isTransparent(el) {
  return !rawVisible.call(el, { opacityProperty: true, visibilityProperty: true });
}

function findTexts(root, known, found, most) {
  const top = nodeType(root) === 9 ? bodyOf(root) : root;
  if (top === null || !LOADING_WORDS.test(textContent(top))) return;
  const texts = ownerDocument(top).createTreeWalker(top, NodeFilter.SHOW_TEXT);
  for (let left = MOST_SIGN_TEXTS; left > 0 && found.length < most && texts.nextNode(); left--) {
    const text = textData(texts.currentNode);
    if (text.length < 4 || text.length > 2 * LONGEST_SIGN_TEXT || !LOADING_WORDS.test(text)) continue;
    const el = parentNode(texts.currentNode);
    if (!LOADING_TEXT.test(text.trim()) && !(LOADED_THING.test(text.trim()) && isWithinLoader(el))) continue;
    if (el !== null && nodeType(el) === 1 && !known.has(el) && !NEVER_READ.has(localName(el)) && isInSight(el)) found.push(el);
  }
}

const MOST_MOVING = 60;
const LARGEST_TURNING = 240;
const LEAST_PULSING = 2000;
const LARGEST_PULSING = 0.4;
const TURNING_PICTURES = "animateTransform[repeatCount=indefinite],animateTransform[repeatDur=indefinite]";

/** Finds what turns without end, and wordless boxes that pulse without end: spinners and skeletons that no class tells. */
function findMoving(root, known, found, most) {
  const note = (el) => {
    if (found.length < most && el !== null && !known.has(el) && !found.includes(el) && !NO_SIGNS.has(localName(el)) && isInSight(el)) found.push(el);
  };
  for (const animation of root.getAnimations().slice(0, MOST_MOVING)) {
    const { effect, playState } = animation;
    if (playState !== "running" || !effect?.target || effect.getComputedTiming().endTime !== Infinity) continue;
    if (isEndlessWait(effect)) note(effect.target);
  }
  for (const motion of Array.prototype.slice.call(queryAll(root, TURNING_PICTURES), 0, MOST_MOVING)) {
    const drawing = attr(motion, "type") === "rotate" ? closest(motion, "svg") : null;
    if (drawing !== null && isSmallMark(drawing)) note(drawing);
  }
}

/** Reports whether an endless animation turns a small mark, or lets a box of some size without words and controls pulse. */
function isEndlessWait(effect) {
  const { target } = effect;
  const frames = effect.getKeyframes();
  if (frames.some(({ transform, rotate }) => /rotate/.test(transform ?? "") || /[1-9]/.test(rotate ?? ""))) return isSmallMark(target);
  if (!frames.some(({ opacity, backgroundPosition, backgroundPositionX }) => (opacity ?? backgroundPosition ?? backgroundPositionX) !== undefined)) return false;
  const { width, height } = rectOf(target);
  const isBox = width * height >= LEAST_PULSING && width * height <= innerWidth * innerHeight * LARGEST_PULSING;
  return isBox && textContent(target).trim() === "" && !matches(target, FIELD_OR_CONTROL) && query(target, FIELD_OR_CONTROL) === null;
}

/** Reports whether an element is small and shows no words. */
function isSmallMark(el) {
  const { width, height } = rectOf(el);
  return Math.max(width, height) <= LARGEST_TURNING && textContent(el).trim() === "";
}

const CALLED_LOADER = '[id*="loading" i],[id*="loader" i],[class*="loading" i],[class*="loader" i]';
const MOST_LEVELS_OF_LOADER = 4;

/** Reports whether one of the innermost elements around a text is called a sign of loading. */
function isWithinLoader(el) {
  for (let node = el, level = 0; node !== null && nodeType(node) === 1 && level < MOST_LEVELS_OF_LOADER; node = parentNode(node), level++) {
    if (matches(node, CALLED_LOADER)) return true;
  }
  return false;
}

/** Reports whether a sign, or what holds nothing else, covers most of the window. */
function coversWindow(sign) {
  const words = visibleText(sign, 2000);
  if (words === "" && !matches(sign, SIGNS)) return false;
  for (let node = sign, level = 0; node !== null && level < MOST_LEVELS_OF_LOADER; node = drawnParent(node), level++) {
    if (localName(node) === "body" || visibleText(node, 2000) !== words) return false;
    const { left, top, right, bottom } = rectOf(node);
    const [width, height] = [Math.min(right, innerWidth) - Math.max(left, 0), Math.min(bottom, innerHeight) - Math.max(top, 0)];
    if (width > 0 && height > 0 && width * height >= innerWidth * innerHeight / 2) return true;
  }
  return false;
}
