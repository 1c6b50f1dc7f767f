//! Dialogs during a take-over. They do not appear in the screencast, so they are sent to the person in
//! control, who alone sees and answers them; the run does not receive their texts. An alert expects no
//! answer: the page goes on at once, the run receives its text without known secrets, and the person sees it
//! until they dismiss it.

use super::Browser;
use super::pending_dialog::OpenDialog;
use crate::ids::{RunId, SessionId};
use crate::page::dialog::Dialog;
use actix::{Context, Handler, Message, Recipient};

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
    pub dialog: Option<Dialog>,
}

/// The subscriber to dialogs, and the last dialog sent to it.
#[derive(Debug)]
pub struct DialogSubscriber {
    run: RunId,
    to: Recipient<DialogChanged>,
    told: Option<u64>,
    /// Number of an alert that is shown and not dismissed.
    alert: Option<u64>,
}

impl DialogSubscriber {
    fn send_dialog(&mut self, held: Option<OpenDialog>) {
        let open = held.as_ref().map(|held| held.serial);
        if open == self.told {
            return;
        }
        if open.is_some() {
            // The dialog replaces the alert.
            self.alert = None;
        }
        let number = open.or(self.told).unwrap_or_default();
        self.told = open;
        self.send(number, held.map(|held| held.dialog));
    }

    /// Shows an alert unless a dialog or an alert is shown, so that a page cannot flood the person with
    /// alerts.
    fn send_alert(&mut self, number: u64, dialog: Dialog) {
        if self.told.is_none() && self.alert.is_none() {
            self.alert = Some(number);
            self.send(number, Some(dialog));
        }
    }

    /// Dismisses the shown alert and reports whether it had this number; `None` matches any.
    fn put_away(&mut self, number: Option<u64>) -> bool {
        let shown = self.alert.take_if(|alert| number.is_none_or(|number| number == *alert));
        if let Some(alert) = shown {
            self.send(alert, None);
        }
        shown.is_some()
    }

    fn send(&self, number: u64, dialog: Option<Dialog>) {
        self.to.do_send(DialogChanged { run: self.run.clone(), number, dialog });
    }
}

impl Handler<SubscribeDialogs> for Browser {
    type Result = ();

    fn handle(&mut self, SubscribeDialogs { holder, run, to }: SubscribeDialogs, _: &mut Context<Self>) {
        if self.holding.holder() == Some(&holder) {
            self.holding.confidant = Some(DialogSubscriber { run, to, told: None, alert: None });
            self.send_dialog_to_holder();
        }
    }
}

impl Browser {
    /// Sends the current dialog of the page to the holder.
    pub(super) fn send_dialog_to_holder(&mut self) {
        let held = self.here.window.borrow().as_ref().and_then(|window| window.asking.for_holder());
        if let Some(confidant) = &mut self.holding.confidant {
            confidant.send_dialog(held);
        }
    }

    /// Sends an alert of the page to the holder.
    pub(super) fn confide_alert(&mut self, number: u64, dialog: Dialog) {
        if let Some(confidant) = &mut self.holding.confidant {
            confidant.send_alert(number, dialog);
        }
    }

    /// Dismisses the alert of this number and reports whether it was shown.
    pub(super) fn put_away(&mut self, number: Option<u64>) -> bool {
        self.holding.confidant.as_mut().is_some_and(|confidant| confidant.put_away(number))
    }

    /// Tells the holder once more that this dialog has closed, in case they missed it.
    pub(super) fn send_dialog_closed(&self, number: u64) {
        if let Some(confidant) = &self.holding.confidant {
            confidant.send(number, None);
        }
    }

    /// Ends the subscription when the page is handed back. A dialog that is still open is dismissed.
    pub(super) fn end_dialog_subscription(&mut self) {
        let window = self.here.window.borrow().clone();
        if let Some(window) = window.filter(|window| window.asking.for_holder().is_some()) {
            window.dismiss("when the page was handed back");
        }
        self.send_dialog_to_holder();
        self.end_holder_view();
        if let Some(mut confidant) = self.holding.confidant.take() {
            confidant.put_away(None);
        }
    }
}
