// Socket of the page: frames out, pictures in, back-off, state of the connection.  // docs/protocol.md
import test from 'node:test';
import assert from 'node:assert/strict';
import * as wire from '../../static/transport/frames.js';
import { backoff, firstConnection, reduceConnection } from '../../static/transport/connection.js';

function picture({ version = 1, codec = 1, header = 24, frame = 7, at = 1700000000123.5, width = 1280, height = 720, bytes = [255, 216] } = {}) {
  const buffer = new ArrayBuffer(header + bytes.length);
  const data = new DataView(buffer);
  data.setUint8(0, version);
  data.setUint8(1, codec);
  data.setUint16(2, header, true);
  data.setUint32(4, frame, true);
  data.setFloat64(8, at, true);
  data.setUint16(16, width, true);
  data.setUint16(18, height, true);
  new Uint8Array(buffer, header).set(bytes);
  return buffer;
}

test('a picture is read in the documented format', () => {
  const read = wire.parsePicture(picture());
  assert.deepEqual({ ...read, bytes: [...read.bytes] }, { frame: 7, capturedAt: 1700000000123.5, width: 1280, height: 720, tag: 0, type: 'image/jpeg', bytes: [255, 216] });
  assert.equal(wire.parsePicture(picture({ codec: 2 })).type, 'image/webp');
  assert.deepEqual([...wire.parsePicture(picture({ header: 32 })).bytes], [255, 216]);
});

test('what is no picture is refused', () => {
  assert.equal(wire.parsePicture(new ArrayBuffer(10)), null);
  assert.equal(wire.parsePicture(picture({ version: 2 })), null);
  assert.equal(wire.parsePicture(picture({ codec: 9 })), null);
});

test('text frames are objects with a type, else nothing', () => {
  assert.deepEqual(wire.parseText('{"type":"pong"}'), { type: 'pong' });
  for (const text of ['', 'x', 'null', '[]', '{"a":1}']) assert.equal(wire.parseText(text), null);
});

test('frames to the server', () => {
  assert.deepEqual(wire.hello({ locale: 'uk' }), { type: 'hello', protocol: 1, locale: 'uk' });
  assert.deepEqual(wire.hello({ locale: 'en', runId: 'r', afterSeq: 5 }), { type: 'hello', protocol: 1, locale: 'en', run_id: 'r', after_seq: 5 });
  assert.deepEqual(wire.hello({ locale: 'en', client: { id: 'w' } }), { type: 'hello', protocol: 1, locale: 'en', client: { id: 'w' }, waiting: true, writing: true });
  assert.deepEqual(wire.userMessage('hi'), { type: 'user_message', text: 'hi' });
  assert.deepEqual(wire.answer('q', { confirmed: false, comment: 'no' }), { type: 'answer', reference: 'q', confirmed: false, comment: 'no' });
  assert.deepEqual(wire.control('r', 'stop'), { type: 'control', run_id: 'r', command: 'stop' });
  assert.deepEqual(wire.frameAck(3), { type: 'frame_ack', frame: 3 });
});

test('the back-off grows, is bounded, and spreads', () => {
  assert.equal(backoff(1, 0.5), 400);
  assert.equal(backoff(2, 0.5), 800);
  assert.equal(backoff(50, 0.5), 15_000);
  assert.ok(backoff(3, 0) < backoff(3, 1));
});

test('the connection is told truthfully', () => {
  let c = reduceConnection(firstConnection, { type: 'open' });
  assert.equal(c.everOpen, true);
  c = reduceConnection(c, { type: 'lost', retryAt: 5 });
  assert.deepEqual(c, { state: 'waiting', tries: 1, retryAt: 5, everOpen: true });
  c = reduceConnection(c, { type: 'connecting' });
  assert.equal(c.tries, 1);
  assert.equal(reduceConnection(c, { type: 'open' }).tries, 0);
});
