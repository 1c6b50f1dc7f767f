// Faults of an agent file in the words of the page. The service names parts of files, in English; the board
// shows cards, inputs and lanes. Other faults are shown as the service words them.

const KIND = '(?:an? )?(\\w+)'; // "a string", "anything"

// Sentences of the service, which a test finds in its source.
const MESSAGES = [
  ['unbound', /^leaves the input "(.*)" of (.+) without a value$/, ['name', 'agent']],
  ['noagent', /^there is no agent "(.*)"$/, ['name']],
  ['nooutput', /^"(.*)" is not among (?:the context here|the outputs of (.+))$/, ['name', 'agent']],
  ['noinput', /^"(.*)" is not an input of (.+)$/, ['name', 'agent']],
  ['types', new RegExp(`^gives ${KIND}, and (.+) takes ${KIND}$`), ['kind', 'name', 'other']],
  ['nogiver', /^"(.*)" is made by no item$/, ['name']],
  ['givertype', new RegExp(`^is ${KIND}, and its items make ${KIND}$`), ['kind', 'other']],
  ['unequal', new RegExp(`^is ${KIND}, and (.+) is ${KIND}, so they are never equal$`), ['kind', 'name', 'other']],
  ['pick', /^"" is made by nothing before this lane/, []],
  ['tooearly', /^"(.*)" is made by nothing before this lane, so it is null here$/, ['name']],
  ['badwhen', /^must be `var` with one of equals, not_equals, in and exists, or `expr` alone$/, []],
  ['twice', /^"(.*)" appears twice$/, ['name']],
  ['badvar', /^"(.*)" must be letters, digits and _, and begin with a letter$/, ['name']],
  ['local', /^"(.*)" is an input already; give the local a name of its own$/, ['name']],
  ['later', /^"(.*)" is in a later lane, (\d+); lanes run from left to right$/, ['name', 'n']],
  ['nosource', /^"(.*)" is neither __CTX__ nor the id of an item$/, ['name']],
  ['itself', /^is the item itself; it cannot wait for its own outputs$/, []],
  ['circle', /^items of one lane wait for each other: /, []],
  ['endless', /^calls the agent itself whatever the variables say, so it ends only at a limit$/, []],
  ['noitems', /^have no items, so nothing is done$/, []],
  ['empty', /^is empty$/, []],
  ['noyaml', /^is not valid YAML: (.*)$/, ['reason']],
  ['seconds', /^must be at least 1 second; leave it out for the default$/, []],
  ['range', /^must be from (\S+) to (\S+)$/, ['from', 'to']],
  ['default', new RegExp(`^must be ${KIND}, as its type says, not ${KIND}$`), ['kind', 'other']],
  ['notjson', /^cannot come of a model's words alone$/, []],
];

const HINTS = [
  ['meant', /^did you mean "(.*)"\?$/, ['name']],
  ['known', /^there are (.+)$/, ['names']],
  ['move', /^move it to lane (\d+) or before$/, ['n']],
  ['apart', /^put one of them into a lane of its own$/, []],
  ['when', /^give the item a `when`$/, []],
  ['quotes', /^write it without quotes$/, []],
  ['parse', /^write parse_json: true in the section llm, or leave the type out$/, []],
  ['drag', /^add to its bindings /, []],
];

/** All sentences by key, for that test. */
export const sentences = { messages: MESSAGES, hints: HINTS };

/** Returns { message, hint } in the language of `t`. */
export function faultWords({ message, hint }, t) {
  return { message: spoken(MESSAGES, message, t, (key, params) => t(`fault.${key}`, params)), hint: spoken(HINTS, hint, t, (key, params) => t(`fault.hint.${key}`, params)) };
}

function spoken(list, sentence, t, say) {
  for (const [key, pattern, names] of sentence ? list : []) {
    const found = pattern.exec(sentence);
    if (found) return say(key, Object.fromEntries(names.map((name, at) => [name, word(name, found[at + 1], t)])));
  }
  return sentence ?? '';
}

function word(name, given, t) {
  if (name === 'agent') return given ? t.agent(given) : '';
  if ((name === 'kind' || name === 'other') && given) return t(t.has(`type.${given}`) ? `type.${given}` : given === 'anything' ? 'type.any' : 'fault.type', { type: given });
  return name === 'n' ? Number(given) : given ?? '';
}

/** Returns the input that a fault of a whole item concerns. */
export const inputOf = (message) => MESSAGES[0][1].exec(message ?? '')?.[1] ?? null;
