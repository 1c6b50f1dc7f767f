// What the person pressed that has not taken hold yet, and who this window was.
//
//   asked    'pause' or 'take_over': both wait until the step under way has ended
//   past     session ids that this window had; what they held is held by nobody

export const noBrakes = Object.freeze({ asked: null, past: Object.freeze([]) });

export function reduceBrakes(brakes, change) {
  switch (change.type) {
    case 'pressed':
      return change.command === 'pause' || change.command === 'take_over' ? { ...brakes, asked: change.command } : brakes;
    case 'fact':
      return brakes.asked !== null && settles(change.fact, brakes.asked) ? { ...brakes, asked: null } : brakes;
    case 'session':
      return change.was ? { ...brakes, past: [...brakes.past, change.was] } : brakes;
    case 'lost':
    case 'refused':
    case 'moved':
      return brakes.asked === null ? brakes : { ...brakes, asked: null };
    default:
      return brakes;
  }
}

/** Whether this fact is what the pressed brake waits for. */
const settles = (fact, asked) => fact.type === 'run_ended' || (asked === 'pause' ? fact.type === 'status' : fact.event === 'lease');
