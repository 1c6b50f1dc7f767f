//! After an action: is it done, is it too much, or does it go on (S1.28)?

use crate::conversation::change::Change;
use crate::conversation::cx::Cx;
use crate::program::ProgramError;
pub use Outcome::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Stop,
    /// It stops because it cannot do what was asked.
    GaveUp,
    Limit,
    Continue,
}

pub async fn visit(cx: &mut Cx) -> Result<Outcome, ProgramError> {
    cx.state_fact();
    if let Some(response) = cx.state.stopping().filter(|_| !cx.state.is_mid_turn()) {
        let gave_up = cx.state.gave_up();
        cx.change(Change::Responded(response));
        return Ok(if gave_up { GaveUp } else { Stop });
    }
    if cx.state.tool_steps >= cx.deps.limits.tool_steps {
        cx.change(Change::Dropped { why: String::from("the allowed actions are used up") });
        return Ok(Limit);
    }
    Ok(Continue)
}
