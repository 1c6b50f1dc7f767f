//! Dialogs during a take-over. They do not appear in the screencast, so they are sent to the person in
//! control, who alone sees and answers them; the run does not receive their texts. An alert expects no
//! answer: the page goes on at once, the run receives its text without known secrets, and the person sees it
//! until they dismiss it.

use crate::browser::page::pending_dialog::OpenDialog;
use crate::ids::{RunId, SessionId};
use crate::page::observation::PageDialog;
use actix::{Message, Recipient};

/// Subscribes the holder of a take-over to the page's dialogs. Ignored from anyone else.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct SubscribeDialogs {
    pub holder: SessionId,
    /// Run id that the subscriber uses for the held browser.
    pub run: RunId,
    pub to: Recipient<DialogChanged>,
}

/// Dialog that the page waits with; `dialog` is `None` once it has closed.
#[derive(Clone, Debug, PartialEq, Message)]
#[rtype(result = "()")]
pub struct DialogChanged {
    pub run: RunId,
    /// Dialog number within the page context.
    pub number: u64,
    pub dialog: Option<PageDialog>,
}

/// The subscriber to dialogs, and the last dialog sent to it.
#[derive(Debug)]
pub struct DialogSubscriber {
    run: RunId,
    to: Recipient<DialogChanged>,
    sent_dialog: Option<u64>,
    /// Number of an alert that is shown and not dismissed.
    alert: Option<u64>,
}

impl DialogSubscriber {
    pub(in crate::browser) fn new(run: RunId, to: Recipient<DialogChanged>) -> Self {
        Self { run, to, sent_dialog: None, alert: None }
    }

    pub(in crate::browser) fn send_dialog(&mut self, held: Option<OpenDialog>) {
        let open = held.as_ref().map(|held| held.serial);
        if open == self.sent_dialog {
            return;
        }
        if open.is_some() {
            // The dialog replaces the alert.
            self.alert = None;
        }
        let number = open.or(self.sent_dialog).unwrap_or_default();
        self.sent_dialog = open;
        self.send(number, held.map(|held| held.dialog));
    }

    /// Shows an alert unless a dialog or an alert is shown, so that a page cannot flood the person with
    /// alerts.
    pub(in crate::browser) fn send_alert(&mut self, number: u64, dialog: PageDialog) {
        if self.sent_dialog.is_none() && self.alert.is_none() {
            self.alert = Some(number);
            self.send(number, Some(dialog));
        }
    }

    /// Dismisses the shown alert and reports whether it had this number; `None` matches any.
    pub(in crate::browser) fn dismiss_alert(&mut self, number: Option<u64>) -> bool {
        let shown = self.alert.take_if(|alert| number.is_none_or(|number| number == *alert));
        if let Some(alert) = shown {
            self.send(alert, None);
        }
        shown.is_some()
    }

    /// Tells the holder once more that this dialog has closed, in case they missed it.
    pub(in crate::browser) fn send_closed(&self, number: u64) {
        self.send(number, None);
    }

    fn send(&self, number: u64, dialog: Option<PageDialog>) {
        self.to.do_send(DialogChanged { run: self.run.clone(), number, dialog });
    }
}
