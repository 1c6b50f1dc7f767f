// What the person pressed that has not taken hold yet, and who this window was.
//
//   asked    'pause' or 'take_over': both wait until the step under way has ended
//   past     session ids that this window had; what they held is held by nobody

export const noPendingCommand = Object.freeze({ asked: null, past: Object.freeze([]) });

export function reducePendingCommand(pendingCommand, change) {
  switch (change.type) {
    case 'pressed':
      return change.command === 'pause' || change.command === 'take_over' ? { ...pendingCommand, asked: change.command } : pendingCommand;
    case 'fact':
      return pendingCommand.asked !== null && settles(change.fact, pendingCommand.asked) ? { ...pendingCommand, asked: null } : pendingCommand;
    case 'session':
      return change.was ? { ...pendingCommand, past: [...pendingCommand.past, change.was] } : pendingCommand;
    case 'lost':
    case 'refused':
    case 'moved':
      return pendingCommand.asked === null ? pendingCommand : { ...pendingCommand, asked: null };
    default:
      return pendingCommand;
  }
}

/** Whether this fact is what the pending command waits for. */
const settles = (fact, asked) => fact.type === 'run_ended' || (asked === 'pause' ? fact.type === 'status' : fact.event === 'lease');
