//! Actionability check of an element, before a person is asked to approve the action.

use super::Browser;
use super::act::pointer;
use super::cancel_on_drop::CancelOnDrop;
use super::fault::PageError;
use actix::{Context, Handler, Message};

/// Scrolls the element into view. The error says why it cannot be acted on.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), PageError>")]
pub struct CheckActionable {
    pub eid: u32,
}

impl Handler<CheckActionable> for Browser {
    type Result = CancelOnDrop<Result<(), PageError>>;

    fn handle(&mut self, CheckActionable { eid }: CheckActionable, _: &mut Context<Self>) -> Self::Result {
        if let Err(fault) = self.holding.check_free() {
            return CancelOnDrop::now(Err(fault));
        }
        let here = self.here.clone();
        CancelOnDrop::by(async move {
            let _turn = here.turn.lock().await;
            pointer::ready(&here.window().await?.current()?, eid).await.map(|_| ())
        })
    }
}
