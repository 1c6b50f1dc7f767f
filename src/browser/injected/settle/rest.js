// Rest of a page: decides, frame by frame, when a page has come to rest and why the wait for it ends. Pure: it reads
// neither the page nor a clock, so that every course of events can be played to it (`tests/ui/rest.test.mjs`).
//
// A page without a change is still after two animation frames. A page that changed is quiet after `quietMs` without a
// change. Work that an action has evidently started (a timer, a sign of loading) is awaited first; after it arrives, two
// unchanged frames mean it is complete: a timer may draw with the next frame only. `maxMs` ends every wait.

/**
 * Number of animation frames without a change that must have been drawn: a machine too busy to draw shows no change
 * either.
 */
const CALM_FRAMES = 3;
/** Milliseconds that two animation frames stand for at least; they can follow each other at once. */
const TWO_FRAMES = 16;
/** Milliseconds for which a page is watched that is known never to rest. */
const RESTLESS_WAIT = 300;

/**
 * State of a wait; `why` is null until it ends, and then the reason:
 *
 * - "still": nothing changed; "quiet": something did, and the page rests again.
 * - "loading": signs of loading stay; "animating": something still moves; "busy": it changes without end.
 */
class Rest {
  constructor(limits, state = {}) {
    this.limits = limits;
    /** Animation frames that count, and those of them at the end without a change. */
    this.frames = 0;
    this.calmFrames = 0;
    /** Changes seen so far, and changes seen before the awaited work arrived. */
    this.changes = 0;
    this.changesBefore = 0;
    /** True while work is awaited; `arrived`: true once it has arrived, if the page changed meanwhile. */
    this.awaits = false;
    this.arrived = false;
    this.why = null;
    Object.assign(this, state);
  }

  /**
   * Returns the state after a frame: {spent, sinceChange, changes, noise, moves, pending}. `spent` and `sinceChange` are
   * milliseconds; `noise` counts changes of elements that change without end; `pending` returns what is still to come of the action:
   * "timer", "loading", "stuck" (loads for too long) or null. It searches the page, so it is called only if it decides.
   */
  after(frame) {
    return this.counting(frame).noticingArrival(frame).decided(frame);
  }

  counting({ changes }) {
    return this.with({ frames: this.frames + 1, calmFrames: changes === this.changes ? this.calmFrames + 1 : 0, changes });
  }

  noticingArrival({ pending }) {
    const mayHaveCome = this.awaits && (this.hasChanged() || this.frames >= 2);
    if (!mayHaveCome || pending() !== null) return this;
    const justChanged = this.calmFrames === 0;
    return this.with({ awaits: false, arrived: this.arrived || this.hasChanged(), changesBefore: this.changes, frames: justChanged ? 1 : 0 });
  }

  decided(frame) {
    if (frame.spent >= this.limits.maxMs) return this.ended(reasonAtTheEnd(frame));
    if (frame.moves || !this.hasRested(frame)) return this;
    switch (frame.pending()) {
      case null: return this.ended(frame.noise > 0 ? "busy" : this.hasChanged() || this.arrived ? "quiet" : "still");
      case "stuck": return this.ended("loading");
      default: return this.with({ awaits: true, frames: 0 });
    }
  }

  hasChanged() {
    return this.changes > this.changesBefore;
  }

  hasRested({ spent, sinceChange, noise }) {
    const { quietMs, maxMs } = this.limits;
    if (noise > 0 && spent < Math.min(RESTLESS_WAIT, maxMs)) return false;
    if (!this.hasChanged()) return this.frames >= 2 && spent >= Math.min(TWO_FRAMES, maxMs);
    return this.calmFrames >= CALM_FRAMES && sinceChange >= quietMs;
  }

  ended(why) {
    return this.with({ why });
  }

  with(changed) {
    return new Rest(this.limits, { ...this, ...changed });
  }
}

function reasonAtTheEnd({ moves, pending }) {
  if (moves) return "animating";
  const coming = pending();
  return coming === "loading" || coming === "stuck" ? "loading" : "busy";
}
