//! The open dialog of a page context, and the state of leaving a page that opened one.

use crate::page::observation::PageDialog;
use chromiumoxide::cdp::browser_protocol::page::HandleJavaScriptDialogParams;
use std::cell::{Cell, RefCell};
use std::time::Duration;
use tokio::sync::{Notify, watch};

/// Time within which a page that opens another dialog is taken to open them without end.
const AGAIN: Duration = Duration::from_millis(200);

/// The one unanswered dialog of a page context. Shared by its tabs.
#[derive(Debug, Default)]
pub struct PendingDialog {
    held: watch::Sender<Option<OpenDialog>>,
    /// Number of the latest dialog, answered or only reported.
    serial: Cell<u64>,
    /// Session of the page that is being left: further dialogs of its document are dismissed.
    leaving: RefCell<Option<String>>,
    /// True if that page had an open dialog when it was left.
    had_asked: Cell<bool>,
    asked_again: Notify,
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
    pub by_hand: bool,
}

impl OpenDialog {
    /// Builds the CDP command that answers. A prompt accepted without text keeps its default text.
    pub fn answer(self, accept: bool, text: Option<String>) -> HandleJavaScriptDialogParams {
        let mut order = HandleJavaScriptDialogParams::new(accept);
        if accept && self.dialog.takes_text() {
            order.prompt_text = Some(text.unwrap_or(self.dialog.default));
        }
        order
    }
}

impl PendingDialog {
    pub fn held(&self) -> Option<OpenDialog> {
        self.held.borrow().clone()
    }

    /// Returns the dialog that is for the person in control.
    pub fn for_holder(&self) -> Option<OpenDialog> {
        self.held().filter(|held| held.by_hand)
    }

    pub fn for_target(&self, target: &str) -> Option<OpenDialog> {
        self.held().filter(|held| held.target == target)
    }

    /// Marks the page of this session as being left.
    pub fn leave(&self, session: &str) {
        self.leaving.replace(Some(session.to_owned()));
    }

    /// Marks it as being left while its dialog is open: it may open another.
    pub fn leave_unanswered(&self, session: &str) {
        self.leave(session);
        self.had_asked.set(true);
    }

    /// Ends leaving.
    pub fn stay(&self) {
        self.leaving.take();
        self.had_asked.set(false);
    }

    /// Wakes `reopens_dialogs`: the page that is being left opened another dialog.
    pub fn asks_again(&self) {
        self.asked_again.notify_waiters();
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
        let mut held = self.held.subscribe();
        let open = held.wait_for(|held| held.as_ref().is_some_and(&fits)).await;
        match open.ok().and_then(|open| open.clone()) {
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
        self.held.send_if_modified(|held| held.take_if(|held| fits(held)).is_some());
    }

    /// Ends leaving, because another document has arrived: its dialogs count.
    pub fn end_leaving(&self, session: &str) {
        self.leaving.borrow_mut().take_if(|leaving| leaving == session);
    }

    /// Reports whether the page that is being left opens further dialogs by itself. Nobody could answer one
    /// that opens at the moment another document arrives, and it would keep that document out.
    pub async fn reopens_dialogs(&self) -> bool {
        self.had_asked.get() && tokio::time::timeout(AGAIN, self.asked_again.notified()).await.is_ok()
    }

    pub fn is_leaving(&self, session: &str) -> bool {
        self.leaving.borrow().as_deref() == Some(session)
    }

    /// Assigns the next dialog number.
    pub fn next_number(&self) -> u64 {
        self.serial.set(self.serial.get() + 1);
        self.serial.get()
    }

    /// Records that the page of this target waits with a dialog, and returns the dialog's number.
    pub fn hold(&self, target: &str, session: &str, dialog: PageDialog, by_hand: bool) -> u64 {
        let serial = self.next_number();
        let (target, session) = (target.to_owned(), session.to_owned());
        self.held.send_replace(Some(OpenDialog { target, session, dialog, serial, by_hand }));
        serial
    }
}
