// Address and file chooser of the held page: sent to this window alone, and forgotten when the connection
// closes.

export const noHeld = Object.freeze({ runId: null, url: '', chooser: null });

/** `change` is a frame `page_address` or `file_chooser`, or an `input` of this window. */
export function reduceHeld(held, change) {
  switch (change.type) {
    case 'page_address':
      return { ...of(held, change.run_id), url: change.url };
    case 'file_chooser': {
      const before = of(held, change.run_id);
      if (change.open) return { ...before, chooser: { number: change.number, multiple: change.multiple } };
      return before.chooser?.number === change.number ? { ...before, chooser: null } : before;
    }
    case 'input':
      return change.kind === 'files' && change.number === held.chooser?.number ? { ...held, chooser: null } : held;
    default:
      return held;
  }
}

const of = (held, runId) => (held.runId === runId ? held : { ...noHeld, runId });

export const heldOf = (held = noHeld, current = null) => (held.runId === current ? held : noHeld);
