// Counters of a run: steps, model calls, tokens, cost.

export const emptyUsage = Object.freeze({
  steps: 0,
  maxSteps: null,
  invalidActions: 0,
  calls: 0,
  unpriced: 0, // calls of unknown cost
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  cost: 0, // cost of the priced calls
  estimated: false, // true if some token counts are estimates
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

/** Reports whether the cost of any call is known. */
export const isPriced = (usage) => usage.unpriced < usage.calls;

export const totalTokens = (usage) => usage.inputTokens + usage.outputTokens;
