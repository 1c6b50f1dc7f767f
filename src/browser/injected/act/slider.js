// Custom sliders and spin buttons: no value can be set, so keys move them to a number. Rust presses the requested
// keys, then calls again.

/** Arrow keys for down and up; not every page handles both pairs. */
const ARROWS = [["ArrowLeft", "ArrowRight"], ["ArrowDown", "ArrowUp"]];
const MOST_PRESSES = 60;
const FARTHEST = 1000;
const LONGEST_MOVE = 300;

const ariaValue = (el) => (hasAttr(el, "aria-valuenow") ? Number(attr(el, "aria-valuenow")) : NaN);

/** Reports whether an element exposes its value as a number, so that the effect of keys can be measured. */
const canSlide = (el) => /^(?:slider|spinbutton)$/.test(roleOf(el)) && localName(el) !== "input" && Number.isFinite(ariaValue(el)) && attr(el, "aria-readonly") !== "true";

/**
 * Returns the next key presses: {key, times, from, pair, up}; {ok} when the value is reached as closely as the steps
 * allow. `finalError` is the previous reply, whose keys have been pressed.
 */
async function slide(eid, text, last) {
  const el = nodeOf(eid);
  if (el === null) return deadEid(eid);
  const wanted = Number(text.trim().replace(",", "."));
  const [min, max] = ["aria-valuemin", "aria-valuemax"].map((name) => attr(el, name));
  if (text.trim() === "" || !Number.isFinite(wanted) || (min && wanted < Number(min)) || (max && wanted > Number(max))) {
    return failed("bad_value", `the ${roleOf(el)} takes a number ${rangeWords(min, max, null)}; '${cut(clean(text), 60)}' is no such value`);
  }
  if (last === null) el.focus({ preventScroll: true });
  if (!isFocused(el)) return failed("not_editable", whyNotEditable(el));
  const now = await movedFrom(el, last);
  if (now === wanted) return { ok: true };
  if (last === null) return first(el, attr(el, "aria-orientation") === "vertical" || roleOf(el) === "spinbutton" ? 1 : 0, wanted, now, false);
  const step = (now - last.from) / (last.up ? last.times : -last.times);
  if (step === 0 || !Number.isFinite(step)) {
    return last.other || last.times > 1 ? failed("not_editable", `keys do not move it further than ${now}; ${whyNotEditable(el)}`) : first(el, 1 - last.pair, wanted, now, true);
  }
  return onwards(el, last.pair, wanted, now, step);
}

/** Requests one press, to measure the step of a key. */
const first = (el, pair, wanted, now, other) => pressing(pair, wanted > now, 1, now, other);

function pressing(pair, up, times, from, other) {
  return { key: ARROWS[pair][up ? 1 : 0], times, from, pair, up, other };
}

function onwards(el, pair, wanted, now, step) {
  const presses = (wanted - now) / step;
  const times = Math.round(Math.abs(presses) - 1e-6);
  if (times === 0) return { ok: true };
  if (times > FARTHEST) return failed("not_editable", `it is at ${now}, and a key moves it by ${Math.abs(step)}: too many presses; ${whyNotEditable(el)}`);
  return pressing(pair, presses > 0, Math.min(times, MOST_PRESSES), now, true);
}

/** Returns the value once the keys have changed it and it is stable. */
async function movedFrom(el, last) {
  if (last === null) return ariaValue(el);
  const began = performance.now();
  let now = ariaValue(el);
  for (let still = 0; still < 2 && performance.now() - began < LONGEST_MOVE;) {
    await nextFrame();
    const next = ariaValue(el);
    still = next === now && next !== last.from ? still + 1 : 0;
    now = next;
  }
  return now;
}
