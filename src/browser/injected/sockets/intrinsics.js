// Wrapper of sockets: runs in the page's own world, in every document and worker before the page's first script. It
// holds each message that is about to leave until the service releases or drops it. The page shares the globals, so all
// that is used later is captured here, and nothing reads a property that the page could have changed: no iterators, no
// prototypes of literals, no methods of lists.

/** Reports to the service; the page never sees it. Absent if the document already has the wrapper. */
const report = globalThis[BINDING];
if (typeof report !== "function") return;
Reflect.deleteProperty(globalThis, BINDING);

const { apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
/** Makes a method a function of its receiver. */
const unbound = (method) => (self, ...args) => apply(method, self, args);

const { stringify } = JSON;
const { isView } = ArrayBuffer;
const Bytes = Uint8Array;
const Later = Promise;
const Pipe = globalThis.WritableStream;
const Wrapped = Proxy;
const wellFormed = unbound(String.prototype.toWellFormed);
const part = unbound(String.prototype.slice);
const letterAt = unbound(String.prototype.charAt);
const afterwards = unbound(Promise.prototype.then);
const encoder = new TextEncoder();
const encode = unbound(TextEncoder.prototype.encode);

/** Returns the getter of an attribute, as a function of its receiver. */
const getter = (owner, name) => unbound(getOwnPropertyDescriptor(owner, name).get);
const TypedArray = getPrototypeOf(Uint8Array);
const lengthOfBuffer = getter(ArrayBuffer.prototype, "byteLength");
const lengthOfBytes = getter(TypedArray.prototype, "byteLength");
const bufferOfArray = getter(TypedArray.prototype, "buffer");
const offsetOfArray = getter(TypedArray.prototype, "byteOffset");
const kindOfArray = getter(TypedArray.prototype, Symbol.toStringTag);
const bufferOfView = getter(DataView.prototype, "buffer");
const offsetOfView = getter(DataView.prototype, "byteOffset");
const lengthOfView = getter(DataView.prototype, "byteLength");
const copyInto = unbound(TypedArray.prototype.set);
const sizeOfBlob = getter(Blob.prototype, "size");
const readBlob = unbound(Blob.prototype.arrayBuffer);

const lookUp = unbound(WeakMap.prototype.get);
const keep = unbound(WeakMap.prototype.set);
const find = unbound(Map.prototype.get);
const put = unbound(Map.prototype.set);
const remove = unbound(Map.prototype.delete);

/** Address of a document. A worker has none yet when this runs, and reading it would crash the worker. */
const place = globalThis.window === undefined ? null : globalThis.location;
const readPlace = place === null ? () => "" : getter(place, "href");

/** Returns the result of a call, or a substitute if it throws. */
const attempt = (call, otherwise) => {
  try {
    return call();
  } catch {
    return otherwise;
  }
};

/** Replaces a method by one that the page cannot tell apart by its text, name or length. */
const replaceMethod = (owner, name, handle) => {
  const known = getOwnPropertyDescriptor(owner, name);
  if (typeof known?.value !== "function") return null;
  const native = known.value;
  const handler = { __proto__: null, apply: (_, self, args) => handle(self, args, native) };
  defineProperty(owner, name, { __proto__: null, ...known, value: new Wrapped(native, handler) });
  return unbound(native);
};

/** Replaces the getter of an attribute. */
const replaceGetter = (owner, name, handle) => {
  const known = getOwnPropertyDescriptor(owner, name);
  if (typeof known?.get !== "function") return null;
  const native = unbound(known.get);
  const handler = { __proto__: null, apply: (_, self) => handle(self, native) };
  defineProperty(owner, name, { __proto__: null, ...known, get: new Wrapped(known.get, handler) });
  return native;
};

/**
 * Leaves navigation preload off when it is switched on: Chromium itself sends what it loads ahead of a service worker, and
 * pauses none of it.
 */
const refusePreload = () => {
  const preloads = globalThis.NavigationPreloadManager?.prototype;
  const enable = preloads === undefined ? undefined : getOwnPropertyDescriptor(preloads, "enable");
  if (enable?.writable !== true) return;
  const { disable } = preloads;
  defineProperty(preloads, "enable", { value: { enable() { return apply(disable, this, []); } }.enable, writable: false });
};
refusePreload();

if (globalThis.InstallEvent !== undefined) {
  // A service worker gets the interface after this has run, and switches it on in one of these events.
  for (const kind of ["install", "activate", "message"]) globalThis.addEventListener(kind, refusePreload);
  // Chromium pauses none of the requests that routes have race a service worker.
  Reflect.deleteProperty(globalThis.InstallEvent.prototype, "addRoutes");
}
