// Timers of the page. After an action the page script asks, by an event that no page knows, whether a timer that the
// action set is still to come, such as the delay before suggestions are fetched.

/** Longest delay in milliseconds of a timer that is noted. */
const LONGEST_DELAY = 1000;
const timers = new Map();
const eachOf = unbound(Map.prototype.forEach);
/** Time at which the first of the timers was set that led to the running one; null outside of timers. */
let chainBegan = null;

if (place !== null) noteTimers();

function noteTimers() {
  const clock = globalThis.performance;
  const readClock = unbound(Performance.prototype.now);
  const origin = getter(Performance.prototype, "timeOrigin")(clock);
  const now = () => origin + readClock(clock);
  replaceMethod(globalThis, "setTimeout", (self, args, native) => {
    const callback = args[0];
    const delay = args[1] ?? 0;
    if (typeof callback !== "function" || typeof delay !== "number" || !(delay <= LONGEST_DELAY)) return apply(native, self, args);
    const began = now();
    const timer = { __proto__: null, began: chainBegan ?? began, due: began + delay };
    args[0] = function () {
      remove(timers, id);
      const outer = chainBegan;
      chainBegan = timer.began;
      try {
        return apply(callback, this, arguments);
      } finally {
        chainBegan = outer;
      }
    };
    const id = apply(native, self, args);
    put(timers, id, timer);
    return id;
  });
  replaceMethod(globalThis, "setInterval", (self, args, native) => {
    const id = apply(native, self, args);
    const delay = args[1] ?? 0;
    const began = now();
    // Only the first time counts, until it is due.
    if (typeof delay === "number" && delay <= LONGEST_DELAY) put(timers, id, { __proto__: null, began: chainBegan ?? began, due: began + delay, repeats: true });
    return id;
  });
  for (let i = 0; i < 2; i++) {
    replaceMethod(globalThis, i === 0 ? "clearTimeout" : "clearInterval", (self, args, native) => {
      if (typeof args[0] === "number") remove(timers, args[0]);
      return apply(native, self, args);
    });
  }
  answerAboutTimers(now);
}

/** Prevents the event if a timer of a chain that began at `deltaX` or later is due by `deltaY`. */
function answerAboutTimers(now) {
  const beganAt = getter(WheelEvent.prototype, "deltaX");
  const dueBy = getter(WheelEvent.prototype, "deltaY");
  const prevent = unbound(Event.prototype.preventDefault);
  globalThis.document.addEventListener(TIMERS, (event) => {
    const began = beganAt(event);
    const due = dueBy(event);
    eachOf(timers, (timer, id) => {
      if (timer.repeats && timer.due < now()) remove(timers, id);
      else if (timer.began >= began && timer.due <= due) prevent(event);
    });
  });
}
