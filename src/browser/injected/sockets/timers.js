// Timers of the page, and what else it has put off: intervals, tasks, idle time. After an action the page script asks, by
// an event that no page knows, whether something that the action has put off is still to come, such as the delay before
// suggestions are fetched.

/** Longest delay in milliseconds of a timer that is noted. */
const LONGEST_DELAY = 1000;
/** Callbacks that are put off, by their ids (negative for idle time, an object for tasks): {began, due, lapses}. */
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
  /** Describes what is due after a delay. What lapses is forgotten once it is overdue: nobody says that it was called off. */
  const dueAfter = (delay, lapses = false) => {
    const set = now();
    return { __proto__: null, began: chainBegan ?? set, due: set + delay, lapses };
  };
  noteTimeouts(dueAfter);
  noteIntervals(dueAfter, now);
  noteIdleTime(dueAfter);
  noteTasks(dueAfter);
  answerAboutTimers(now);
}

function noteTimeouts(dueAfter) {
  replaceMethod(globalThis, "setTimeout", (self, args, native) => {
    const callback = args[0];
    const delay = shortDelay(args[1]);
    if (typeof callback !== "function" || delay === null) return apply(native, self, args);
    const timer = dueAfter(delay);
    args[0] = function () {
      remove(timers, id);
      return callInChain(timer, callback, this, arguments);
    };
    const id = apply(native, self, args);
    put(timers, id, timer);
    return id;
  });
  forgetBy("clearTimeout", 1);
}

function noteIntervals(dueAfter, now) {
  replaceMethod(globalThis, "setInterval", (self, args, native) => {
    const callback = args[0];
    const delay = shortDelay(args[1]);
    if (typeof callback !== "function" || delay === null) return apply(native, self, args);
    const timer = dueAfter(delay);
    args[0] = function () {
      timer.due = now() + delay;
      return callInChain(timer, callback, this, arguments);
    };
    const id = apply(native, self, args);
    put(timers, id, timer);
    return id;
  });
  forgetBy("clearInterval", 1);
}

function noteIdleTime(dueAfter) {
  replaceMethod(globalThis, "requestIdleCallback", (self, args, native) => {
    const callback = args[0];
    if (typeof callback !== "function") return apply(native, self, args);
    const timer = dueAfter(0);
    args[0] = function () {
      remove(timers, -id);
      return callInChain(timer, callback, this, arguments);
    };
    const id = apply(native, self, args);
    put(timers, -id, timer);
    return id;
  });
  forgetBy("cancelIdleCallback", -1);
}

function noteTasks(dueAfter) {
  const scheduler = globalThis.Scheduler?.prototype;
  if (scheduler === undefined) return;
  replaceMethod(scheduler, "postTask", (self, args, native) => {
    const callback = args[0];
    // A getter of the page's is not called a second time.
    const delay = shortDelay(attempt(() => getOwnPropertyDescriptor(args[1], "delay")?.value, undefined));
    if (typeof callback !== "function" || delay === null) return apply(native, self, args);
    const timer = dueAfter(delay, true);
    args[0] = function () {
      remove(timers, timer);
      return callInChain(timer, callback, this, arguments);
    };
    put(timers, timer, timer);
    return apply(native, self, args);
  });
}

/** Returns a delay as a number of milliseconds, or null if it is long or its conversion might be seen by the page. */
function shortDelay(given = 0) {
  const delay = typeof given === "string" ? +given : given;
  return typeof delay === "number" && delay <= LONGEST_DELAY ? delay : null;
}

/** Calls a callback of a timer, so that what it puts off belongs to the same chain. */
function callInChain(timer, callback, self, args) {
  const outer = chainBegan;
  chainBegan = timer.began;
  try {
    return apply(callback, self, args);
  } finally {
    chainBegan = outer;
  }
}

/** Forgets what a method calls off by its id. */
function forgetBy(name, sign) {
  replaceMethod(globalThis, name, (self, args, native) => {
    if (typeof args[0] === "number") remove(timers, sign * args[0]);
    return apply(native, self, args);
  });
}

/** Prevents the event if something of a chain that began at `deltaX` or later is due by `deltaY`. */
function answerAboutTimers(now) {
  const beganAt = getter(WheelEvent.prototype, "deltaX");
  const dueBy = getter(WheelEvent.prototype, "deltaY");
  const prevent = unbound(Event.prototype.preventDefault);
  globalThis.document.addEventListener(TIMERS, (event) => {
    const began = beganAt(event);
    const due = dueBy(event);
    eachOf(timers, (timer, id) => {
      if (timer.lapses && timer.due < now()) remove(timers, id);
      else if (timer.began >= began && timer.due <= due) prevent(event);
    });
  });
}
