// Whether a run waits for a browser: the service says so in a sentence of its own
// (src/conversation/waiting.rs, which a test compares) and goes on with the next fact.

const WAITS = /^(?:Waiting for (?:a free browser:|the browser profile “)|Чекаю на (?:вільний браузер:|профіль браузера «))/;

export function reduceLine(inLine, fact) {
  if (fact.type === 'agent_message') return !fact.final && WAITS.test(fact.text ?? '');
  // What the person says meanwhile does not give it a place.
  return inLine && fact.type === 'event' && fact.event === 'user_message';
}
