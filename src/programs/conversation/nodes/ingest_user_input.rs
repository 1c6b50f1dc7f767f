//! Reads the person's messages, and begins a task with them (S1.19).

use crate::clock::Moment;
use crate::engine::program::ProgramError;
use crate::programs::conversation::inbox;
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::visit_context::VisitContext;
use crate::programs::outcome::outcomes;
pub use Outcome::*;

outcomes! {
    pub enum Outcome {
        Received = "Heard",
    }
}

pub async fn visit(cx: &mut VisitContext) -> Result<Outcome, ProgramError> {
    if let Some(text) = cx.state.opening.clone() {
        cx.change(ConversationChange::MessageReceived(text));
    }
    inbox::read_inbox(cx);
    cx.change(ConversationChange::Afresh { at: Moment::now().millis() });
    Ok(Received)
}
