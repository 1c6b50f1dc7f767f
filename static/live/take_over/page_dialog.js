// What the page asks that is in this window's hands: it stands in no picture, so it
// is told apart from them, to this window alone.
//
//   null -> open -> sent -> null     sent: answered here, and not heard of again yet

export const noDialog = null;

/** How long a dialog must have been seen before an answer counts: what is pressed sooner
 *  was meant for the page, as the second click of a double one. */
export const SEEN_MS = 400;

/** `change` is a frame `page_dialog`, or an `input` of this window. */
export function reduceDialog(dialog, change) {
  if (change.type === 'page_dialog') return change.dialog ? opened(change) : dialog?.number === change.number ? noDialog : dialog;
  const answers = change.kind === 'dialog' && change.number === dialog?.number;
  return answers ? { ...dialog, state: 'sent' } : dialog;
}

function opened({ run_id: runId, number, dialog }) {
  return { runId, number, kind: dialog.kind, message: dialog.message ?? '', text: dialog.default_text ?? '', state: 'open' };
}

/** The one that is shown beside the page of this run. */
export const dialogOf = (dialog, current) => (dialog !== noDialog && dialog.runId === current ? dialog : null);

const ASKS = { title: 'dialog.asks', yes: 'dialog.ok', no: 'dialog.cancel' };
const WORDS = {
  alert: { title: 'dialog.says', yes: 'dialog.ok', no: null },
  confirm: ASKS,
  prompt: ASKS,
  beforeunload: { title: 'dialog.leaving', yes: 'dialog.leave', no: 'dialog.stay' },
};

/** Keys of what stands on the card. Of a page that is left browsers say why themselves. */
export const dialogWords = ({ kind }) => WORDS[kind] ?? ASKS;

export const dialogMessage = (dialog, t) => (dialog.kind === 'beforeunload' ? t('dialog.unsaved') : dialog.message);

/** The input that answers it. */
export function dialogAnswer({ kind, number }, accept, text) {
  return { kind: 'dialog', number, accept, ...(accept && kind === 'prompt' ? { text } : {}) };
}
