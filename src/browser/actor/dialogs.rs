//! JavaScript dialogs of pages. An alert is accepted at once and reported. A question (`confirm`, `prompt`,
//! or whether to leave the page and lose what was typed) stays open until the `dialog` action answers it, the
//! page is left, a take-over begins, or ten minutes pass. During a take-over the person answers it
//! (`takeover::page_holder`). Dialogs of background tabs are answered at once. A page that opens alerts without
//! end is treated as unresponsive and left.

use crate::browser::actor::Browser;
use crate::browser::cdp::message::CdpEvent;
use crate::browser::messages::RunEnded;
use crate::browser::page::context::PageContext;
use crate::browser::page::dialog_answers::DIALOG_TIMEOUT;
use crate::browser::page::pending_dialog::OpenDialog;
use crate::browser::takeover::holder_dialogs::SubscribeDialogs;
use crate::browser::takeover::opened_dialog::{DialogEffect, OpenedDialog};
use crate::page::observation::PageDialog;
use actix::{AsyncContext, Context, Handler};
use std::rc::Rc;

impl Handler<SubscribeDialogs> for Browser {
    type Result = ();

    fn handle(&mut self, subscription: SubscribeDialogs, _: &mut Context<Self>) {
        let open = self.holder_dialog();
        self.takeover.subscribe_dialogs(subscription, open);
    }
}

impl Browser {
    /// Returns the open dialog that is for the holder.
    pub(super) fn holder_dialog(&self) -> Option<OpenDialog> {
        self.shared.context.borrow().as_ref()?.pending_dialog().for_holder()
    }

    /// Sends the current dialog of the page to the holder.
    pub(super) fn send_dialog_to_holder(&mut self) {
        let open = self.holder_dialog();
        self.takeover.send_dialog(open);
    }

    /// Dismisses a dialog that was for the holder.
    pub(super) fn dismiss_holder_dialog(&self) {
        let context = self.shared.context.borrow();
        if let Some(context) = context.as_ref().filter(|_| self.holder_dialog().is_some()) {
            context.dismiss("when the page was handed back");
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
    pub(super) fn dialog_opened(
        &mut self,
        context: &Rc<PageContext>,
        event: &CdpEvent,
        ctx: &mut Context<Self>,
    ) {
        let session = event.session.as_deref().unwrap_or_default();
        let (kind, message) = (event.text("/type"), event.text("/message"));
        let in_front = context.current().ok().filter(|tab| tab.session.id() == session);
        let opened = OpenedDialog {
            kind,
            message,
            is_leaving: context.pending_dialog().is_leaving(session),
            is_in_front: in_front.is_some(),
            is_restoring: self.opening_state.restores(),
            is_other_open: context.pending_dialog().open_dialog().is_some(),
        };
        let dialog = PageDialog::new(kind, message, event.text("/defaultPrompt"));
        for effect in self.takeover.dialog_opened(&opened) {
            match effect {
                DialogEffect::AnswerLeaving { accept } => {
                    context.pending_dialog().notify_reopened();
                    context.answer(session, accept);
                }
                DialogEffect::ShowAlert => {
                    self.takeover.send_alert(context.pending_dialog().next_number(), dialog.clone());
                }
                DialogEffect::Hold { in_takeover } => {
                    let Some(tab) = &in_front else { continue };
                    let serial =
                        context.pending_dialog().hold(&tab.target, session, dialog.clone(), in_takeover);
                    self.schedule_dismissal(serial, context, ctx);
                }
                DialogEffect::Answer { accept, note } => {
                    context.notes.add(note);
                    context.answer(session, accept);
                }
            }
        }
    }

    /// Dismisses the dialog after a time limit if nobody answers it.
    fn schedule_dismissal(&self, serial: u64, context: &Rc<PageContext>, ctx: &mut Context<Self>) {
        let context = Rc::downgrade(context);
        ctx.run_later(DIALOG_TIMEOUT, move |this, _| {
            let Some(context) = context.upgrade() else { return };
            if context.pending_dialog().open_dialog().is_some_and(|held| held.serial == serial) {
                context.dismiss("because nobody answered it");
                this.send_dialog_to_holder();
            }
        });
    }
}
