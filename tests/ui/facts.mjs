// Facts for the tests, as they come over the wire (docs/protocol.md).

export const ROOT = 'r1';

/** Numbers facts 1, 2, 3 … and adds run and time. */
export function story(...facts) {
  return facts.map((fact, i) => ({
    run_id: ROOT, root_run_id: ROOT, seq: i + 1, at: new Date(Date.UTC(2025, 0, 1, 12, 0, i)).toISOString(), ...fact,
  }));
}

export const event = (name, data) => ({ type: 'event', event: name, data });

export const confirm = {
  type: 'agent_question', reference: 'q1', kind: 'confirm', reason: 'Purchases are always asked.', text: 'Place the order?',
  payload: { effect: 'Place the order for $24', risk: 'high', rule: 'purchase', page: { url: 'http://shop.test/cart', title: 'Cart', origin: 'http://shop.test' }, target: { eid: 12, role: 'button', name: 'Place order' }, values: { card: '••••' } },
  remember: ['once'], on_expire: 'cancelled',
};

const target = { eid: 12, role: 'button', name: 'Place order', frame: null, box: [0.5, 0.5, 0.2, 0.1] };

export const purchase = story(
  { type: 'run_started', agent: 'browser', input: { text: 'open shop.test\nclick Place order' } },
  { type: 'status', status: 'running', node: 'maybe_observe' },
  event('observation', { look: 1, url: 'about:blank', title: '', tab: [1, 1], chars: 10 }),
  event('thought', { type: 'PLAN', content: 'Open the shop first.' }),
  event('thought', { type: 'DECISION', content: 'Navigate.' }),
  event('usage', { role: 'planner', model: 'm', input_tokens: 900, cached_tokens: 100, output_tokens: 40, cost: 0.01 }),
  event('action_started', { action_id: 'a1', action: 'navigate', params: { url: 'http://shop.test/cart' } }),
  event('action_finished', { action_id: 'a1', action: 'navigate', ok: true, took_ms: 120, dropped: [] }),
  event('state_updated', { steps: 1, max_steps: 30, invalid_actions: 0, visits: 8 }),
  event('observation', { look: 2, url: 'http://shop.test/cart', title: 'Cart', tab: [1, 1], chars: 800, picture: '/api/runs/r1/pictures/1' }),
  event('policy', { decision: 'requires_confirmation', rule: 'purchase', risk: 'high', effect: 'purchase', action_id: 'a1' }),
  { type: 'status', status: 'waiting', node: 'confirm' },
  confirm,
  { type: 'question_resolved', reference: 'q1', by: 'user', client: { id: 'w1', kind: 'page', name: null, you: true }, answer: { confirmed: true, remember: 'once' } },
  { type: 'status', status: 'running', node: 'execute_action' },
  event('action_started', { action_id: 'a1', action: 'click', params: { eid: 12 }, target }),
  event('action_finished', { action_id: 'a1', action: 'click', ok: true, took_ms: 300, dropped: ['a2'] }),
  event('state_updated', { steps: 2, max_steps: 30, invalid_actions: 0, visits: 15 }),
  { type: 'agent_message', text: 'Ordered.', html: '<p>Ordered.</p>', final: true },
  { type: 'run_ended', outcome: 'succeeded', final_response: 'Ordered.', vars: {} },
);
