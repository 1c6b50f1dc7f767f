// Reports what a person types into secret fields during a take-over, after every letter: at the hand-back the
// document may be gone or the field be another one. Active only in an isolated world of its own
// (`page/takeover_script.rs`), which exists in every document from the beginning.

const LONGEST_NOTED = 4000;
const fieldNumbers = new WeakMap();
const thisDocument = Math.random().toString(36).slice(2);
let noting = false;
let fieldsNoted = 0;

function noteTyped() {
  if (noting) return;
  noting = true;
  // A page may change the type of a field when it gets the focus or the first input.
  addEventListener("focusin", (event) => isNoted(fieldTyped(event)), true);
  addEventListener("input", (event) => noteField(fieldTyped(event)), true);
}

/** Returns the field itself, also in a shadow tree. */
function fieldTyped(event) {
  const node = event.composedPath()[0];
  return node instanceof Element ? node : null;
}

function isNoted(el) {
  if (el === null) return false;
  const tag = localName(el);
  if (tag === "input" || tag === "textarea") return isSecret(el);
  if (el.isContentEditable !== true) return false;
  const description = fieldWords(el);
  return CODE_WORDS.test(description) || CARD_WORDS.test(description);
}

function noteField(el) {
  if (!isNoted(el)) return;
  const tag = localName(el);
  reportTyped(el, String((tag === "input" || tag === "textarea" ? el.value : textContent(el)) ?? ""));
  const root = getRootNode(el);
  if (tag === "input" && isDigitBox(el)) {
    reportTyped(root, Array.from(queryAll(root, 'input[maxlength="1"]'), (box) => box.value).join(""));
  }
}

function reportTyped(el, value) {
  if (!fieldNumbers.has(el)) fieldNumbers.set(el, ++fieldsNoted);
  const field = `${thisDocument}-${fieldNumbers.get(el)}`;
  globalThis.askfirstTyped?.(JSON.stringify({ field, value: value.slice(0, LONGEST_NOTED) }));
}
