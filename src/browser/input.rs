//! Input of the holder of a take-over, on its way to the page.

use super::Browser;
use super::attended::Attended;
use super::fault::PageError;
use super::link::Session;
use super::window::Window;
use super::wire::{PATIENCE, Raw};
use crate::ids::SessionId;
use crate::protocol::client::{Hands, KeyEvent, MouseEvent};
use actix::{Context, Handler, Message};
use futures_util::future::try_join_all;
use std::rc::Rc;

/// Input event of the holder. Positions are fractions of the viewport, 0 to 1.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), PageError>")]
pub struct Input {
    pub holder: SessionId,
    pub hands: Hands,
}

impl Handler<Input> for Browser {
    type Result = Attended<Result<(), PageError>>;

    fn handle(&mut self, Input { holder, hands }: Input, _: &mut Context<Self>) -> Self::Result {
        if let Err(fault) = self.holding.check_held_by(&holder) {
            return Attended::now(Err(fault));
        }
        match hands {
            Hands::Navigate { url } => self.go_by_hand(&url),
            Hands::Back => self.back_by_hand(),
            Hands::Files { number, names } => self.choose_by_hand(number, &names),
            hands => self.pass_on(hands),
        }
    }
}

impl Browser {
    /// Sends input to the page itself.
    fn pass_on(&mut self, hands: Hands) -> Attended<Result<(), PageError>> {
        match self.hand(hands) {
            // Sent in the order of arrival; the future completes when the page has processed the input or
            // opened a dialog.
            Ok((window, session, orders)) => {
                let taken = try_join_all(orders.into_iter().map(|order| session.begin(order, PATIENCE)));
                let one = self.holding.under_way.add();
                Attended::by(async move {
                    let _one = one;
                    tokio::select! {
                        biased;
                        taken = taken => taken.map(|_| ()),
                        _ = window.asking.opens() => Ok(()),
                    }
                })
            }
            Err(fault) => Attended::now(Err(fault)),
        }
    }

    /// Returns the commands to send, and the session to send them to.
    fn hand(&mut self, hands: Hands) -> Result<(Rc<Window>, Session, Vec<Raw>), PageError> {
        let window = self.here.window.borrow().clone().ok_or_else(PageError::crashed)?;
        let front = window.current()?.session;
        let asked = window.asking.by_hand();
        if let Hands::Dialog { accept, text, number } = hands {
            if self.put_away(number) {
                return Ok((window, front, Vec::new()));
            }
            // The dialog may be gone and another one have opened.
            let open = asked.is_some();
            if let Some(held) = asked.filter(|held| number.is_none_or(|number| number == held.serial)) {
                window.asking.over(&held.session);
                // The dialog may have closed by itself meanwhile; the error is ignored.
                window.link.session(held.session.clone()).post(held.answer(accept, text));
                self.confide();
            } else if !open {
                self.confide_over(number.unwrap_or_default());
            }
            return Ok((window, front, Vec::new()));
        }
        // A page with an open dialog only accepts the release of held buttons and keys.
        if asked.is_some() && !lets_go(&hands) {
            return Ok((window, front, Vec::new()));
        }
        Ok((window, front, self.holding.held.orders(self.here.config.viewport, hands)))
    }
}

/// Reports whether the input releases a button or key.
fn lets_go(hands: &Hands) -> bool {
    matches!(hands, Hands::Mouse { event: MouseEvent::Up, .. } | Hands::Key { event: KeyEvent::Up, .. })
}
