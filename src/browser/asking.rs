//! What a page of a window asks and waits for, and whether a page that asks is being left.

use crate::page::dialog::Dialog;
use chromiumoxide::cdp::browser_protocol::page::HandleJavaScriptDialogParams;
use std::cell::{Cell, RefCell};
use std::time::Duration;
use tokio::sync::Notify;

/// A page that asks again within that time would do so for ever.
const AGAIN: Duration = Duration::from_millis(200);

/// The one dialog of a window that waits for an answer. Shared by its tabs.
#[derive(Debug, Default)]
pub struct Asking {
    held: RefCell<Option<Held>>,
    changed: Notify,
    /// So many have been held or told.
    serial: Cell<u64>,
    /// The session of the page that is being left: what its document still asks is answered with no.
    leaving: RefCell<Option<String>>,
    /// That page had asked something when it was left.
    had_asked: Cell<bool>,
    asked_again: Notify,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// The page that it belongs to, and where it is answered: frames of other processes have sessions
    /// of their own.
    pub target: String,
    pub session: String,
    pub dialog: Dialog,
    pub serial: u64,
    /// It came while a person had the page: they are asked, and nobody else hears of it.
    pub by_hand: bool,
}

impl Held {
    /// A prompt that is accepted without words gets those that stand in it.
    pub fn answer(self, accept: bool, text: Option<String>) -> HandleJavaScriptDialogParams {
        let mut order = HandleJavaScriptDialogParams::new(accept);
        if accept && self.dialog.takes_text() {
            order.prompt_text = Some(text.unwrap_or(self.dialog.default));
        }
        order
    }
}

impl Asking {
    pub fn held(&self) -> Option<Held> {
        self.held.borrow().clone()
    }

    /// The one that is for the person who has the page.
    pub fn by_hand(&self) -> Option<Held> {
        self.held().filter(|held| held.by_hand)
    }

    pub fn of(&self, target: &str) -> Option<Held> {
        self.held().filter(|held| held.target == target)
    }

    /// From now on the page of this session is being left.
    pub fn leave(&self, session: &str) {
        self.leaving.replace(Some(session.to_owned()));
    }

    /// It had asked something, and may ask again.
    pub fn leave_unanswered(&self, session: &str) {
        self.leave(session);
        self.had_asked.set(true);
    }

    /// It is not being left any more.
    pub fn stay(&self) {
        self.leaving.take();
        self.had_asked.set(false);
    }

    /// Being left, it asked again.
    pub fn asks_again(&self) {
        self.asked_again.notify_waiters();
    }

    /// Waits until one is open.
    pub async fn opens(&self) -> Held {
        self.comes(|_| true).await
    }

    /// Waits until one of this page is open.
    pub async fn opens_in(&self, target: &str) -> Held {
        self.comes(|held| held.target == target).await
    }

    async fn comes(&self, fits: impl Fn(&Held) -> bool) -> Held {
        loop {
            let change = self.changed.notified();
            if let Some(held) = self.held().filter(&fits) {
                return held;
            }
            change.await;
        }
    }

    /// It is closed, however that came.
    pub fn over(&self, session: &str) {
        self.held.borrow_mut().take_if(|held| held.session == session);
    }

    /// Its page is gone, and nobody can answer it.
    pub fn gone(&self, target: &str) {
        self.held.borrow_mut().take_if(|held| held.target == target);
    }

    /// Another document has come to the page: it may ask.
    pub fn left(&self, session: &str) {
        self.leaving.borrow_mut().take_if(|leaving| leaving == session);
    }

    /// The page that is being left asks again by itself. At the moment at which another document comes
    /// nobody could answer it, and its question would keep that document out.
    pub async fn insists(&self) -> bool {
        self.had_asked.get() && tokio::time::timeout(AGAIN, self.asked_again.notified()).await.is_ok()
    }

    pub fn is_leaving(&self, session: &str) -> bool {
        self.leaving.borrow().as_deref() == Some(session)
    }

    /// Of the next of all that it asked or told.
    pub fn number(&self) -> u64 {
        self.serial.set(self.serial.get() + 1);
        self.serial.get()
    }

    /// The page of this target waits with it. Its number.
    pub fn hold(&self, target: &str, session: &str, dialog: Dialog, by_hand: bool) -> u64 {
        let serial = self.number();
        let (target, session) = (target.to_owned(), session.to_owned());
        self.held.replace(Some(Held { target, session, dialog, serial, by_hand }));
        self.changed.notify_waiters();
        serial
    }
}
