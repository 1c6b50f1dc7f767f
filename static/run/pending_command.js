// Command that the person pressed and that has not taken effect, and session ids of this window.
//
//   asked    'pause' or 'take_over': both wait for the end of the running step
//   past     earlier session ids of this window, which hold no page any more

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

/** Reports whether the pending command waits for this fact. */
const settles = (fact, asked) => fact.type === 'run_ended' || (asked === 'pause' ? fact.type === 'status' : fact.event === 'lease');
