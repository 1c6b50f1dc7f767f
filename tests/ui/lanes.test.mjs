// Edits of the lanes of an agent, as pure changes of its spec.  // S0.9 to S0.14, S0.24
import test from 'node:test';
import assert from 'node:assert/strict';
import * as lanes from '../../static/agents/spec/lanes.js';
import * as variables from '../../static/agents/spec/variables.js';
import { begin, commit, redo, undo } from '../../static/agents/editor/history.js';
import { contextOf, outputSources, inputsOf, suggestedInput, sourcesFor, variablesAt } from '../../static/agents/spec/ports.js';

const { CONTEXT } = lanes;

const agents = [
  { name: 'classify', inputs: [{ name: 'task', type: 'string' }], outputs: [{ name: 'is_complex', type: 'boolean' }] },
  { name: 'echo', inputs: [{ name: 'task' }, { name: 'tone', default: 'polite' }], outputs: [{ name: 'text' }] },
];

const take = (from, name, to, as = name) => ({ from_agent_item_id: from, from_var: name, to_agent_item_id: to, to_var: as });

/** Two lanes: classify (a); then echo (b) and echo (c), which is bound to the output of b. */
const flow = lanes.withPositions({
  name: 'flow', kind: 'composite',
  inputs: [{ name: 'task', type: 'string' }], locals: [{ name: 'tone', value: 'dry' }], outputs: [{ name: 'text' }],
  graph: { max_parallel: 2, lanes: [
    { items: [{ id: 'a', agent: 'classify', bindings: [take(CONTEXT, 'task', 'a')] }] },
    { items: [
      { id: 'b', agent: 'echo', when: { var: 'is_complex', equals: false }, bindings: [take(CONTEXT, 'task', 'b'), take(CONTEXT, 'tone', 'b')] },
      { id: 'c', agent: 'echo', bindings: [take('b', 'text', 'c', 'task')] },
    ] },
  ] },
});

const ids = (spec) => lanes.lanesOf(spec).map((lane) => lane.items.map(({ id }) => id).join(''));
const positions = (spec) => lanes.itemsOf(spec).map(({ item }) => [item.id, item.ui.lane_index, item.ui.order]);
const frozen = JSON.stringify(flow);

test('a card moves within its lane, to another one, and to one that is made for it', () => {
  assert.deepEqual(ids(lanes.moveItem(flow, 'c', 1, 0)), ['a', 'cb']);
  assert.deepEqual(ids(lanes.moveItem(flow, 'b', 0)), ['ab', 'c']);
  assert.deepEqual(ids(lanes.moveItem(flow, 'b', 0, 0)), ['ba', 'c']);
  assert.deepEqual(ids(lanes.moveItem(flow, 'a', 2)), ['', 'bc', 'a']);
  assert.equal(lanes.moveItem(flow, 'b', 1, 0), flow); // same position: nothing to undo
  assert.equal(lanes.moveItem(flow, 'nobody', 0), flow);
  assert.equal(JSON.stringify(flow), frozen);
});

test('every change writes where the editor shows each item', () => {
  const moved = lanes.moveItem(flow, 'c', 0, 0);
  assert.deepEqual(positions(moved), [['c', 0, 0], ['a', 0, 1], ['b', 1, 0]]);
  const positioned = lanes.withPositions(lanes.setItem(flow, 'a', { ui: { lane_index: 7, order: 7, x: 3.5 } }));
  assert.deepEqual(lanes.find(positioned, 'a').item.ui, { lane_index: 0, order: 0, x: 3.5 });
  assert.equal(lanes.find(lanes.addLane(flow), 'b').item, lanes.find(flow, 'b').item); // unchanged items stay the same object
});

test('a call of an agent is added where it was dropped', () => {
  const added = lanes.addItem(flow, { id: 'd', agent: 'echo' }, 0, 0);
  assert.deepEqual(ids(added), ['da', 'bc']);
  assert.deepEqual(lanes.find(added, 'd').item, { id: 'd', agent: 'echo', ui: { lane_index: 0, order: 0 } });
  assert.deepEqual(ids(lanes.addItem(flow, { id: 'd', agent: 'flow' }, 2)), ['a', 'bc', 'd']);
});

test('what is removed takes with it what was bound to it', () => {
  const gone = lanes.removeItem(flow, 'b');
  assert.deepEqual(ids(gone), ['a', 'c']);
  assert.deepEqual(lanes.find(gone, 'c').item.bindings, []);
  const lane = lanes.removeLane(lanes.bind(flow, { item: 'a', name: 'is_complex' }, { item: 'c', name: 'tone' }), 0);
  assert.deepEqual(ids(lane), ['bc']);
  assert.deepEqual(lanes.bindingsOf(lane).map(({ from }) => from.item), [CONTEXT, CONTEXT, 'b']);
  assert.equal(lane.graph.max_parallel, 2);
});

test('lanes change their order', () => {
  assert.deepEqual(ids(lanes.moveLane(flow, 1, 0)), ['bc', 'a']);
  assert.equal(lanes.moveLane(flow, 0, -1), flow);
  assert.deepEqual(ids(lanes.moveLane(lanes.addLane(flow), 0, 9)), ['bc', '', 'a']);
});

test('an input is bound once: a second binding takes the place of the first', () => {
  const bound = lanes.bind(flow, { item: CONTEXT, name: 'tone' }, { item: 'b', name: 'task' });
  assert.deepEqual(lanes.find(bound, 'b').item.bindings, [take(CONTEXT, 'tone', 'b', 'task'), take(CONTEXT, 'tone', 'b')]);
  const free = lanes.unbind(lanes.unbind(bound, { item: 'b', name: 'task' }), { item: 'b', name: 'tone' });
  assert.equal('bindings' in lanes.find(free, 'b').item, false);
  assert.equal(lanes.unbind(free, { item: 'b', name: 'task' }), free);
});

test('a field of an item is set, and taken away', () => {
  const set = lanes.setItem(flow, 'b', { on_error: 'continue', timeout_s: 5, when: undefined });
  const { item } = lanes.find(set, 'b');
  assert.deepEqual([item.on_error, item.timeout_s, 'when' in item], ['continue', 5, false]);
});

test('what may be bound: the context, earlier lanes, and whoever of the same lane does not wait for it', () => {
  assert.equal(lanes.mayTake(flow, CONTEXT, 'a'), true);
  assert.equal(lanes.mayTake(flow, 'a', 'c'), true);
  assert.equal(lanes.mayTake(flow, 'b', 'c'), true);
  assert.equal(lanes.mayTake(flow, 'c', 'b'), false); // c waits for b: a circle
  assert.equal(lanes.mayTake(flow, 'b', 'a'), false); // a later lane
  assert.equal(lanes.mayTake(flow, 'b', 'b'), false);
  const three = lanes.bind(lanes.addItem(flow, { id: 'd', agent: 'echo' }, 1), { item: 'c', name: 'text' }, { item: 'd', name: 'task' });
  assert.equal(lanes.mayTake(three, 'd', 'b'), false); // d waits for c, which waits for b
});

test('the drop-down of an input offers what may be bound, and no more', () => {
  const offered = (id) => sourcesFor(flow, agents, id).map(({ item, names }) => [item, ...names]);
  assert.deepEqual(offered('a'), [[CONTEXT, 'task', 'tone']]);
  assert.deepEqual(offered('b'), [[CONTEXT, 'task', 'tone'], ['a', 'is_complex']]);
  assert.deepEqual(offered('c'), [[CONTEXT, 'task', 'tone'], ['a', 'is_complex'], ['b', 'text']]);
});

test('inputs of a card are those of its agent, and what is bound to none of them', () => {
  const item = { id: 'x', agent: 'echo', bindings: [take(CONTEXT, 'task', 'x'), take(CONTEXT, 'tone', 'x', 'colour')] };
  assert.deepEqual(inputsOf(flow, agents, item).map(({ name, isKnown, from }) => [name, isKnown, from?.name ?? null]), [['task', true, 'task'], ['tone', true, null], ['colour', false, 'tone']]);
  assert.deepEqual(inputsOf(flow, agents, { id: 'y', agent: 'flow' }).map(({ name }) => name), ['task']); // recursive call
  assert.deepEqual(inputsOf(flow, null, { id: 'z', agent: 'nobody' }), []);
});

test('dropped on the card itself, a variable goes to the input of its name, or to the only free one', () => {
  const open = lanes.addItem(flow, { id: 'd', agent: 'echo' }, 1);
  assert.equal(suggestedInput(open, agents, 'd', 'tone'), 'tone');
  assert.equal(suggestedInput(open, agents, 'd', 'is_complex'), null); // two free inputs
  assert.equal(suggestedInput(flow, agents, 'c', 'is_complex'), 'tone'); // a single free input
});

test('a condition asks about what is there when its lane begins', () => {
  assert.deepEqual(variablesAt(flow, agents, 0).map(({ name }) => name), ['task', 'tone']);
  assert.deepEqual(variablesAt(flow, agents, 1), [{ name: 'task', type: 'string' }, { name: 'tone', type: null }, { name: 'is_complex', type: 'boolean' }]);
  assert.deepEqual(outputSources(flow, agents, 'text'), ['b', 'c']);
});

test('a variable that is renamed is renamed wherever it is used', () => {
  const spec = variables.setVariable(flow, 'inputs', 0, { name: 'order' });
  assert.deepEqual(lanes.bindingsOf(spec).map(({ from }) => from.name), ['order', 'order', 'tone', 'text']);
  const asked = variables.setVariable(lanes.setItem(flow, 'b', { when: { var: 'tone', equals: 'dry' } }), 'locals', 0, { name: 'manner' });
  assert.equal(lanes.find(asked, 'b').item.when.var, 'manner');
  // With another variable of the same name the target is ambiguous.
  const twice = { ...flow, locals: [{ name: 'task', value: '' }] };
  assert.deepEqual(lanes.bindingsOf(variables.setVariable(twice, 'inputs', 0, { name: 'order' })).map(({ from }) => from.name), ['task', 'task', 'tone', 'text']);
});

test('an agent that calls itself follows the names of its own inputs and outputs', () => {
  const own = lanes.bind(lanes.addItem(flow, { id: 'd', agent: 'flow' }, 2), { item: CONTEXT, name: 'tone' }, { item: 'd', name: 'task' });
  const loop = lanes.bind(lanes.addItem(own, { id: 'e', agent: 'echo' }, 3), { item: 'd', name: 'text' }, { item: 'e', name: 'task' });
  const renamed = variables.setVariable(variables.setVariable(loop, 'inputs', 0, { name: 'order' }), 'outputs', 0, { name: 'answer' });
  assert.equal(lanes.find(renamed, 'd').item.bindings[0].to_var, 'order');
  assert.equal(lanes.find(renamed, 'e').item.bindings[0].from_var, 'answer');
  assert.equal(lanes.find(renamed, 'c').item.bindings[0].from_var, 'text'); // output of another agent
});

test('variables are added under free names, and removed with what took from them', () => {
  const more = variables.addVariable(variables.addVariable(flow, 'inputs'), 'inputs');
  assert.deepEqual(contextOf(more).map(({ name }) => name), ['task', 'input', 'input_2', 'tone']);
  const less = variables.removeVariable(flow, 'locals', 0);
  assert.deepEqual(lanes.find(less, 'b').item.bindings, [take(CONTEXT, 'task', 'b')]);
  assert.deepEqual(variables.removeVariable({ name: 'x', kind: 'atomic', inputs: [{ name: 'a' }] }, 'inputs', 0).inputs, []);
});

test('a local is edited as text and stays what it was where it can', () => {  // S0.8
  assert.deepEqual(['true', '7', ''].map((text) => variables.localValue(text, 'text')), ['true', '7', '']);
  assert.deepEqual([variables.localValue('8', 7), variables.localValue('8 kg', 7), variables.localText([1, 'a'])], [8, '8 kg', '[1,"a"]']);
});

test('every step can be taken back and done again; typing is one step', () => {
  let history = begin('a');
  history = commit(history, 'b', 'title', 100);
  history = commit(history, 'bc', 'title', 200);
  history = commit(history, 'bcd', 'title', 5000); // a pause: another step
  history = commit(history, 'bcd', 'title', 5001);
  assert.deepEqual([undo(history).present, undo(undo(history)).present, undo(undo(undo(history))).present], ['bc', 'a', 'a']);
  const back = undo(undo(history));
  assert.deepEqual([redo(back).present, redo(redo(back)).present, redo(redo(redo(back))).present], ['bc', 'bcd', 'bcd']);
  assert.deepEqual(commit(back, 'z').future, []);
});
