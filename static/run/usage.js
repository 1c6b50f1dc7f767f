// The counters of a run: steps, model calls, tokens, money.

export const emptyUsage = Object.freeze({
  steps: 0,
  maxSteps: null,
  invalidActions: 0,
  calls: 0,
  unpriced: 0, // calls of which nobody knows what they cost
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  cost: 0, // of the others
  estimated: false, // not all tokens were told
});

const count = (value) => (Number.isFinite(value) ? value : 0);

export function reduceUsage(usage, fact) {
  if (fact.type !== 'event') return usage;
  const data = fact.data ?? {};
  if (fact.event === 'usage') {
    return {
      ...usage,
      calls: usage.calls + 1,
      unpriced: usage.unpriced + (Number.isFinite(data.cost) ? 0 : 1),
      inputTokens: usage.inputTokens + count(data.input_tokens),
      cachedTokens: usage.cachedTokens + count(data.cached_tokens),
      outputTokens: usage.outputTokens + count(data.output_tokens),
      cost: usage.cost + count(data.cost),
      estimated: usage.estimated || data.estimated === true,
    };
  }
  if (fact.event === 'state_updated') {
    return {
      ...usage,
      steps: data.steps ?? usage.steps,
      maxSteps: data.max_steps ?? usage.maxSteps,
      invalidActions: data.invalid_actions ?? usage.invalidActions,
    };
  }
  return usage;
}

/** Whether it is known of any call what it cost. */
export const isPriced = (usage) => usage.unpriced < usage.calls;

export const totalTokens = (usage) => usage.inputTokens + usage.outputTokens;
