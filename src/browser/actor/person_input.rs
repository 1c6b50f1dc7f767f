//! Input and view of the person who holds the page.

use crate::browser::actor::Browser;
use crate::browser::cancel_on_drop::CancelOnDrop;
use crate::browser::cdp::connection::Session;
use crate::browser::cdp::message::{CdpEvent, REPLY_TIMEOUT, RawCommand};
use crate::browser::error::{ErrorCode, PageError};
use crate::browser::input::navigate::{parse_url, travel_history};
use crate::browser::input::upload;
use crate::browser::page::context::PageContext;
use crate::browser::takeover::holder_view::SubscribeHolderView;
use crate::browser::takeover::input_state::HolderInput;
use crate::browser::takeover::page_holder::InputEffect;
use crate::protocol::client::PersonInput;
use actix::{Context, Handler};
use futures_util::future::try_join_all;
use serde_json::{Value, json};
use std::rc::Rc;

impl Handler<SubscribeHolderView> for Browser {
    type Result = ();

    fn handle(&mut self, subscription: SubscribeHolderView, ctx: &mut Context<Self>) {
        let is_holder = self.takeover.subscribe_view(subscription, &self.shown.0);
        let context = self.shared.context.borrow().clone();
        if let Some(context) = context.filter(|_| is_holder) {
            self.refresh(&context, ctx);
        }
    }
}

impl Browser {
    /// Handles a file chooser: sent to the holder if there is one, otherwise noted for the run.
    pub(super) fn handle_chooser(&mut self, context: &PageContext, event: &CdpEvent) {
        let node = event.params.get("backendNodeId").and_then(Value::as_i64);
        let session = event.session.as_deref().unwrap_or_default();
        let multiple = event.text("/mode") == "selectMultiple";
        if !self.takeover.open_chooser(session, node, multiple) {
            context.notes.add(String::from(CHOOSER));
        }
    }

    /// Navigates to an address that the holder entered. The holder is not bound by the run's restrictions,
    /// but by the URL policy.
    fn navigate_for_holder(&self, url: &str) -> CancelOnDrop<Result<(), PageError>> {
        let checked = self.held_context().and_then(|context| {
            let (tab, url) = (context.current()?, parse_url(url)?);
            match tab.policy.fault(url.as_str()) {
                Some(fault) => Err(fault),
                None => Ok((context, tab, url)),
            }
        });
        let (context, tab, url) = match checked {
            Ok(checked) => checked,
            Err(fault) => {
                self.takeover.reset_address();
                return CancelOnDrop::now(Err(fault));
            }
        };
        let command =
            RawCommand::new("Page.navigate", json!({"url": url.as_str(), "transitionType": "typed"}));
        let sent = tab.session.send(command, REPLY_TIMEOUT);
        CancelOnDrop::by(async move {
            tokio::select! {
                biased;
                // The holder sees the result on the page.
                _ = sent => Ok(()),
                _ = context.pending_dialog().wait_for_any() => Ok(()),
            }
        })
    }

    /// Goes one step back in the tab's history.
    fn go_back_for_holder(&self) -> CancelOnDrop<Result<(), PageError>> {
        match self.held_context().and_then(|context| Ok((context.current()?, context))) {
            Ok((tab, context)) => CancelOnDrop::by(async move {
                tokio::select! {
                    biased;
                    went = travel_history(&tab, -1) => went,
                    _ = context.pending_dialog().wait_for_any() => Ok(()),
                }
            }),
            Err(fault) => CancelOnDrop::now(Err(fault)),
        }
    }

    /// Sets files of the run in the field of this chooser; without files, only closes the chooser.
    fn set_files_for_holder(&mut self, number: u64, names: &[String]) -> CancelOnDrop<Result<(), PageError>> {
        let chooser = self.takeover.close_chooser(number);
        let Some(chooser) = chooser.filter(|_| !names.is_empty()) else { return CancelOnDrop::now(Ok(())) };
        let given = self.held_context().and_then(|context| {
            upload::check_file_count(chooser.multiple, names)?;
            let paths = names.iter().map(|name| upload::path(&context, name));
            let files = paths.collect::<Result<Vec<_>, _>>()?;
            let params = json!({"files": files, "backendNodeId": chooser.node});
            let session = context.connection.session(chooser.session.clone());
            Ok(session.send(RawCommand::new("DOM.setFileInputFiles", params), REPLY_TIMEOUT))
        });
        match given {
            Ok(given) => CancelOnDrop::by(async move {
                given.await.map(|_| ()).map_err(|_| {
                    PageError::new(
                        ErrorCode::NoFileField,
                        "the field that asked for files is gone; press it again",
                    )
                })
            }),
            Err(fault) => CancelOnDrop::now(Err(fault)),
        }
    }

    fn held_context(&self) -> Result<Rc<PageContext>, PageError> {
        let context = self.shared.context.borrow().clone().ok_or_else(PageError::crashed)?;
        match context.pending_dialog().open_dialog() {
            // The page accepts no other input before the answer.
            Some(held) => Err(PageError::dialog_open(&held.dialog)),
            None => Ok(context),
        }
    }
}

const CHOOSER: &str = "the page asks for a file: use upload with the element that was clicked and a file of this run, or \
    need_user if there is none";

impl Handler<HolderInput> for Browser {
    type Result = CancelOnDrop<Result<(), PageError>>;

    fn handle(&mut self, HolderInput { holder, input }: HolderInput, _: &mut Context<Self>) -> Self::Result {
        if let Err(fault) = self.takeover.check_held_by(&holder) {
            return CancelOnDrop::now(Err(fault));
        }
        match input {
            PersonInput::Navigate { url } => self.navigate_for_holder(&url),
            PersonInput::Back => self.go_back_for_holder(),
            PersonInput::Files { number, names } => self.set_files_for_holder(number, &names),
            input => self.send_to_page(input),
        }
    }
}

impl Browser {
    /// Sends input to the page itself.
    fn send_to_page(&mut self, input: PersonInput) -> CancelOnDrop<Result<(), PageError>> {
        match self.prepare_input(input) {
            // Sent in the order of arrival; the future completes when the page has processed the input or
            // opened a dialog.
            Ok((context, session, commands)) => {
                let taken =
                    try_join_all(commands.into_iter().map(|command| session.send(command, REPLY_TIMEOUT)));
                let one = self.takeover.add_pending_input();
                CancelOnDrop::by(async move {
                    let _one = one;
                    tokio::select! {
                        biased;
                        taken = taken => taken.map(|_| ()),
                        _ = context.pending_dialog().wait_for_any() => Ok(()),
                    }
                })
            }
            Err(fault) => CancelOnDrop::now(Err(fault)),
        }
    }

    /// Returns the commands to send, and the session to send them to.
    fn prepare_input(
        &mut self,
        input: PersonInput,
    ) -> Result<(Rc<PageContext>, Session, Vec<RawCommand>), PageError> {
        let context = self.shared.context.borrow().clone().ok_or_else(PageError::crashed)?;
        let front = context.current()?.session;
        let open = context.pending_dialog().for_holder();
        let commands = match self.takeover.handle_input(input, open, self.shared.config.viewport) {
            InputEffect::Send(commands) => commands,
            InputEffect::AnswerDialog { dialog, accept, text } => {
                context.pending_dialog().forget_session(&dialog.session);
                // The dialog may have closed by itself meanwhile; the error is ignored.
                context.connection.session(dialog.session.clone()).post(dialog.answer(accept, text));
                Vec::new()
            }
        };
        Ok((context, front, commands))
    }
}
