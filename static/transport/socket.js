// One WebSocket that stays: connects, backs off, connects again.
// What to say first (`hello` with the last seq) is the caller's to know: it
// does so on every `change` of type `open`, so a lost socket resumes without a gap.

import { backoff } from './connection.js';
import { parseText, parsePicture } from './frames.js';

const PING_MS = 20_000;
const SHUT_OUT = 1008; // of a socket's close: by the rules of whoever is at the other end
const SILENCE_MS = 45_000; // no frame for so long: the line is dead though nobody said so

export class Socket {
  #url;
  #on;
  #socket = null;
  #tries = 0;
  #retry = null;
  #ping = null;
  #heardAt = 0;
  #opens = false; // the line that is there came about

  constructor(url, on) {
    this.#url = url;
    this.#on = on;
    addEventListener('online', () => this.retryNow());
    document.addEventListener('visibilitychange', () => document.hidden || this.retryNow());
    // A page that one has left may be kept for the way back, and must hold nothing meanwhile.
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
    socket.onmessage = (event) => this.#heard(socket, event.data);
    socket.onclose = (event) => this.#lost(socket, event.code);
  }

  /** False when there is no line; nothing is queued, so nothing is sent late.
   * @param {import('./protocol.d.ts').ClientFrame} frame */
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
    this.#heardAt = performance.now();
    this.#ping = setInterval(() => this.#keepAlive(socket), PING_MS);
    this.#on.change({ type: 'open' });
  }

  #heard(socket, data) {
    if (socket !== this.#socket) return;
    this.#heardAt = performance.now();
    if (typeof data === 'string') {
      const frame = parseText(data);
      if (frame && frame.type !== 'pong') this.#on.frame(frame);
    } else {
      const picture = parsePicture(data);
      if (picture) this.#on.picture(picture);
    }
  }

  #keepAlive(socket) {
    if (performance.now() - this.#heardAt <= SILENCE_MS) return this.send({ type: 'ping' });
    this.#lost(socket); // closing a dead line can take minutes to be told
    socket.close();
    return false;
  }

  #lost(socket, code = 0) {
    if (socket !== this.#socket) return;
    clearInterval(this.#ping);
    this.#socket = null;
    // A browser does not tell why no line came about; the service closes one for whoever signs out.
    if (!this.#opens || code === SHUT_OUT) this.#on.refused();
    this.#tries += 1;
    const wait = backoff(this.#tries);
    this.#retry = setTimeout(() => this.connect(), wait);
    this.#on.change({ type: 'lost', retryAt: Date.now() + wait });
  }
}
