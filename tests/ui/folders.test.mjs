// Folders of the page's scripts: small, and without import circles.

import test from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const MOST_FILES = 12;
const root = fileURLToPath(new URL('../../static/', import.meta.url));
const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)));
const scripts = files.filter((file) => file.endsWith('.js'));

/** Imports: [[file, imported file]] */
const imports = scripts.flatMap((file) => [...readFileSync(join(root, file), 'utf8').matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/g)].map(([, path]) => [file, normalize(join(dirname(file), path))]));

test('a folder has few files', () => {
  const counts = new Map();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  assert.deepEqual([...counts].filter(([, count]) => count > MOST_FILES), []);
});

test('what is imported and linked exists', () => {
  const pages = ['index.html', 'docs/index.html'].map((page) => join(root, page)).concat(fileURLToPath(new URL('../../src/http/guard/sign_in.html', import.meta.url)));
  const linked = pages.flatMap((page) => [...readFileSync(page, 'utf8').matchAll(/static\/([\w./-]+)"/g)].map(([, path]) => path));
  assert.deepEqual([...imports.map(([, to]) => to), ...linked].filter((path) => !existsSync(join(root, path))), []);
});

test('every style sheet is linked, and every element imported', () => {
  const pages = ['../../static/index.html', '../../static/docs/index.html', '../../src/http/guard/sign_in.html'].map((page) => readFileSync(new URL(page, import.meta.url), 'utf8')).join('');
  assert.deepEqual(files.filter((file) => file.endsWith('.css') && !pages.includes(`static/${file}`)), []);
  const reached = new Set(['app.js']);
  for (const file of reached) for (const [from, to] of imports) if (from === file) reached.add(to);
  assert.deepEqual(scripts.filter((file) => readFileSync(join(root, file), 'utf8').includes('customElements.define') && !reached.has(file)), []);
});

test('folders import in one direction', () => {
  for (const folderOf of [dirname, (file) => (file.includes('/') ? file.split('/')[0] : '.')]) {
    const edges = imports.map((pair) => pair.map(folderOf)).filter(([from, to]) => from !== to);
    let left = [...new Set(edges.flat())];
    for (let before = Infinity; left.length < before;) {
      before = left.length;
      left = left.filter((folder) => edges.some(([from, to]) => from === folder && left.includes(to)));
    }
    assert.deepEqual(left, [], 'these folders import each other in a circle, or import those that do');
  }
});
