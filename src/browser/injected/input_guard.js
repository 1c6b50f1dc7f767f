// Guard: runs in an isolated world of every document, before the first script of the page. While input is meant for
// another document, and while a frame of another site is new, trusted input is suppressed here before the page
// receives it, so that no frame can move under the pointer or take the focus.
(() => {
  if (typeof askfirstGuard !== "undefined") return;
  const now = performance.now.bind(performance);
  const stop = Event.prototype.stopImmediatePropagation;
  const prevent = Event.prototype.preventDefault;
  /** Milliseconds for which a new frame is shut: one that appears during an action is not its target. */
  const NEW_FOR = 500;
  /** Events that begin an interaction; those of LATER follow them. */
  const FIRST = ["pointerdown", "mousedown", "keydown", "beforeinput", "paste", "drop"];
  const LATER = ["pointerup", "mouseup", "click", "auxclick", "dblclick", "contextmenu", "keypress", "keyup", "dragover", "touchstart", "touchend"];

  /** Returns the milliseconds for which this document starts shut. One with the origin of its parent starts as the parent is. */
  const timeShutAtFirst = () => {
    if (window === window.top) return 0;
    try {
      return window.frameElement === null ? NEW_FOR : Math.min(NEW_FOR, window.parent.askfirstGuard?.timeLeft() ?? 0);
    } catch {
      return NEW_FOR;
    }
  };

  let shutUntil = now() + timeShutAtFirst();
  let isShut = shutUntil > now();
  let suppressed = 0;
  const suppress = (first) => (event) => {
    if (!event.isTrusted) return;
    if (now() >= shutUntil) return checkPressAbove(event);
    if (first) suppressed++;
    prevent.call(event);
    stop.call(event);
  };

  /** Events of a press, in the order in which they come. */
  const PRESS = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "dblclick", "contextmenu"];

  /**
   * Passes a press in a frame on to the page script of the nearest document of this origin around it, which may expect it
   * elsewhere (`act/press_guard.js`).
   */
  const checkPressAbove = (event) => {
    if (window === window.top || !PRESS.includes(event.type)) return;
    try {
      for (let view = window; view !== view.top; ) {
        view = view.parent;
        if (view.askfirst !== undefined) return void view.askfirst.checkPress(event);
      }
    } catch {
      // The document around is of another origin.
    }
  };
  for (const kind of FIRST) addEventListener(kind, suppress(true), { capture: true, passive: false });
  for (const kind of LATER) addEventListener(kind, suppress(false), { capture: true, passive: false });

  globalThis.askfirstGuard = {
    /** Suppresses input for so many milliseconds from now, unless `open` is called earlier. */
    shut(milliseconds) {
      suppressed = 0;
      this.extend(milliseconds);
    },
    /** Does the same, and goes on counting. */
    extend(milliseconds) {
      shutUntil = now() + milliseconds;
      isShut = true;
    },
    /** Does the same if the document was shut and has not been opened since. */
    extendIfShut(milliseconds) {
      if (isShut) this.extend(milliseconds);
    },
    /** Returns the milliseconds for which input is still suppressed. */
    timeLeft: () => Math.max(0, shutUntil - now()),
    /** Stops suppressing and returns the number of interactions suppressed since `shut`. */
    open() {
      const was = suppressed;
      suppressed = 0;
      shutUntil = 0;
      isShut = false;
      return was;
    },
  };
})();
