// Language of comments in the page's scripts and styles, and in the scripts injected into pages.

import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Openings that describe around a thing instead of naming it. */
const WEAK = new Set('what whatever whether how where which who whoever whose that those this these of so one it its they their them'.split(' '));
/** Maximum number of comments with such an opening; may only fall. */
const WEAK_COMMENTS = 0;

const root = fileURLToPath(new URL('../../', import.meta.url));
const files = ['static', 'src/browser/injected'].flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
  .filter((entry) => /\.(?:js|css|html)$/.test(entry.name)).map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)));

/** Comments of a file, each as its lines without markers: [{ place, lines }]. */
function comments(file) {
  const found = [];
  let open = null;
  for (const [at, line] of readFileSync(join(root, file), 'utf8').split('\n').entries()) {
    const [, mark, text] = /^\s*(\/\/|\/\*+|<!--|\*)\s*(.*)$/.exec(line) ?? / (\/\/|\/\*+) (.*)$/.exec(line) ?? [];
    const continues = open && (mark === '*' || (mark === '//' && open.mark === '//' && line.trimStart().startsWith('//')));
    if (continues) open.lines.push(text);
    else if (mark && mark !== '*') found.push(open = { location: `${file}:${at + 1}`, mark, lines: [text] });
    else if (mark === undefined) open = null;
  }
  return found;
}

const all = files.flatMap(comments);

test('a comment opens with the thing that it describes', () => {
  const weak = all.filter(({ lines }) => WEAK.has(/^[a-z]+/i.exec(lines.find((line) => line !== '') ?? '')?.[0].toLowerCase()));
  assert.ok(weak.length <= WEAK_COMMENTS, `${weak.length} comments have a weak opening, not ${WEAK_COMMENTS}:\n${weak.map(({ location, lines }) => `${location} ${lines[0]}`).join('\n')}`);
});

test('a script that a comment names exists', () => {
  const named = all.flatMap(({ location, lines }) => [...lines.join(' ').matchAll(/[\w./-]+\.js\b/g)].map(([name]) => ({ location, name: name.replace(/^[./]+/, '') })));
  assert.ok(named.length > 0);
  assert.deepEqual(named.filter(({ name }) => !files.some((file) => `/${file}`.endsWith(`/${name}`))), []);
});
