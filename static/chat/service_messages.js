// Recognizes messages of the service itself, such as waiting for a browser or a reopened browser. They arrive
// in the run's language (src/texts/page.rs; a test compares the sentences) and are shown in the
// reader's.

const SENTENCES = [
  ['line.full', ['slots', 'ahead'], /^Waiting for a free browser: all slots \((\d+)\) are in use, ahead in line: (\d+)\.$/, /^Чекаю на вільний браузер: зайнято всі місця \((\d+)\), попереду в черзі: (\d+)\.$/],
  ['line.profile', ['name'], /^Waiting for the browser profile “(.*)”: another task is using it\.$/, /^Чекаю на профіль браузера «(.*)»: його використовує інше завдання\.$/],
  ['line.reopened', [], /^The browser closed unexpectedly\. Opening the page again to see what is on it\.$/, /^Браузер раптово закрився\. Відкриваю сторінку знову і дивлюся, що на ній\.$/],
];

/** Returns { key, params }, or null for a message of an agent. */
export function serviceMessage(text) {
  for (const [key, names, ...sentences] of SENTENCES) {
    const found = sentences.map((sentence) => sentence.exec(text ?? '')).find(Boolean);
    if (found) return { key, params: Object.fromEntries(names.map((name, at) => [name, found[at + 1]])) };
  }
  return null;
}

const WAITS = new Set(['line.full', 'line.profile']);

/** Tracks whether a run waits for a browser: a message begins the wait, the next fact ends it. */
export function reduceLine(inLine, fact) {
  if (fact.type === 'agent_message') return !fact.final && WAITS.has(serviceMessage(fact.text)?.key);
  // A message of the person does not end the wait.
  return inLine && fact.type === 'event' && fact.event === 'user_message';
}
