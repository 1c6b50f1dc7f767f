// Messages that are about to leave. Each channel (a socket, a data channel, a stream) has a queue, so that messages
// leave in the order in which the page sent them: one that is released waits for those before it.

/** Longest content that is reported, in bytes; of longer ones only the beginning. */
const LONGEST_REPORTED = 256 * 1024;
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const ASKED = 0;
const RELEASED = 1;
const DROPPED = 2;
/** Replies of `settle`. */
const GONE = 0;
const LEFT = 1;

const queues = new WeakMap();
const messages = new Map();
let sent = 0;

/** Returns the queue of a channel. `describe` returns its kind, address and protocol. */
function queueOf(channel, describe) {
  let queue = lookUp(queues, channel);
  if (queue === undefined) {
    queue = { __proto__: null, channel, first: null, last: null, waiting: 0, whenEmpty: null, describe };
    keep(queues, channel, queue);
  }
  return queue;
}

/** Copies what the page sends: text, or bytes that it may change later. Throws what the native method would. */
function contentOf(data) {
  if (typeof data === "object" && data !== null) {
    const blobSize = attempt(() => sizeOfBlob(data), null);
    if (blobSize !== null) return { __proto__: null, blob: data, isText: false, size: blobSize, payload: null };
    const length = attempt(() => lengthOfBuffer(data), null);
    if (length !== null) return contentOfBytes(new Bytes(data, 0, length), length);
    if (isView(data)) {
      const isArray = kindOfArray(data) !== undefined;
      const buffer = isArray ? bufferOfArray(data) : bufferOfView(data);
      const offset = isArray ? offsetOfArray(data) : offsetOfView(data);
      const size = isArray ? lengthOfBytes(data) : lengthOfView(data);
      return contentOfBytes(new Bytes(buffer, offset, size), size);
    }
  }
  const text = wellFormed(`${data}`);
  return { __proto__: null, blob: null, isText: true, size: lengthOfBytes(encode(encoder, text)), payload: text };
}

function contentOfBytes(bytes, size) {
  const copy = new Bytes(size);
  copyInto(copy, bytes);
  return { __proto__: null, blob: null, isText: false, size, payload: copy };
}

/** Holds a message. `leave` sends it and returns false if its channel is gone; `drop` is told if it never leaves. */
function hold(queue, content, leave, drop) {
  const number = ++sent;
  const message = { __proto__: null, number, content, state: ASKED, leave, drop, queue, next: null };
  if (queue.last === null) queue.first = message;
  else queue.last.next = message;
  queue.last = message;
  queue.waiting += content.size;
  put(messages, number, message);
  if (content.blob === null) {
    reportMessage(message);
    return;
  }
  const taken = (buffer) => {
    content.payload = new Bytes(buffer, 0, lengthOfBuffer(buffer));
    reportMessage(message);
  };
  afterwards(readBlob(content.blob), taken, () => settle(number, DROPPED));
}

function reportMessage(message) {
  const { content } = message;
  const about = message.queue.describe();
  const facts = {
    __proto__: null,
    number: message.number,
    channel: about.kind,
    url: about.url,
    protocol: about.protocol,
    document: readPlace(place),
    is_text: content.isText,
    size: content.size,
    body: reportedBody(content),
  };
  report(stringify(facts));
}

/** Returns the text, or the bytes as base64. */
function reportedBody({ isText, payload, size }) {
  if (isText) return size > LONGEST_REPORTED ? wellFormed(part(payload, 0, LONGEST_REPORTED / 4)) : payload;
  const end = size > LONGEST_REPORTED ? LONGEST_REPORTED : size;
  let letters = "";
  // Written out: `btoa` is absent in a worker that has not started yet.
  for (let at = 0; at < end; at += 3) {
    const rest = end - at;
    const bits = (payload[at] << 16) | ((rest > 1 ? payload[at + 1] : 0) << 8) | (rest > 2 ? payload[at + 2] : 0);
    letters += letterAt(BASE64, bits >> 18) + letterAt(BASE64, (bits >> 12) & 63);
    letters += rest > 1 ? letterAt(BASE64, (bits >> 6) & 63) : "=";
    letters += rest > 2 ? letterAt(BASE64, bits & 63) : "=";
  }
  return letters;
}

/** Decides on a held message, and sends what no longer waits for another. */
function settle(number, state) {
  const message = find(messages, number);
  if (message === undefined) return GONE;
  remove(messages, number);
  message.state = state;
  return flush(message.queue, message);
}

/** Sends the decided messages at the head of a queue. Returns whether `wanted` has left, or will once others have. */
function flush(queue, wanted) {
  let reply = LEFT;
  while (queue.first !== null && queue.first.state !== ASKED) {
    const message = queue.first;
    queue.first = message.next;
    if (queue.first === null) queue.last = null;
    queue.waiting -= message.content.size;
    const left = message.state === RELEASED && attempt(message.leave, false) === true;
    if (!left && message.drop !== null) attempt(message.drop, null);
    if (!left && message === wanted) reply = GONE;
  }
  if (queue.first === null && queue.whenEmpty !== null) {
    const next = queue.whenEmpty;
    queue.whenEmpty = null;
    attempt(next, null);
  }
  return reply;
}
