//! Waits after a turn while tasks go on. A message of the person continues the run here; the end of a task is
//! handled by `calls::background_events`.

use crate::engine::program::ProgramError;
use crate::programs::conversation::visit_context::VisitContext;
use crate::programs::outcome::outcomes;
pub use Outcome::*;

outcomes! {
    pub enum Outcome {
        /// The person has sent a message.
        Spoken,
        Quiet,
    }
}

pub async fn visit(cx: &mut VisitContext) -> Result<Outcome, ProgramError> {
    Ok(if cx.has_messages() { Spoken } else { Quiet })
}
