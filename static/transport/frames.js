// Frames of the socket: text frames to send, and parsing of binary pictures. Types are in protocol.d.ts,
// generated from those of the server.

/** @typedef {import('./protocol.d.ts').ClientFrame} ClientFrame */
/** @typedef {import('./protocol.d.ts').ServerFrame} ServerFrame */
/** @typedef {import('./protocol.d.ts').Command} Command */
/** @typedef {import('./protocol.d.ts').PersonInput} PersonInput */

export const PROTOCOL = 1;

/** `client`: identity of this window; requests the frames `waiting` and `writing` too. */
export const hello = ({ runId, afterSeq, locale, client }) => ({
  type: 'hello', protocol: PROTOCOL, locale, ...(client ? { client, waiting: true, writing: true } : {}), ...(runId ? { run_id: runId, after_seq: afterSeq ?? 0 } : {}),
});

/** `more`, for a new run: ids of uploaded `files`, another `model`. */
export const userMessage = (text, runId, more = {}) => ({ type: 'user_message', text, ...(runId ? { run_id: runId } : {}), ...more });

/** @param {string} reference @param {import('./protocol.d.ts').Answer} fields @returns {ClientFrame} */
export const answer = (reference, fields) => ({ type: 'answer', reference, ...fields });

/** @param {string} runId @param {Command} command @returns {ClientFrame} */
export const control = (runId, command) => ({ type: 'control', run_id: runId, command });

export const view = (runId, on, options = {}) => ({ type: 'view', run_id: runId, on, ...options });

export const frameAck = (frame) => ({ type: 'frame_ack', frame });

/** @param {string} runId @param {PersonInput} fields @returns {ClientFrame} */
export const input = (runId, fields) => ({ type: 'input', run_id: runId, ...fields });

/**
 * Parses a text frame; null if it is none.
 * @param {string} text @returns {ServerFrame | null}
 */
export function parseText(text) {
  try {
    const frame = JSON.parse(text);
    return frame && typeof frame.type === 'string' ? frame : null;
  } catch {
    return null;
  }
}

const HEADER = 24; // bytes of a version 1 header
const CODECS = { 1: 'image/jpeg', 2: 'image/webp' };

/** Parses a picture. Little endian: version, codec, header length, frame, captured at, width, height. */
export function parsePicture(buffer) {
  if (buffer.byteLength < HEADER) return null;
  const data = new DataView(buffer);
  const type = CODECS[data.getUint8(1)];
  const start = data.getUint16(2, true);
  if (data.getUint8(0) !== 1 || !type || start < HEADER || start > buffer.byteLength) return null;
  return {
    frame: data.getUint32(4, true),
    capturedAt: data.getFloat64(8, true),
    width: data.getUint16(16, true),
    height: data.getUint16(18, true),
    tag: data.getUint32(20, true), // tag of the `view` that requested it
    type,
    bytes: new Uint8Array(buffer, start),
  };
}
