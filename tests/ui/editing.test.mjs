// Agent documents in the editor: board and text in step, faults at their places, drafts.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import * as document from '../../static/agents/editor/document.js';
import * as faults from '../../static/agents/spec/faults.js';
import { fromDraft, compareDraft, toDraft } from '../../static/agents/editor/draft.js';
import { moveItem, withPositions } from '../../static/agents/spec/lanes.js';
import { faultWords, sentences } from '../../static/shared/text/fault_text.js';
import { translator } from '../../static/shared/text/locale.js';

const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const spec = { name: 'echo', kind: 'atomic', llm: { prompt: 'x' } };
const file = { spec, yaml: 'name: echo\n# mine\n', etag: '"1"' };

test('the one that was changed last leads, and the other follows', () => {
  const board = document.withSpec(document.docOf(file), { ...spec, title_ua: 'Відлуння' });
  assert.deepEqual([board.lead, board.behind, document.requestBody(board).spec.title_ua], ['board', true, 'Відлуння']);
  const caught = document.withReply(board, { spec: board.spec, yaml: 'new text' });
  assert.deepEqual([caught.yaml, caught.behind], ['new text', false]);
  const text = document.withText(caught, 'name: other');
  assert.deepEqual(document.requestBody(text), { yaml: 'name: other' });
  const read = document.withReply(text, { spec: { name: 'other' }, yaml: 'name: other' });
  assert.deepEqual([read.spec.name, read.yaml, read.readable], ['other', 'name: other', true]);
});

test('of text that cannot be read the board shows the last that could', () => {
  const broken = document.withReply(document.withText(document.docOf(file), 'a: ['), { spec: null, yaml: null });
  assert.deepEqual([broken.spec, broken.readable, broken.yaml], [spec, false, 'a: [']);
  assert.equal(document.docOf({ spec: null, yaml: 'a: [' }).lead, 'yaml');
});

test('work is saved or it is not, however it was done and undone', () => {
  const doc = document.docOf(file);
  assert.equal(document.isDirty(doc, file), false);
  assert.equal(document.isDirty(doc, null), true);
  assert.equal(document.isDirty(document.withSpec(doc, { ...spec, inputs: [] }), file), false); // equal content
  assert.equal(document.isDirty(document.withSpec(doc, { ...spec, llm: { prompt: 'y' } }), file), true);
  const typed = document.withText(doc, `${file.yaml}#`);
  assert.equal(document.isDirty(typed, file), true); // comments count as changes
  assert.equal(document.isDirty(document.withText(typed, file.yaml), file), false);
  assert.deepEqual([file.yaml, 'a: b#c', 'a: "x"\n'].map(document.hasComments), [true, false, false]);
});

test('a draft is kept with the version that it began with, and read back', () => {
  const doc = document.withText(document.docOf(file), 'half');
  const draft = fromDraft(toDraft({ base: '"1"', doc }, '2026-01-01T00:00:00Z'));
  assert.deepEqual([draft.doc, draft.base, draft.at], [doc, '"1"', '2026-01-01T00:00:00Z']);
  for (const odd of [null, '', 'x', '{}', '{"version":0}', '{"version":1,"doc":{}}']) assert.equal(fromDraft(odd), null);
});

test('a draft meets the file that it began with, another one, or none', () => {
  const draft = { base: '"1"' };
  assert.deepEqual([compareDraft(null, '"1"'), compareDraft(draft, '"1"'), compareDraft(draft, '"2"'), compareDraft(draft, null), compareDraft({ base: null }, null), compareDraft({ base: null }, '"1"')],
    ['none', 'restored', 'changed', 'gone', 'fresh', 'changed']);
});

// -------------------------------------------------------------------- faults

const flow = withPositions({ name: 'flow', inputs: [{ name: 'task' }], graph: { lanes: [
  { items: [{ id: 'a', agent: 'x' }] },
  { items: [{ id: 'b', agent: 'y', bindings: [{ from_agent_item_id: 'a', from_var: 'v', to_agent_item_id: 'b', to_var: 'task' }] }, { id: 'c', agent: 'y' }] },
] } });

const listed = [
  { path: 'graph.lanes[1].items[0].agent', line: 9, message: 'no such agent', hint: 'make it' },
  { path: 'graph.lanes[1].items[0].bindings[0].from_var', line: 12, message: 'is no output' },
  { path: 'graph.lanes[1].items[1].bindings.task', line: null, message: 'is not bound' },
  { path: 'graph.lanes[1].items[1].when', line: 20, message: 'asks nothing', severity: 'warning' },
  { path: 'inputs[0].name', line: 3, message: 'appears twice' },
  { path: 'graph.lanes[4]', line: 30, message: 'is empty' },
  { path: 'llm.prompt', line: 9, message: 'template' },
  { path: '', line: null, message: 'is no agent' },
];

test('faults are tied to cards, inputs, variables, lanes and fields', () => {
  const found = faults.withSubjects(listed, flow);
  const words = (list) => list.map(({ message }) => message);
  assert.deepEqual(words(faults.ofItem(found, 'b')), ['no such agent', 'is no output']);
  assert.deepEqual(words(faults.ofCard(found, 'b', [{ name: 'task' }])), ['no such agent']);
  assert.deepEqual(words(faults.ofCard(found, 'b', [])), ['no such agent', 'is no output']); // never omitted
  assert.deepEqual(words(faults.ofInput(found, 'b', 'task')), ['is no output']);
  assert.deepEqual(words(faults.ofInput(found, 'c', 'task')), ['is not bound']);
  assert.deepEqual(words(faults.ofVariable(found, 'inputs', 0)), ['appears twice']);
  assert.deepEqual(words(faults.ofLane(found, 4)), ['is empty']);
  assert.deepEqual(words(faults.ofField(found, 'llm.prompt')), ['template']);
  assert.deepEqual(words(faults.ofField(found, 'llm')), ['template']);
  assert.deepEqual(words(faults.ofField(found, 'title_ua')), []);
  assert.equal(faults.errors(found).length, 7);
});

test('a card that is moved takes its faults with it', () => {
  const found = faults.withSubjects(listed, flow);
  const moved = moveItem(flow, 'b', 0, 0);
  assert.equal(moved.graph.lanes[0].items[0].id, 'b');
  assert.equal(faults.ofItem(found, 'b').length, 2);
  assert.equal(faults.ofItem(found, 'a').length, 0);
});

test('each line of the text knows its faults', () => {
  const lines = faults.byLine(faults.withSubjects(listed, flow));
  assert.deepEqual([...lines.keys()].sort((a, b) => a - b), [3, 9, 12, 20, 30]);
  assert.equal(lines.get(9).length, 2);
});

// --------------------------------------------------------------------- words

const words = Object.fromEntries(['uk', 'en'].map((locale) => [locale, translator(JSON.parse(read(`static/locales/${locale}.json`)), locale)]));

test('what the service finds wrong is told in the words of the page', () => {
  const unbound = { message: 'leaves the input "task" of echo without a value', hint: 'add to its bindings {…}' };
  assert.deepEqual(faultWords(unbound, words.en), { message: 'Input “task” is not connected.', hint: 'Drag a variable onto it, or choose one.' });
  assert.equal(faultWords(unbound, words.uk).message, 'Вхід «task» ні з чим не пов’язано.');
  assert.equal(faultWords({ message: 'gives a boolean, and task takes a string' }, words.uk).message, 'Це дає так/ні, а вхід «task» приймає текст.');
  assert.equal(faultWords({ message: 'there is no agent "a"', hint: 'did you mean "b"?' }, words.en).hint, 'Did you mean “b”?');
  assert.deepEqual(faultWords({ message: 'something else', hint: null }, words.uk), { message: 'something else', hint: '' });
  const [found] = faults.withSubjects([{ path: 'graph.lanes[1].items[1]', ...unbound }], flow);
  assert.deepEqual([found.item, found.input], ['c', 'task']); // shown at the input, not at the card
});

test('every sentence that is looked for is one that the service says', () => {
  const folder = new URL('../../src/agent_spec/', import.meta.url);
  const source = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.rs')).map((name) => readFileSync(new URL(name, folder), 'utf8')).join('\n');
  // Strings as in the source: quotes escaped, values in braces.
  const plain = source.replaceAll('\\"', '"').replaceAll(/\\\n\s*/g, '').replaceAll('{CONTEXT}', '__CTX__');
  // Text between the values; of a choice, each.
  const parts = (pattern) => pattern.source.replaceAll('(?:the context here|the outputs of (.+))', '').replaceAll(/\(\?:an\? \)\?\(\\w\+\)|\([^()]*\)/g, '|').replaceAll(/\\|\^|\$/g, '').split(/[|"]/).map((part) => part.trim()).filter((part) => part.length > 3);
  for (const list of Object.values(sentences)) {
    for (const [key, pattern] of list) for (const part of parts(pattern)) assert.ok(plain.includes(part), `${key}: ${part}`);
  }
  for (const t of Object.values(words)) {
    for (const [key] of sentences.messages) assert.ok(t.has(`fault.${key}`), key);
    for (const [key] of sentences.hints) assert.ok(t.has(`fault.hint.${key}`), key);
  }
});

test('a form is as wide as its place, however long its words are', () => {
  const css = ['editor_page', 'board/board'].map((name) => readFileSync(new URL(`../../static/agents/editor/${name}.css`, import.meta.url), 'utf8')).join('');
  for (const one of ['.whole-form', '.form-part', '.vars', '.vars > ul', '.var-row']) assert.ok(css.includes(`${one} { display: grid; grid-template-columns: minmax(0, 1fr);`), one);
});

test('where there is a form, no board is spoken of', () => {
  for (const t of ['uk', 'en']) {
    const words = JSON.parse(readFileSync(new URL(`../../static/locales/${t}.json`, import.meta.url), 'utf8'));
    for (const key of ['yaml.unreadable.form', 'note.unreadable.form']) assert.doesNotMatch(words[key], /дошк|board/i);
  }
});
