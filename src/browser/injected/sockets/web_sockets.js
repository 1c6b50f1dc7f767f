// Sockets and data channels: both have `send`, `readyState`, `bufferedAmount` and `close`.

const CLOSING_STATE = 2;

/** Wraps a class of channels. `isOpen` tells an open state, `closing` is the state of one that is about to close. */
function wrapChannel(name, { kind, open, closing, addressOf, protocolOf }) {
  const owner = globalThis[name]?.prototype;
  if (owner === undefined) return;
  const nativeState = getter(owner, "readyState");
  const address = addressOf(owner);
  const protocol = protocolOf(owner);
  const queueFor = (channel) =>
    queueOf(channel, () => ({ __proto__: null, kind, url: address(channel), protocol: protocol(channel) }));

  replaceGetter(owner, "readyState", (self) => {
    const state = nativeState(self);
    const queue = lookUp(queues, self);
    return queue !== undefined && queue.whenEmpty !== null && state === open ? closing : state;
  });
  replaceGetter(owner, "bufferedAmount", (self, native) => {
    const amount = native(self);
    const queue = lookUp(queues, self);
    return queue === undefined ? amount : amount + queue.waiting;
  });
  replaceMethod(owner, "send", (self, args, native) => {
    if (args.length === 0 || attempt(() => nativeState(self), null) === null) return apply(native, self, args);
    const content = contentOf(args[0]);
    // The native method throws before the channel is open, and drops what is sent after its end.
    if (nativeState(self) !== open) return apply(native, self, [content.blob ?? content.payload]);
    const queue = queueFor(self);
    if (queue.whenEmpty !== null) return undefined;
    const leave = () => {
      if (nativeState(self) !== open) return false;
      apply(native, self, [content.payload]);
      return true;
    };
    hold(queue, content, leave, null);
    return undefined;
  });
  replaceMethod(owner, "close", (self, args, native) => {
    const queue = lookUp(queues, self);
    const code = args.length > 0 ? args[0] : undefined;
    const isValid = code === undefined || code === 1000 || (code >= 3000 && code <= 4999);
    if (queue === undefined || queue.first === null || !isValid || nativeState(self) !== open) {
      return apply(native, self, args);
    }
    // Earlier messages leave before the end.
    queue.whenEmpty ??= () => apply(native, self, args);
    return undefined;
  });
}

wrapChannel("WebSocket", {
  kind: "socket",
  open: 1,
  closing: CLOSING_STATE,
  addressOf: (owner) => getter(owner, "url"),
  protocolOf: (owner) => getter(owner, "protocol"),
});

// The other end of a data channel has no address: it is another person's browser, or a server that the page names.
wrapChannel("RTCDataChannel", {
  kind: "data channel",
  open: "open",
  closing: "closing",
  addressOf: (owner) => getter(owner, "label"),
  protocolOf: (owner) => getter(owner, "protocol"),
});
