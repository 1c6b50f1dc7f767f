//! Input of the holder of a take-over, on its way to the page.

use super::Browser;
use super::cancel_on_drop::CancelOnDrop;
use super::cdp_message::{PATIENCE, RawCommand};
use super::fault::PageError;
use super::link::Session;
use super::window::PageContext;
use crate::ids::SessionId;
use crate::protocol::client::{Hands, KeyEvent, MouseEvent};
use actix::{Context, Handler, Message};
use futures_util::future::try_join_all;
use std::rc::Rc;

/// Input event of the holder. Positions are fractions of the viewport, 0 to 1.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), PageError>")]
pub struct HolderInput {
    pub holder: SessionId,
    pub hands: Hands,
}

impl Handler<HolderInput> for Browser {
    type Result = CancelOnDrop<Result<(), PageError>>;

    fn handle(&mut self, HolderInput { holder, hands }: HolderInput, _: &mut Context<Self>) -> Self::Result {
        if let Err(fault) = self.holding.check_held_by(&holder) {
            return CancelOnDrop::now(Err(fault));
        }
        match hands {
            Hands::Navigate { url } => self.navigate_for_holder(&url),
            Hands::Back => self.go_back_for_holder(),
            Hands::Files { number, names } => self.set_files_for_holder(number, &names),
            hands => self.send_to_page(hands),
        }
    }
}

impl Browser {
    /// Sends input to the page itself.
    fn send_to_page(&mut self, hands: Hands) -> CancelOnDrop<Result<(), PageError>> {
        match self.prepare_input(hands) {
            // Sent in the order of arrival; the future completes when the page has processed the input or
            // opened a dialog.
            Ok((window, session, orders)) => {
                let taken = try_join_all(orders.into_iter().map(|order| session.send(order, PATIENCE)));
                let one = self.holding.under_way.add();
                CancelOnDrop::by(async move {
                    let _one = one;
                    tokio::select! {
                        biased;
                        taken = taken => taken.map(|_| ()),
                        _ = window.asking.wait_for_any() => Ok(()),
                    }
                })
            }
            Err(fault) => CancelOnDrop::now(Err(fault)),
        }
    }

    /// Returns the commands to send, and the session to send them to.
    fn prepare_input(
        &mut self,
        hands: Hands,
    ) -> Result<(Rc<PageContext>, Session, Vec<RawCommand>), PageError> {
        let window = self.here.window.borrow().clone().ok_or_else(PageError::crashed)?;
        let front = window.current()?.session;
        let asked = window.asking.for_holder();
        if let Hands::Dialog { accept, text, number } = hands {
            if self.put_away(number) {
                return Ok((window, front, Vec::new()));
            }
            // The dialog may be gone and another one have opened.
            let open = asked.is_some();
            if let Some(held) = asked.filter(|held| number.is_none_or(|number| number == held.serial)) {
                window.asking.forget_session(&held.session);
                // The dialog may have closed by itself meanwhile; the error is ignored.
                window.link.session(held.session.clone()).post(held.answer(accept, text));
                self.send_dialog_to_holder();
            } else if !open {
                self.send_dialog_closed(number.unwrap_or_default());
            }
            return Ok((window, front, Vec::new()));
        }
        // A page with an open dialog only accepts the release of held buttons and keys.
        if asked.is_some() && !is_release(&hands) {
            return Ok((window, front, Vec::new()));
        }
        Ok((window, front, self.holding.held.input_commands(self.here.config.viewport, hands)))
    }
}

/// Reports whether the input releases a button or key.
fn is_release(hands: &Hands) -> bool {
    matches!(hands, Hands::Mouse { event: MouseEvent::Up, .. } | Hands::Key { event: KeyEvent::Up, .. })
}
