// Schedule of drawing. A burst of frames is drawn once, a long backlog at intervals. Hidden pages get no
// animation frames, but their title must change too.

const FAR_BEHIND = 60; // facts

/**
 * Shows the view in each element. An exception in one must not keep the question card from being drawn.
 * `leave()` of an element, called before the first view of another task, drops what it keeps of the last one.
 */
export function showIn(elements, view, left = false) {
  for (const element of elements) {
    try {
      if (left) element.leave?.();
      element.update(view);
    } catch (error) {
      console.error(error);
    }
  }
}

export class DrawSchedule {
  #due = false;
  #draw;

  constructor(draw) {
    this.#draw = () => { this.#due = false; draw(); };
  }

  /** `behind`: number of facts of the open run still to come. */
  soon(behind) {
    if (this.#due) return;
    this.#due = true;
    const pause = behind > FAR_BEHIND ? 250 : document.hidden ? 50 : 0;
    if (pause) setTimeout(this.#draw, pause);
    else requestAnimationFrame(this.#draw);
  }
}
