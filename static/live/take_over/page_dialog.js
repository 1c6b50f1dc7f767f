// Dialog of the held page. Pictures do not show it, so it is sent separately, to this window alone.
//
//   null -> open -> sent -> null     sent: answered here, not confirmed yet

export const noDialog = null;

/**
 * Milliseconds for which a dialog must have been visible before an answer counts. An earlier press was meant
 * for the page, such as the second of a double click.
 */
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

/** Returns the open dialog of this run. */
export const dialogOf = (dialog, current) => (dialog !== noDialog && dialog.runId === current ? dialog : null);

const ASKS = { title: 'dialog.asks', yes: 'dialog.ok', no: 'dialog.cancel' };
const WORDS = {
  alert: { title: 'dialog.says', yes: 'dialog.ok', no: null },
  confirm: ASKS,
  prompt: ASKS,
  beforeunload: { title: 'dialog.leaving', yes: 'dialog.leave', no: 'dialog.stay' },
};

/** Returns the message keys of the card. Browsers explain the dialog on leaving a page themselves. */
export const dialogWords = ({ kind }) => WORDS[kind] ?? ASKS;

export const dialogMessage = (dialog, t) => (dialog.kind === 'beforeunload' ? t('dialog.unsaved') : dialog.message);

/** Returns the input that answers the dialog. */
export function dialogAnswer({ kind, number }, accept, text) {
  return { kind: 'dialog', number, accept, ...(accept && kind === 'prompt' ? { text } : {}) };
}
