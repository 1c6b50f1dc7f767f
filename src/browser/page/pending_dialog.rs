//! The open dialog of a page context, and the state of leaving a page that opened one.

use crate::page::observation::PageDialog;
use chromiumoxide::cdp::browser_protocol::page::HandleJavaScriptDialogParams;
use std::time::Duration;
use tokio::sync::watch;

/// Time within which a page that opens another dialog is taken to open them without end.
const REOPEN_WINDOW: Duration = Duration::from_millis(200);

/// The one unanswered dialog of a page context. Shared by its tabs.
#[derive(Debug, Default)]
pub struct PendingDialog(watch::Sender<DialogState>);

#[derive(Debug, Default)]
struct DialogState {
    open: Option<OpenDialog>,
    /// Number of the latest dialog, answered or only reported.
    serial: u64,
    /// Session of the page that is being left: further dialogs of its document are dismissed.
    leaving: Option<String>,
    /// True if that page had an open dialog when it was left.
    had_asked: bool,
    /// Number of further dialogs that pages opened while they were being left.
    further: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct OpenDialog {
    /// Target of the page, and the session that can answer: frames in other processes have sessions of their
    /// own.
    pub target: String,
    pub session: String,
    pub dialog: PageDialog,
    pub serial: u64,
    /// True if the dialog opened during a take-over: only the person in control sees and answers it.
    pub in_takeover: bool,
}

impl OpenDialog {
    /// Builds the CDP command that answers. A prompt accepted without text keeps its default text.
    pub fn answer(self, accept: bool, text: Option<String>) -> HandleJavaScriptDialogParams {
        let mut command = HandleJavaScriptDialogParams::new(accept);
        if accept && self.dialog.takes_text() {
            command.prompt_text = Some(text.unwrap_or(self.dialog.default));
        }
        command
    }
}

impl PendingDialog {
    pub fn open_dialog(&self) -> Option<OpenDialog> {
        self.0.borrow().open.clone()
    }

    /// Returns the dialog that is for the person in control.
    pub fn for_holder(&self) -> Option<OpenDialog> {
        self.open_dialog().filter(|held| held.in_takeover)
    }

    pub fn for_target(&self, target: &str) -> Option<OpenDialog> {
        self.open_dialog().filter(|held| held.target == target)
    }

    /// Marks the page of this session as being left.
    pub fn leave(&self, session: &str) {
        self.0.send_modify(|state| state.leaving = Some(session.to_owned()));
    }

    /// Marks it as being left while its dialog is open: it may open another.
    pub fn leave_unanswered(&self, session: &str) {
        self.leave(session);
        self.0.send_modify(|state| state.had_asked = true);
    }

    /// Ends leaving.
    pub fn end_leave(&self) {
        self.0.send_modify(|state| (state.leaving, state.had_asked) = (None, false));
    }

    /// Wakes `reopens_dialogs`: the page that is being left opened another dialog.
    pub fn notify_reopened(&self) {
        self.0.send_modify(|state| state.further += 1);
    }

    /// Waits until a dialog is open.
    pub async fn wait_for_any(&self) -> OpenDialog {
        self.wait_for(|_| true).await
    }

    /// Waits until this page has a dialog open.
    pub async fn wait_for_target(&self, target: &str) -> OpenDialog {
        self.wait_for(|held| held.target == target).await
    }

    async fn wait_for(&self, fits: impl Fn(&OpenDialog) -> bool) -> OpenDialog {
        let mut state = self.0.subscribe();
        let found = state.wait_for(|state| state.open.as_ref().is_some_and(&fits)).await;
        match found.ok().and_then(|state| state.open.clone()) {
            Some(open) => open,
            // Never happens: the sender lives as long as this future.
            None => std::future::pending().await,
        }
    }

    /// Forgets the dialog of this session: it was closed, by whatever means.
    pub fn forget_session(&self, session: &str) {
        self.forget(|held| held.session == session);
    }

    /// Forgets the dialog of a page that is gone, since nobody can answer it.
    pub fn forget_target(&self, target: &str) {
        self.forget(|held| held.target == target);
    }

    fn forget(&self, fits: impl Fn(&OpenDialog) -> bool) {
        self.0.send_if_modified(|state| state.open.take_if(|held| fits(held)).is_some());
    }

    /// Ends leaving, because another document has arrived: its dialogs count.
    pub fn document_arrived(&self, session: &str) {
        self.0.send_if_modified(|state| state.leaving.take_if(|leaving| leaving == session).is_some());
    }

    /// Reports whether the page that is being left opens further dialogs by itself. Nobody could answer one
    /// that opens at the moment another document arrives, and it would keep that document out.
    pub async fn reopens_dialogs(&self) -> bool {
        let (had_asked, before) = {
            let state = self.0.borrow();
            (state.had_asked, state.further)
        };
        let mut state = self.0.subscribe();
        had_asked
            && tokio::time::timeout(REOPEN_WINDOW, state.wait_for(|now| now.further > before)).await.is_ok()
    }

    pub fn is_leaving(&self, session: &str) -> bool {
        self.0.borrow().leaving.as_deref() == Some(session)
    }

    /// Assigns the next dialog number.
    pub fn next_number(&self) -> u64 {
        self.0.send_modify(|state| state.serial += 1);
        self.0.borrow().serial
    }

    /// Records that the page of this target waits with a dialog, and returns the dialog's number.
    pub fn hold(&self, target: &str, session: &str, dialog: PageDialog, in_takeover: bool) -> u64 {
        let serial = self.next_number();
        let (target, session) = (target.to_owned(), session.to_owned());
        let open = OpenDialog { target, session, dialog, serial, in_takeover };
        self.0.send_modify(|state| state.open = Some(open));
        serial
    }
}
