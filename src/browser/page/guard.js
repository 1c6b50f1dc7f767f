// Stands in every document from before its first script, in our own world. While input is meant for another
// document, and while a frame of another site is new, trusted input does nothing here and the page does not
// hear of it: so no frame can slip under the pointer or draw the focus to itself.
(() => {
  if (typeof askfirstGuard !== "undefined") return;
  const now = performance.now.bind(performance);
  const stop = Event.prototype.stopImmediatePropagation;
  const prevent = Event.prototype.preventDefault;
  /** A frame that comes while somebody acts is not what they meant, in milliseconds. */
  const NEW_FOR = 500;
  /** These begin something; the others follow them. */
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
    /** For so many milliseconds, unless it is opened before. */
    shut(milliseconds) {
      kept = 0;
      shutUntil = now() + milliseconds;
    },
    /** How often something was kept away since. */
    open() {
      const was = kept;
      kept = 0;
      shutUntil = 0;
      return was;
    },
  };
})();
