//! JavaScript dialogs of pages. An alert is accepted at once and reported. A question (`confirm`, `prompt`,
//! or whether to leave the page and lose what was typed) stays open until the `dialog` action answers it, the
//! page is left, a take-over begins, or ten minutes pass. During a take-over the person answers it
//! (`takeover_dialogs`). Dialogs of background tabs are answered at once. A page that opens alerts without end
//! is treated as unresponsive and left.

use super::Browser;
use super::cdp_message::CdpEvent;
use super::pending_dialog::OpenDialog;
use super::window::PageContext;
use crate::page::dialog::{self, Dialog};
use crate::page::text::quoted;
use crate::turn::redact;
use actix::{AsyncContext, Context, Handler, Message};
use chromiumoxide::cdp::browser_protocol::page::HandleJavaScriptDialogParams;
use std::rc::Rc;
use std::time::Duration;

/// Time after which an unanswered dialog is dismissed.
const PATIENCE: Duration = Duration::from_secs(600);
const LONGEST_NOTE: usize = 300;

/// Marks the page as being left until dropped, or until another document arrives.
pub struct LeavingGuard(Rc<PageContext>);

impl Drop for LeavingGuard {
    fn drop(&mut self) {
        self.0.asking.stay();
    }
}

/// Tells the browser that the run has ended, so that nobody will answer its page's dialogs.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct RunEnded;

impl Handler<RunEnded> for Browser {
    type Result = ();

    fn handle(&mut self, _: RunEnded, _: &mut Context<Self>) {
        if let Some(window) = self.here.window.borrow().as_ref() {
            window.dismiss("when the run ended");
        }
    }
}

/// Reports whether a dialog is accepted when nobody is asked. Questions of the page never are.
fn is_accepted_by_default(kind: &str) -> bool {
    matches!(kind, "alert" | dialog::LEAVE)
}

impl PageContext {
    /// Dismisses the open dialog, with a note that gives the reason.
    pub fn dismiss(&self, why: &str) {
        let Some(held) = self.asking.held() else { return };
        self.note(match held.by_hand {
            true => format!("a dialog that was for the person was dismissed {why}"),
            false => {
                format!("dialog ({}), dismissed {why}: {}", held.dialog.kind, shown(&held.dialog.message))
            }
        });
        self.asking.forget_session(&held.session);
        self.answer(&held.session, false);
    }

    /// Dismisses the open dialog, and every further one until the document is gone: a page that keeps asking
    /// could not be left otherwise.
    pub fn leave(self: &Rc<Self>, held: &OpenDialog) -> LeavingGuard {
        self.asking.leave_unanswered(&held.session);
        self.dismiss("because the page was left");
        LeavingGuard(Rc::clone(self))
    }

    /// Leaves the page in front without asking whether it may be left.
    pub fn leave_for_good(self: &Rc<Self>) -> Option<LeavingGuard> {
        let tab = self.current().ok()?;
        self.asking.leave(tab.session.id());
        Some(LeavingGuard(Rc::clone(self)))
    }

    fn answer(&self, session: &str, accept: bool) {
        self.link.session(session.to_owned()).post(HandleJavaScriptDialogParams::new(accept));
    }
}

impl Browser {
    /// Handles a dialog that a page opened. The page may still be in setup and so not be among the tabs.
    pub(super) fn dialog_opened(
        &mut self,
        window: &Rc<PageContext>,
        event: &CdpEvent,
        ctx: &mut Context<Self>,
    ) {
        let session = event.session.as_deref().unwrap_or_default();
        let (kind, message) = (event.text("/type"), event.text("/message"));
        if window.asking.is_leaving(session) {
            window.asking.asks_again();
            return window.answer(session, is_accepted_by_default(kind));
        }
        let in_front = window.current().ok().filter(|tab| tab.session.id() == session);
        let by_hand = self.holding.is_active();
        // A page that opens a dialog while it is being restored would otherwise never load.
        let theirs = by_hand && !self.standing.restores();
        let stays = kind != "alert" && (theirs || self.holding.check_free().is_ok());
        let dialog = Dialog::new(kind, message, event.text("/defaultPrompt"));
        if theirs && kind == "alert" && in_front.is_some() {
            self.confide_alert(window.asking.next_number(), dialog.clone());
        }
        if let Some(tab) = in_front.filter(|_| stays && window.asking.held().is_none()) {
            let serial = window.asking.hold(&tab.target, session, dialog, by_hand);
            return self.schedule_dismissal(serial, window, ctx);
        }
        let accept = is_accepted_by_default(kind);
        let answered = if accept { "accepted" } else { "dismissed" };
        window.note(match kind {
            dialog::LEAVE => format!("dialog ({kind}), {answered}: \"the page was left all the same\""),
            // The text of a person's dialog is not reported to anyone else.
            kind if by_hand && kind != "alert" => {
                format!("dialog ({kind}), {answered}: it was for the person")
            }
            kind => format!("dialog ({kind}), {answered}: {}", shown(message)),
        });
        window.answer(session, accept);
    }

    /// Dismisses the dialog after a time limit if nobody answers it.
    fn schedule_dismissal(&self, serial: u64, window: &Rc<PageContext>, ctx: &mut Context<Self>) {
        let window = Rc::downgrade(window);
        ctx.run_later(PATIENCE, move |this, _| {
            let Some(window) = window.upgrade() else { return };
            if window.asking.held().is_some_and(|held| held.serial == serial) {
                window.dismiss("because nobody answered it");
                this.send_dialog_to_holder();
            }
        });
    }
}

fn shown(message: &str) -> String {
    // In quotes that the message cannot close.
    quoted(&redact::truncate(message, LONGEST_NOTE))
}
