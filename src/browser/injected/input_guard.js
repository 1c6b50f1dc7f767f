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

  const isForeign = () => {
    if (window === window.top) return false;
    try {
      return window.frameElement === null;
    } catch {
      return true;
    }
  };

  let shutUntil = isForeign() ? now() + NEW_FOR : 0;
  let kept = 0;
  const keep = (first) => (event) => {
    if (!event.isTrusted || now() >= shutUntil) return;
    if (first) kept++;
    prevent.call(event);
    stop.call(event);
  };
  for (const kind of FIRST) addEventListener(kind, keep(true), { capture: true, passive: false });
  for (const kind of LATER) addEventListener(kind, keep(false), { capture: true, passive: false });

  globalThis.askfirstGuard = {
    /** Suppresses input for so many milliseconds, unless `open` is called earlier. */
    shut(milliseconds) {
      kept = 0;
      shutUntil = now() + milliseconds;
    },
    /** Stops suppressing and returns the number of interactions suppressed since `shut`. */
    open() {
      const was = kept;
      kept = 0;
      shutUntil = 0;
      return was;
    },
  };
})();
