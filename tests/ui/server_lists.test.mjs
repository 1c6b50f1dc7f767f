// Repeated readings of the task list: its length stays as the person extended it.
import test from 'node:test';
import assert from 'node:assert/strict';
import './page.mjs';

globalThis.addEventListener = () => {};
globalThis.setInterval = () => 0;
globalThis.localStorage = { getItem: () => null, setItem() {}, removeItem() {} };
Object.assign(globalThis.document, { hidden: false, activeElement: null });
const { ServerLists } = await import('../../static/app/server_lists.js');

const json = (body) => new Response(JSON.stringify(body));

/** Service with so many ended tasks; `hold(path)`: true if the reply waits for `release()`. */
function service(t, count, hold = () => false) {
  const [asked, held] = [[], []];
  t.mock.method(globalThis, 'fetch', async (path) => {
    asked.push(path);
    if (hold(path)) await new Promise((go) => held.push(go));
    const query = new URL(path, 'http://here').searchParams;
    const [from, limit] = [Number(query.get('cursor') ?? 0), Number(query.get('limit'))];
    assert.ok(limit <= 200, 'no more than the service gives at once');
    const items = Array.from({ length: Math.min(limit, count - from) }, (_, n) => ({ run_id: `r${from + n}`, status: 'succeeded' }));
    const next = from + items.length;
    return json({ items, cursor: next < count ? String(next) : null });
  });
  return { asked, release: () => held.splice(0).forEach((go) => go()) };
}

test('a list that was made longer stays so when it is read again', async (t) => {
  service(t, 300);
  const serverLists = new ServerLists(() => {});
  await serverLists.reload();
  assert.equal(serverLists.runs.items.length, 30);
  for (let n = 0; n < 6; n += 1) await serverLists.more();
  await serverLists.reload();
  assert.deepEqual([serverLists.runs.items.length, serverLists.runs.cursor], [210, '210']);
  assert.equal(new Set(serverLists.runs.items.map(({ run_id: id }) => id)).size, 210);
  await serverLists.more();
  assert.deepEqual([serverLists.runs.items.length, serverLists.runs.items.at(-1).run_id], [240, 'r239']);
});

test('a reading that began before the list was made longer does not shorten it', async (t) => {
  let slow = false;
  const { release } = service(t, 90, (path) => slow && !path.includes('cursor'));
  const serverLists = new ServerLists(() => {});
  await serverLists.reload();
  slow = true;
  const late = serverLists.reload();
  await serverLists.more();
  release();
  await late;
  assert.equal(serverLists.runs.items.length, 60);
  // A reading that begins meanwhile includes the new page.
  slow = false;
  const more = serverLists.more();
  await Promise.all([serverLists.reload(), more]);
  assert.equal(serverLists.runs.items.length, 90);
});
