// What the person pressed that has not taken hold yet, and whose hands the
// page was in when the line was lost.
//
//   asked    'pause' or 'take_over': both wait until the step under way has ended
//   dropped  the run whose page this window held when the line was lost
//   past     session ids that this window had; what they held is held by nobody

export const noBrakes = Object.freeze({ asked: null, dropped: null, past: Object.freeze([]) });

export function reduceBrakes(brakes, change) {
  switch (change.type) {
    case 'pressed':
      return {
        ...brakes,
        asked: change.command === 'pause' || change.command === 'take_over' ? change.command : brakes.asked,
        dropped: change.command === 'take_over' ? null : brakes.dropped,
      };
    case 'fact':
      return brakes.asked !== null && settles(change.fact, brakes.asked) ? { ...brakes, asked: null } : brakes;
    case 'lost':
      return { ...brakes, asked: null, dropped: change.holding ?? brakes.dropped };
    case 'session':
      return change.was ? { ...brakes, past: [...brakes.past, change.was] } : brakes;
    case 'refused':
    case 'moved':
      return brakes.asked === null ? brakes : { ...brakes, asked: null };
    default:
      return brakes;
  }
}

/** Whether this fact is what the pressed brake waits for. */
const settles = (fact, asked) => fact.type === 'run_ended' || (asked === 'pause' ? fact.type === 'status' : fact.event === 'lease');
