// What the service says by itself in passing: that a run waits for a browser, that the browser
// was opened again. It says so in sentences of its own (src/programs/conversation, which a test compares),
// in the language of the run; the page says them in that of its reader.

const SAID = [
  ['line.full', ['places', 'ahead'], /^Waiting for a free browser: all slots \((\d+)\) are in use, ahead in line: (\d+)\.$/, /^Чекаю на вільний браузер: зайнято всі місця \((\d+)\), попереду в черзі: (\d+)\.$/],
  ['line.profile', ['name'], /^Waiting for the browser profile “(.*)”: another task is using it\.$/, /^Чекаю на профіль браузера «(.*)»: його використовує інше завдання\.$/],
  ['line.reopened', [], /^The browser closed unexpectedly\. Opening the page again to see what is on it\.$/, /^Браузер раптово закрився\. Відкриваю сторінку знову і дивлюся, що на ній\.$/],
];

/** -> { key, params }, or null of what an agent says. */
export function saidByService(text) {
  for (const [key, names, ...sentences] of SAID) {
    const found = sentences.map((sentence) => sentence.exec(text ?? '')).find(Boolean);
    if (found) return { key, params: Object.fromEntries(names.map((name, at) => [name, found[at + 1]])) };
  }
  return null;
}

const WAITS = new Set(['line.full', 'line.profile']);

/** Whether a run waits for a browser: it says so, and goes on with the next fact. */
export function reduceLine(inLine, fact) {
  if (fact.type === 'agent_message') return !fact.final && WAITS.has(saidByService(fact.text)?.key);
  // What the person says meanwhile does not give it a place.
  return inLine && fact.type === 'event' && fact.event === 'user_message';
}
