// Check of a choice in a drawn list: a list that moves, or draws itself anew, may take another option than the one that
// was pressed.

/** Milliseconds within which a list shows what was chosen. */
const CHOICE_SHOWN_WITHIN = 800;
const MOST_OTHERS = 500;

/** Names of the options that were to be chosen, and of the others of the list; null if a choice cannot be told. */
let lastChoice = null;

/** Remembers what is about to be chosen in a list of single choice, to check it afterwards. */
function noteChoice(chosen, shown) {
  const wanted = chosen.map((option) => plainWords(optionName(option)));
  const others = shown.slice(0, MOST_OTHERS).map((option) => plainWords(optionName(option)));
  lastChoice = { wanted, others: others.filter((name) => name !== "" && !wanted.includes(name)) };
}

/** Waits while a list shows another one of its options than the chosen one; an error if it goes on to. */
async function checkChoice(eid) {
  const choice = lastChoice;
  lastChoice = null;
  const el = choice === null ? null : nodeOf(eid);
  if (el === null || isSecret(el)) return { ok: true };
  const other = await otherShown(choice, () => {
    const now = isLive(el) ? el : nodeOf(eid);
    return now === null ? "" : tracedStates(now).value ?? "";
  });
  return other === null ? { ok: true } : failed("no_effect", `the list shows '${cut(other, 80)}', not '${cut(choice.wanted[0] ?? "", 80)}'; look at it before you choose again`);
}

/** Waits while a list shows another option than the chosen one; returns that option if it goes on to, else null. `read` returns what the list shows. */
async function otherShown(choice, read) {
  let other = null;
  for (const began = performance.now(); performance.now() - began < CHOICE_SHOWN_WITHIN; ) {
    other = otherChoice(plainWords(read()), choice);
    if (other === null) return null;
    await nextFrame();
  }
  return other;
}

/** Returns the option that a value shows instead of the chosen ones; null if it shows these, or none. */
function otherChoice(value, { wanted, others }) {
  const shows = (name) => name !== "" && ` ${value} `.includes(` ${name} `);
  if (value === "" || wanted.some(shows)) return null;
  return others.find(shows) ?? null;
}

/** Returns words in lower case with single spaces and without punctuation at their ends. */
const plainWords = (text) => clean(String(text)).toLowerCase().split(/[\s,;:|×✕]+/).filter(Boolean).join(" ");
