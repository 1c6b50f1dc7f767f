//! The turn is over and tasks go on: the person may speak meanwhile. What a task's end leads to is
//! `beside`'s to say.

use crate::conversation::cx::Cx;
use crate::program::ProgramError;
pub use Outcome::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The person has said something.
    Spoken,
    Quiet,
}

pub async fn visit(cx: &mut Cx) -> Result<Outcome, ProgramError> {
    Ok(if cx.has_mail() { Spoken } else { Quiet })
}
