// When the page is drawn. Frames come in bursts: one drawing for all. While a long
// past comes in, a drawing now and then is enough. Hidden pages get no animation
// frames, but their title should still change.

const FAR_BEHIND = 60; // facts

/**
 * Shows the view in each; a fault in one panel must not take the question card down with it.
 * What an element keeps of a task beside the view it drops in `leave()`, which comes before the first view of another one.
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

  /** `behind`: facts of the open run that are still to come. */
  soon(behind) {
    if (this.#due) return;
    this.#due = true;
    const pause = behind > FAR_BEHIND ? 250 : document.hidden ? 50 : 0;
    if (pause) setTimeout(this.#draw, pause);
    else requestAnimationFrame(this.#draw);
  }
}
