// Gives pages that were written for earlier drafts of WebMCP the `navigator.modelContext` that they look for: what they
// declare there is declared by the browser's own `document.modelContext`. Runs in the page's own world.

(() => {
  "use strict";
  const native = document.modelContext;
  if (native === undefined || "modelContext" in navigator) return;
  const { AbortController, Error, Map, Promise } = globalThis;
  /** Controllers that take each tool away again, by name. */
  const removers = new Map();

  /** Passes on what earlier drafts called the agent: its one method lets a tool ask the person on the page. */
  const agent = { requestUserInteraction: async (ask) => ask() };

  function registerTool(tool, options) {
    const remover = new AbortController();
    const name = String(tool?.name);
    const signal = options?.signal;
    if (signal?.aborted) remover.abort(signal.reason);
    else signal?.addEventListener("abort", () => remover.abort(signal.reason));
    const declared = typeof tool?.execute === "function"
      ? { ...tool, name: tool.name, description: tool.description, inputSchema: tool.inputSchema, annotations: tool.annotations,
          execute: (input) => tool.execute(input, agent) }
      : tool;
    const handled = Promise.resolve(native.registerTool(declared, { ...options, signal: remover.signal }));
    // A second tool of a name is refused, and the first stays.
    if (!removers.has(name) && !remover.signal.aborted) {
      removers.set(name, remover);
      const forget = () => {
        if (removers.get(name) === remover) removers.delete(name);
      };
      remover.signal.addEventListener("abort", forget);
      handled.catch(forget);
    }
    handled.unregister = () => unregisterTool(name);
    return handled;
  }

  function unregisterTool(name) {
    removers.get(String(name))?.abort(new Error("unregistered"));
    removers.delete(String(name));
  }

  function clearContext() {
    for (const name of [...removers.keys()]) unregisterTool(name);
  }

  // The promise of a tool that is taken away is rejected; pages of earlier drafts wait for none.
  const quiet = (register) => (...given) => {
    const promise = register(...given);
    promise.catch(() => {});
    return promise;
  };

  function provideContext(context) {
    clearContext();
    for (const tool of context?.tools ?? []) quiet(registerTool)(tool);
  }

  const alias = new Proxy(native, {
    get(target, key) {
      switch (key) {
        case "registerTool": return quiet(registerTool);
        case "unregisterTool": return unregisterTool;
        case "provideContext": return provideContext;
        case "clearContext": return clearContext;
        default: {
          const value = Reflect.get(target, key, target);
          return typeof value === "function" ? value.bind(target) : value;
        }
      }
    },
    set: (target, key, value) => Reflect.set(target, key, value, target),
    has: (target, key) => key in target || ["unregisterTool", "provideContext", "clearContext"].includes(key),
  });
  Object.defineProperty(Navigator.prototype, "modelContext", { configurable: true, enumerable: true, get: () => alias });
})();
