//! Answers that the service itself gives to dialogs, and the guard that marks a page as being left.

use crate::browser::page::context::PageContext;
use crate::browser::page::pending_dialog::OpenDialog;
use crate::page::observation;
use crate::page::text::quoted;
use crate::text::truncate;
use chromiumoxide::cdp::browser_protocol::page::HandleJavaScriptDialogParams;
use std::rc::Rc;
use std::time::Duration;

/// Time after which an unanswered dialog is dismissed.
pub(in crate::browser) const DIALOG_TIMEOUT: Duration = Duration::from_secs(600);
const LONGEST_NOTE: usize = 300;

/// Marks the page as being left until dropped, or until another document arrives.
pub struct LeavingGuard(Rc<PageContext>);

impl Drop for LeavingGuard {
    fn drop(&mut self) {
        self.0.pending_dialog().end_leave();
    }
}

/// Reports whether a dialog is accepted when nobody is asked. Questions of the page never are.
pub(in crate::browser) fn is_accepted_by_default(kind: &str) -> bool {
    matches!(kind, "alert" | observation::LEAVE)
}

impl PageContext {
    /// Dismisses the open dialog, with a note that gives the reason.
    pub fn dismiss(&self, why: &str) {
        let Some(held) = self.pending_dialog().open_dialog() else { return };
        self.notes.add(match held.in_takeover {
            true => format!("a dialog that was for the person was dismissed {why}"),
            false => {
                format!(
                    "dialog ({}), dismissed {why}: {}",
                    held.dialog.kind,
                    quote_message(&held.dialog.message)
                )
            }
        });
        self.pending_dialog().forget_session(&held.session);
        self.answer(&held.session, false);
    }

    /// Dismisses the open dialog, and every further one until the document is gone: a page that keeps asking
    /// could not be left otherwise.
    pub fn leave(self: &Rc<Self>, held: &OpenDialog) -> LeavingGuard {
        self.pending_dialog().leave_unanswered(&held.session);
        self.dismiss("because the page was left");
        LeavingGuard(Rc::clone(self))
    }

    /// Leaves the page in front without asking whether it may be left.
    pub fn leave_for_good(self: &Rc<Self>) -> Option<LeavingGuard> {
        let tab = self.current().ok()?;
        self.pending_dialog().leave(tab.session.id());
        Some(LeavingGuard(Rc::clone(self)))
    }

    pub(in crate::browser) fn answer(&self, session: &str, accept: bool) {
        self.connection.session(session.to_owned()).post(HandleJavaScriptDialogParams::new(accept));
    }
}

pub(in crate::browser) fn quote_message(message: &str) -> String {
    // In quotes that the message cannot close.
    quoted(&truncate::truncate(message, LONGEST_NOTE))
}
