// Channels that are written as streams: WebSocketStream and WebTransport. The page gets a stream of ours, which holds
// each piece before it is written to the native one.

if (Pipe !== undefined) {
  const writerOf = unbound(Pipe.prototype.getWriter);
  const Writer = globalThis.WritableStreamDefaultWriter.prototype;
  const write = unbound(Writer.write);
  const close = unbound(Writer.close);
  const abort = unbound(Writer.abort);
  const ours = new WeakMap();

  /** Returns the stream that the page gets in place of a native one. */
  const heldStream = (native, describe) => {
    let stream = lookUp(ours, native);
    if (stream !== undefined) return stream;
    const writer = writerOf(native);
    const queue = queueOf(writer, describe);
    stream = new Pipe({
      __proto__: null,
      write: (piece) =>
        new Later((resolve, reject) => {
          const content = contentOf(piece);
          const leave = () => {
            afterwards(write(writer, content.payload), resolve, reject);
            return true;
          };
          hold(queue, content, leave, resolve);
        }),
      close: () => close(writer),
      abort: (reason) => abort(writer, reason),
    });
    keep(ours, native, stream);
    keep(ours, stream, stream);
    return stream;
  };

  /** Addresses of the objects that pages made, by object. */
  const addresses = new WeakMap();
  const about = (kind, source) => () => ({ __proto__: null, kind, url: lookUp(addresses, source) ?? "", protocol: "" });

  /** Replaces a class by one that remembers the address of each object. */
  const rememberAddresses = (name) => {
    const known = getOwnPropertyDescriptor(globalThis, name);
    if (typeof known?.value !== "function") return null;
    const native = known.value;
    const handler = {
      __proto__: null,
      construct: (target, args, made) => {
        const object = construct(target, args, made);
        keep(addresses, object, `${args[0]}`);
        return object;
      },
    };
    const replaced = new Wrapped(native, handler);
    defineProperty(globalThis, name, { __proto__: null, ...known, value: replaced });
    const maker = getOwnPropertyDescriptor(native.prototype, "constructor");
    defineProperty(native.prototype, "constructor", { __proto__: null, ...maker, value: replaced });
    return native.prototype;
  };

  const opened = globalThis.WebSocketStream?.prototype;
  if (opened !== undefined) {
    const url = getter(opened, "url");
    replaceGetter(opened, "opened", (self, native) => {
      const opening = native(self);
      if (lookUp(ours, opening) === undefined) {
        // Registered before the promise is handed out, so it runs before the page's own handlers. A page can make it
        // throw: the promise is then not handed out.
        const describe = () => ({ __proto__: null, kind: "socket", url: url(self), protocol: "" });
        const replace = (made) => {
          const known = getOwnPropertyDescriptor(made, "writable");
          defineProperty(made, "writable", { __proto__: null, ...known, value: heldStream(known.value, describe) });
        };
        afterwards(opening, replace, () => {});
        keep(ours, opening, true);
      }
      return opening;
    });
  }

  const transport = rememberAddresses("WebTransport");
  if (transport !== null) {
    const follow = (object, source) => {
      if (lookUp(addresses, object) === undefined) keep(addresses, object, lookUp(addresses, source) ?? "");
      return object;
    };
    replaceGetter(transport, "datagrams", (self, native) => follow(native(self), self));
    const datagrams = globalThis.WebTransportDatagramDuplexStream?.prototype;
    if (datagrams !== undefined) {
      replaceGetter(datagrams, "writable", (self, native) => heldStream(native(self), about("transport", self)));
      replaceMethod(datagrams, "createWritable", (self, args, native) =>
        heldStream(apply(native, self, args), about("transport", self)),
      );
    }
    const stream = globalThis.WebTransportBidirectionalStream?.prototype;
    if (stream !== undefined) {
      replaceGetter(stream, "writable", (self, native) => heldStream(native(self), about("transport", self)));
    }
    replaceMethod(transport, "createBidirectionalStream", (self, args, native) =>
      afterwards(apply(native, self, args), (made) => follow(made, self)),
    );
    replaceMethod(transport, "createUnidirectionalStream", (self, args, native) =>
      afterwards(apply(native, self, args), (made) => heldStream(made, about("transport", self))),
    );
  }
}
