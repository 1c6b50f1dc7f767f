// WebSocket that reconnects with growing pauses. The caller sends first messages (`hello` with the last seq) on
// every `change` of type `open`, so that a new socket continues without a gap.

import { backoff } from './connection.js';
import { parseText, parsePicture } from './frames.js';

const PING_MS = 20_000;
const SHUT_OUT = 1008; // close code: policy of the server
const SILENCE_MS = 45_000; // time without a frame after which the connection counts as dead

export class Socket {
  #url;
  #on;
  #socket = null;
  #tries = 0;
  #retry = null;
  #ping = null;
  #receivedAt = 0;
  #opens = false; // true once the current socket has opened

  constructor(url, on) {
    this.#url = url;
    this.#on = on;
    addEventListener('online', () => this.retryNow());
    document.addEventListener('visibilitychange', () => document.hidden || this.retryNow());
    // A page in the back/forward cache must hold nothing.
    addEventListener('pagehide', () => this.#socket?.close());
    addEventListener('pageshow', (event) => event.persisted && this.retryNow());
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  connect() {
    clearTimeout(this.#retry);
    this.#retry = null;
    this.#opens = false;
    this.#on.change({ type: 'connecting' });
    const socket = new WebSocket(this.#url);
    socket.binaryType = 'arraybuffer';
    this.#socket = socket;
    socket.onopen = () => this.#opened(socket);
    socket.onmessage = (event) => this.#receive(socket, event.data);
    socket.onclose = (event) => this.#lost(socket, event.code);
  }

  /**
   * Sends a frame. Returns false without a connection; nothing is queued, so nothing is sent late.
   * @param {import('./protocol.d.ts').ClientFrame} frame
   */
  send(frame) {
    if (!this.isOpen) return false;
    this.#socket.send(JSON.stringify(frame));
    return true;
  }

  retryNow() {
    if (this.#retry !== null) this.connect();
  }

  #opened(socket) {
    if (socket !== this.#socket) return;
    this.#opens = true;
    this.#tries = 0;
    this.#receivedAt = performance.now();
    this.#ping = setInterval(() => this.#keepAlive(socket), PING_MS);
    this.#on.change({ type: 'open' });
  }

  #receive(socket, data) {
    if (socket !== this.#socket) return;
    this.#receivedAt = performance.now();
    if (typeof data === 'string') {
      const frame = parseText(data);
      if (frame && frame.type !== 'pong') this.#on.frame(frame);
    } else {
      const picture = parsePicture(data);
      if (picture) this.#on.picture(picture);
    }
  }

  #keepAlive(socket) {
    if (performance.now() - this.#receivedAt <= SILENCE_MS) return this.send({ type: 'ping' });
    this.#lost(socket); // the close event of a dead connection can take minutes
    socket.close();
    return false;
  }

  #lost(socket, code = 0) {
    if (socket !== this.#socket) return;
    clearInterval(this.#ping);
    this.#socket = null;
    // Browsers do not report why a connection failed; the service closes those of signed-out clients.
    if (!this.#opens || code === SHUT_OUT) this.#on.refused();
    this.#tries += 1;
    const wait = backoff(this.#tries);
    this.#retry = setTimeout(() => this.connect(), wait);
    this.#on.change({ type: 'lost', retryAt: Date.now() + wait });
  }
}
