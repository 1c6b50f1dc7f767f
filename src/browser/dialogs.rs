//! Dialogs of pages. There is nothing to decide about an alert: it is answered at once and told of. What a
//! page asks (`confirm`, `prompt`, whether to leave it and lose what was typed) stays open until the action
//! `dialog` answers it, the page is left, a person takes it, or nobody did for too long. In a
//! person's hands it is theirs to answer (`confided`); one in the background may be left. A page that alerts without
//! end counts as one that never pauses: it is left.

use super::Browser;
use super::asking::Held;
use super::window::Window;
use super::wire::Event;
use crate::page::dialog::{self, Dialog};
use crate::page::text::quoted;
use crate::turn::blot;
use actix::{AsyncContext, Context, Handler, Message};
use chromiumoxide::cdp::browser_protocol::page::HandleJavaScriptDialogParams;
use std::rc::Rc;
use std::time::Duration;

/// An unanswered dialog is dismissed after that.
const PATIENCE: Duration = Duration::from_secs(600);
const LONGEST_NOTE: usize = 300;

/// While it lives the page is being left, unless another document has come before that.
pub struct Leaving(Rc<Window>);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.asking.stay();
    }
}

/// The run has come to its end: nobody will answer what its page asks.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct AtRest;

impl Handler<AtRest> for Browser {
    type Result = ();

    fn handle(&mut self, _: AtRest, _: &mut Context<Self>) {
        if let Some(window) = self.here.window.borrow().as_ref() {
            window.dismiss("when the run ended");
        }
    }
}

/// What is answered with yes where nobody is asked; a question of the page never is.
fn is_yes(kind: &str) -> bool {
    matches!(kind, "alert" | dialog::LEAVE)
}

impl Window {
    /// Answers what is open with no.
    pub fn dismiss(&self, why: &str) {
        let Some(held) = self.asking.held() else { return };
        self.note(match held.by_hand {
            true => format!("a dialog that was for the person was dismissed {why}"),
            false => {
                format!("dialog ({}), dismissed {why}: {}", held.dialog.kind, shown(&held.dialog.message))
            }
        });
        self.asking.over(&held.session);
        self.answer(&held.session, false);
    }

    /// Answers with no what is open, and what its document asks until it is gone: a page that asks for
    /// ever could not be left otherwise.
    pub fn leave(self: &Rc<Self>, held: &Held) -> Leaving {
        self.asking.leave_unanswered(&held.session);
        self.dismiss("because the page was left");
        Leaving(Rc::clone(self))
    }

    /// The page in front is left for good: whether it may is not asked.
    pub fn leave_for_good(self: &Rc<Self>) -> Option<Leaving> {
        let tab = self.current().ok()?;
        self.asking.leave(tab.session.id());
        Some(Leaving(Rc::clone(self)))
    }

    fn answer(&self, session: &str, accept: bool) {
        self.link.session(session.to_owned()).post(HandleJavaScriptDialogParams::new(accept));
    }
}

impl Browser {
    /// A page has opened a dialog; it may be still being set up, and so not among the tabs.
    pub(super) fn dialog_opened(&mut self, window: &Rc<Window>, event: &Event, ctx: &mut Context<Self>) {
        let session = event.session.as_deref().unwrap_or_default();
        let (kind, message) = (event.text("/type"), event.text("/message"));
        if window.asking.is_leaving(session) {
            window.asking.asks_again();
            return window.answer(session, is_yes(kind));
        }
        let in_front = window.current().ok().filter(|tab| tab.session.id() == session);
        let by_hand = self.holding.is_had();
        // One that asks while it is opened again for them would not come.
        let theirs = by_hand && !self.standing.restores();
        let stays = kind != "alert" && (theirs || self.holding.check_free().is_ok());
        let dialog = Dialog::new(kind, message, event.text("/defaultPrompt"));
        if theirs && kind == "alert" && in_front.is_some() {
            self.confide_alert(window.asking.number(), dialog.clone());
        }
        if let Some(tab) = in_front.filter(|_| stays && window.asking.held().is_none()) {
            let serial = window.asking.hold(&tab.target, session, dialog, by_hand);
            return self.gives_up_on(serial, window, ctx);
        }
        let accept = is_yes(kind);
        let answered = if accept { "accepted" } else { "dismissed" };
        window.note(match kind {
            dialog::LEAVE => format!("dialog ({kind}), {answered}: \"the page was left all the same\""),
            // What it asks of a person is told to nobody else.
            kind if by_hand && kind != "alert" => {
                format!("dialog ({kind}), {answered}: it was for the person")
            }
            kind => format!("dialog ({kind}), {answered}: {}", shown(message)),
        });
        window.answer(session, accept);
    }

    /// Nobody may answer it for ever.
    fn gives_up_on(&self, serial: u64, window: &Rc<Window>, ctx: &mut Context<Self>) {
        let window = Rc::downgrade(window);
        ctx.run_later(PATIENCE, move |this, _| {
            let Some(window) = window.upgrade() else { return };
            if window.asking.held().is_some_and(|held| held.serial == serial) {
                window.dismiss("because nobody answered it");
                this.confide();
            }
        });
    }
}

fn shown(message: &str) -> String {
    // In quotes that it cannot end.
    quoted(&blot::cut(message, LONGEST_NOTE))
}
