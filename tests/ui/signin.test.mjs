// Requests of a page that has signed in, and its behaviour when it is no longer let in.
import test from 'node:test';
import assert from 'node:assert/strict';

const metas = { 'meta[name="askfirst-csrf"]': { content: 'one' }, 'meta[name="askfirst-origin"]': { content: 'http://127.0.0.1:8787' } };
globalThis.document = { querySelector: (selector) => metas[selector] ?? null, addEventListener() {} };
globalThis.location = { protocol: 'https:', host: 'askfirst.example', origin: 'https://askfirst.example', pathname: '/', search: '', hash: '#/runs/7', assign(url) { this.gone = url; } };
const dispatched = [];
globalThis.dispatchEvent = (event) => dispatched.push(event.type);
globalThis.addEventListener = () => {};

const api = await import('../../static/transport/api.js');
const service = await import('../../static/transport/service.js');
const { Socket } = await import('../../static/transport/socket.js');

const answer = (status, body) => ({ status, ok: status < 300, headers: new Map(), json: async () => body, clone() { return this; } });

test('a call that changes something bears the token, and one that reads does not', async () => {
  const sent = [];
  globalThis.fetch = async (path, options) => { sent.push([path, options.headers['x-askfirst-csrf']]); return answer(200, {}); };
  await api.runs();
  await api.startRun('a', {});
  await api.deleteAgent('a');
  assert.deepEqual(sent.map(([, token]) => token), [undefined, 'one', 'one']);
});

test('whoever has signed in anew in another window goes on', async () => {
  metas['meta[name="askfirst-csrf"]'].content = 'old';
  const sent = [];
  globalThis.fetch = async (path, options) => {
    sent.push([path, options.headers['x-askfirst-csrf']]);
    if (path === '/api/me') return answer(200, { signed_in: true, csrf: 'new' });
    return options.headers['x-askfirst-csrf'] === 'new' ? answer(200, { run_id: 'r' }) : answer(403, { code: 'forgery' });
  };
  assert.deepEqual(await api.startRun('a', {}), { run_id: 'r' });
  assert.deepEqual(sent, [['/api/runs', 'old'], ['/api/me', undefined], ['/api/runs', 'new']]);
});

test('another refusal is no reason to try again', async () => {
  let count = 0;
  globalThis.fetch = async () => { count += 1; return answer(403, { code: 'bad_origin', detail: 'no' }); };
  await assert.rejects(api.startRun('a', {}), { code: 'bad_origin' });
  assert.equal(count, 1);
});

test('who is no longer let in is told once a call says so, and led back to the same place', async () => {
  globalThis.fetch = async () => answer(401, { code: 'unauthorized' });
  await assert.rejects(api.me(), { status: 401 });
  assert.deepEqual(dispatched, ['signedout']);
  service.toSignIn();
  assert.equal(location.gone, '/sign-in?next=%2F%23%2Fruns%2F7');
});

test('the addresses of the page and of the browsers that the service drives are two', () => {
  assert.equal(service.ownOrigin(), 'http://127.0.0.1:8787');
  assert.equal(service.socketUrl(), 'wss://askfirst.example/ws');
  assert.equal(service.urlOf('/api/runs'), '/api/runs');
  for (const other of ['//evil.test/x', 'https://a.test/x', 'blob:x', undefined]) assert.equal(service.urlOf(other), other);
});

test('a line that never came about, or that the service shuts, asks whether one is still let in', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] }); // prevents reconnections
  const made = [];
  globalThis.WebSocket = class { constructor() { made.push(this); } close() {} };
  let refused = 0;
  const socket = new Socket('ws://x/ws', { change() {}, frame() {}, picture() {}, refused() { refused += 1; } });
  const line = (opens, code) => {
    socket.connect();
    if (opens) made.at(-1).onopen();
    made.at(-1).onclose({ code });
    return refused;
  };
  assert.equal(line(false, 1006), 1);
  assert.equal(line(true, 1006), 1, 'one that is lost says nothing of it');
  assert.equal(line(true, 1008), 2);
});
