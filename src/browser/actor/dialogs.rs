//! JavaScript dialogs of pages. An alert is accepted at once and reported. A question (`confirm`, `prompt`,
//! or whether to leave the page and lose what was typed) stays open until the `dialog` action answers it, the
//! page is left, a take-over begins, or ten minutes pass. During a take-over the person answers it
//! (`takeover::holder_dialogs`). Dialogs of background tabs are answered at once. A page that opens alerts without end
//! is treated as unresponsive and left.

use crate::browser::actor::Browser;
use crate::browser::cdp::message::CdpEvent;
use crate::browser::messages::RunEnded;
use crate::browser::page::context::PageContext;
use crate::browser::page::dialog_answers::{PATIENCE, is_accepted_by_default, quote_message};
use crate::browser::takeover::holder_dialogs::{DialogSubscriber, SubscribeDialogs};
use crate::page::observation;
use crate::page::observation::PageDialog;
use actix::{AsyncContext, Context, Handler};
use std::rc::Rc;

impl Handler<SubscribeDialogs> for Browser {
    type Result = ();

    fn handle(&mut self, SubscribeDialogs { holder, run, to }: SubscribeDialogs, _: &mut Context<Self>) {
        if self.takeover.holder() == Some(&holder) {
            self.takeover.dialog_subscriber =
                Some(DialogSubscriber { run, to, sent_dialog: None, alert: None });
            self.send_dialog_to_holder();
        }
    }
}

impl Browser {
    /// Sends the current dialog of the page to the holder.
    pub(crate) fn send_dialog_to_holder(&mut self) {
        let held =
            self.shared.context.borrow().as_ref().and_then(|context| context.pending_dialog.for_holder());
        if let Some(dialog_subscriber) = &mut self.takeover.dialog_subscriber {
            dialog_subscriber.send_dialog(held);
        }
    }

    /// Sends an alert of the page to the holder.
    pub(crate) fn send_alert_to_holder(&mut self, number: u64, dialog: PageDialog) {
        if let Some(dialog_subscriber) = &mut self.takeover.dialog_subscriber {
            dialog_subscriber.send_alert(number, dialog);
        }
    }

    /// Dismisses the alert of this number and reports whether it was shown.
    pub(crate) fn dismiss_alert(&mut self, number: Option<u64>) -> bool {
        self.takeover
            .dialog_subscriber
            .as_mut()
            .is_some_and(|dialog_subscriber| dialog_subscriber.dismiss_alert(number))
    }

    /// Tells the holder once more that this dialog has closed, in case they missed it.
    pub(crate) fn send_dialog_closed(&self, number: u64) {
        if let Some(dialog_subscriber) = &self.takeover.dialog_subscriber {
            dialog_subscriber.send(number, None);
        }
    }

    /// Ends the subscription when the page is handed back. A dialog that is still open is dismissed.
    pub(crate) fn end_dialog_subscription(&mut self) {
        let context = self.shared.context.borrow().clone();
        if let Some(context) = context.filter(|context| context.pending_dialog.for_holder().is_some()) {
            context.dismiss("when the page was handed back");
        }
        self.send_dialog_to_holder();
        self.end_holder_view();
        if let Some(mut dialog_subscriber) = self.takeover.dialog_subscriber.take() {
            dialog_subscriber.dismiss_alert(None);
        }
    }
}

impl Handler<RunEnded> for Browser {
    type Result = ();

    fn handle(&mut self, _: RunEnded, _: &mut Context<Self>) {
        if let Some(context) = self.shared.context.borrow().as_ref() {
            context.dismiss("when the run ended");
        }
    }
}

impl Browser {
    /// Handles a dialog that a page opened. The page may still be in setup and so not be among the tabs.
    pub(crate) fn dialog_opened(
        &mut self,
        context: &Rc<PageContext>,
        event: &CdpEvent,
        ctx: &mut Context<Self>,
    ) {
        let session = event.session.as_deref().unwrap_or_default();
        let (kind, message) = (event.text("/type"), event.text("/message"));
        if context.pending_dialog.is_leaving(session) {
            context.pending_dialog.asks_again();
            return context.answer(session, is_accepted_by_default(kind));
        }
        let in_front = context.current().ok().filter(|tab| tab.session.id() == session);
        let by_hand = self.takeover.is_active();
        // A page that opens a dialog while it is being restored would otherwise never load.
        let theirs = by_hand && !self.opening_state.restores();
        let stays = kind != "alert" && (theirs || self.takeover.check_free().is_ok());
        let dialog = PageDialog::new(kind, message, event.text("/defaultPrompt"));
        if theirs && kind == "alert" && in_front.is_some() {
            self.send_alert_to_holder(context.pending_dialog.next_number(), dialog.clone());
        }
        if let Some(tab) = in_front.filter(|_| stays && context.pending_dialog.held().is_none()) {
            let serial = context.pending_dialog.hold(&tab.target, session, dialog, by_hand);
            return self.schedule_dismissal(serial, context, ctx);
        }
        let accept = is_accepted_by_default(kind);
        let answered = if accept { "accepted" } else { "dismissed" };
        context.note(match kind {
            observation::LEAVE => format!("dialog ({kind}), {answered}: \"the page was left all the same\""),
            // The text of a person's dialog is not reported to anyone else.
            kind if by_hand && kind != "alert" => {
                format!("dialog ({kind}), {answered}: it was for the person")
            }
            kind => format!("dialog ({kind}), {answered}: {}", quote_message(message)),
        });
        context.answer(session, accept);
    }

    /// Dismisses the dialog after a time limit if nobody answers it.
    fn schedule_dismissal(&self, serial: u64, context: &Rc<PageContext>, ctx: &mut Context<Self>) {
        let context = Rc::downgrade(context);
        ctx.run_later(PATIENCE, move |this, _| {
            let Some(context) = context.upgrade() else { return };
            if context.pending_dialog.held().is_some_and(|held| held.serial == serial) {
                context.dismiss("because nobody answered it");
                this.send_dialog_to_holder();
            }
        });
    }
}
